//! `halofold stencil`: Jacobi steps over a grid from a file; the thesis's tables, replayed.

mod preset;
mod tune;

use crate::grid::{self, GridArgs};

use crate::failure::Failure;
use preset::PresetArgs;
pub use preset::{MACHINE, PRESETS, Preset};

#[derive(clap::Args)]
#[command(after_help = crate::examples::STENCIL)]
pub struct StencilArgs {
    #[command(flatten)]
    grid: GridArgs,
    /// Time the kernels that take many steps per pass over memory in all their shapes on this GPU, verified, and remember the
    /// result in the cache folder. From then on auto chooses by it. Worth it on GPUs other than NVIDIA's.
    #[arg(long, conflicts_with_all = ["grid", "preset"], help_heading = "Kernel")]
    tune: bool,
    #[command(flatten)]
    preset: PresetArgs,
}

pub fn run(args: &StencilArgs) -> Result<(), Failure> {
    let StencilArgs { preset, grid: file, .. } = args;
    if file.adapters.are_listed() && file.grid.is_none() {
        return Err(Failure::usage("--adapters: only for a grid from a file"));
    }
    if args.tune {
        return tune::run(file);
    }
    match (preset.preset, &file.grid) {
        (Some(_), _) if file.steps == Some(0) => {
            Err(Failure::usage("--steps 0: a preset is run for at least one step"))
        }
        (Some(chosen), _) => preset::run(preset, chosen, file),
        (None, Some(path)) => match preset.given() {
            Some(option) => {
                Err(Failure::usage(format!("{option}: only with --preset, not for a grid from a file")))
            }
            None => grid::run(file, path),
        },
        (None, None) => Err(Failure::usage(
            "name the grid to step (a .npy file, or - for standard input), a table: --preset thesis-5pt or thesis-27pt, or --tune",
        )),
    }
}
