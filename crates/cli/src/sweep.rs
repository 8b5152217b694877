//! `halofold sweep`: the ladder over a range of lengths, as the exercise and the OpenCL tutorial plot it.

use crate::count::counts;
use crate::failure::Failure;
use crate::ladder::{self, LadderArgs};

/// The smallest size by default.
const USUAL_FROM: u64 = 1 << 8;

/// Options of `halofold sweep`.
#[derive(clap::Args)]
pub struct SweepArgs {
    /// The smallest size, in elements: 2^8 by default.
    #[arg(long, value_name = "N", value_parser = counts(0u64, u64::MAX), conflicts_with = "n")]
    from: Option<u64>,
    /// The largest size: by default 2^28 or what fits, on a software adapter 2^22.
    #[arg(long, value_name = "N", value_parser = counts(0u64, u64::MAX), conflicts_with = "n")]
    to: Option<u64>,
    #[command(flatten)]
    ladder: LadderArgs,
}

/// Runs the command.
pub fn run(args: SweepArgs) -> Result<(), Failure> {
    let SweepArgs { from, to, ladder } = args;
    if let Some(preset) = ladder.preset() {
        return Err(Failure::Usage(format!("--preset: write `halofold ladder --preset {preset}`")));
    }
    if ladder.is_one_length() {
        return Err(Failure::usage(
            "--n: a sweep takes a range, 2^8..2^28; `halofold ladder` takes one length",
        ));
    }
    ladder::run(if ladder.is_range() { ladder } else { ladder.over(from.unwrap_or(USUAL_FROM), to) })
}
