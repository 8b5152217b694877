//! `halofold report`: records side by side, as Markdown tables or as a picture.

mod ladder;
mod library;
mod machines;
mod markdown;
mod published;
mod stencils;

use std::path::PathBuf;

use crate::failure::Failure;
use crate::output::{print, written};
use crate::record;
use crate::reserved::Reserved;
use machines::Machine;

/// Options of `halofold report`.
#[derive(clap::Args)]
#[command(after_help = crate::examples::REPORT)]
pub struct ReportArgs {
    /// Records, written by `--record` or by the benches, or arrays that `--json` printed. Those of one adapter are put together; if a
    /// row is in several, the last file counts.
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Write the tables to a file instead of printing them.
    #[arg(short, long, value_name = "FILE.md")]
    output: Option<PathBuf>,
    /// Draw the ladder of one machine: its largest length, the slowest rung first. Without -o nothing else is made.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Draw the picture in light colours on dark.
    #[arg(long, requires = "svg")]
    dark: bool,
}

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let open = |option, path: &Option<PathBuf>| {
        path.as_deref().map(|path| Reserved::open_apart(option, path, &args.records)).transpose()
    };
    let (output, svg) = (open("--output", &args.output)?, open("--svg", &args.svg)?);
    let loaded = args.records.iter().map(|path| record::load(path)).collect::<Result<Vec<_>, _>>()?;
    let machines = Machine::of(loaded);
    let only_picture = svg.is_some() && output.is_none();
    if let Some(file) = svg {
        file.write(&ladder::picture(&machines, args.dark)?)?;
    }
    let printed = match output {
        Some(file) => file.write(&markdown::page(&machines)),
        None if only_picture => Ok(()),
        None => print(&markdown::page(&machines)),
    };
    [&args.output, &args.svg].into_iter().flatten().for_each(|path| written(path));
    printed
}
