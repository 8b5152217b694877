//! `halofold report`: records side by side, as Markdown tables or as a picture.

pub mod beside;
mod ladder;
mod library;
mod machines;
mod markdown;
mod published;
mod stencils;
mod tables;

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output::{print, written};
use crate::record;
use crate::reserved::Reserved;
use machines::Machine;

#[derive(clap::Args)]
#[command(after_help = crate::examples::REPORT)]
pub struct ReportArgs {
    /// Records, written by `--record` or by the benches. Those of one adapter are put together; if a row is in several, the last file counts.
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Show the records of a published machine beside them: h200, an NVIDIA H200.
    #[arg(long, value_name = "MACHINE", value_parser = ["h200"])]
    beside: Option<String>,
    /// Write the tables to a file instead of printing them.
    #[arg(short, long, value_name = "FILE.md")]
    output: Option<PathBuf>,
    /// Draw the ladder of one machine: its largest length, the slowest rung first. Without -o nothing else is made.
    #[arg(long, value_name = "FILE.svg", conflicts_with = "beside")]
    svg: Option<PathBuf>,
    /// Draw the picture in light colours on dark.
    #[arg(long, requires = "svg")]
    dark: bool,
}

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let open = |option, path: &Option<PathBuf>| {
        let path = path.as_deref().filter(|path| *path != Path::new("-"));
        path.map(|path| Reserved::open_apart(option, path, &args.records)).transpose()
    };
    let (output, svg) = (open("--output", &args.output)?, open("--svg", &args.svg)?);
    let records = args.records.iter().map(|path| record::load(path)).collect::<Result<Vec<_>, _>>()?;
    let beside = if args.beside.is_some() { beside::h200()? } else { Vec::new() };
    let given = records.into_iter().map(|record| (record, false));
    let machines = Machine::of(given.chain(beside.into_iter().map(|record| (record, true))));
    if let Some(path) = &args.svg {
        let picture = ladder::picture(&machines, args.dark)?;
        svg.map_or_else(|| print(&picture), |file| file.write(&picture).inspect(|()| written(path)))?;
    }
    match (&args.output, output) {
        (Some(path), Some(file)) => file.write(&markdown::page(&machines)).inspect(|()| written(path)),
        (None, _) if args.svg.is_some() => Ok(()),
        _ => print(&markdown::page(&machines)),
    }
}
