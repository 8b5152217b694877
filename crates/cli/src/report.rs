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
    /// Records: files of `--record` or of the benches. Records of one adapter are combined; for a row in several, the last file counts.
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Add the records of a published machine: h200, an NVIDIA H200.
    #[arg(long, value_name = "MACHINE", value_parser = ["h200"])]
    beside: Option<String>,
    /// Write tables to FILE.md, or a picture of one machine's longest ladder to FILE.svg, instead of printing.
    #[arg(short, long, value_name = "FILE.md|FILE.svg")]
    output: Option<PathBuf>,
    /// Draw in light colours on dark.
    #[arg(long, requires = "output")]
    dark: bool,
}

pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let path = args.output.as_deref().filter(|path| *path != Path::new("-"));
    let file = path.map(|path| Reserved::open_apart("--output", path, &args.records)).transpose()?;
    let is_picture = path.is_some_and(|path| path.extension().is_some_and(|ending| ending == "svg"));
    if args.dark && !is_picture {
        return Err(Failure::usage("--dark: only for a picture; name it with -o FILE.svg"));
    }
    let records = args.records.iter().map(|path| record::load(path)).collect::<Result<Vec<_>, _>>()?;
    let beside = if args.beside.is_some() { beside::h200()? } else { Vec::new() };
    let given = records.into_iter().map(|record| (record, false));
    let machines = Machine::of(given.chain(beside.into_iter().map(|record| (record, true))));
    let text = if is_picture { ladder::picture(&machines, args.dark)? } else { markdown::page(&machines) };
    match path.zip(file) {
        Some((path, file)) => file.write(&text).inspect(|()| written(path)),
        None => print(&text),
    }
}
