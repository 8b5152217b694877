//! `halofold report`: records side by side, as one HTML page that needs nothing else, or as Markdown.

mod beside_cub;
mod ladder_picture;
mod library;
mod machines;
mod markdown;
mod page;
mod published;
mod readme;
mod sheet;
mod stencils;

use std::path::PathBuf;

use clap::ArgGroup;

use crate::failure::Failure;
use crate::output::{print, written};
use crate::record;
use crate::reserved::Reserved;
use machines::Machine;

/// Options of `halofold report`.
#[derive(clap::Args)]
#[command(group = ArgGroup::new("written").args(["output", "markdown", "svg", "readme"]).required(true).multiple(true))]
pub struct ReportArgs {
    /// Records, written by `--record` or by the benches, or arrays that `--json` printed. Those of one adapter are put together; if a
    /// row is in several, the last file counts.
    #[arg(value_name = "RECORD", required = true)]
    records: Vec<PathBuf>,
    /// Write one HTML page: everything in it, no network, no scripts.
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Write the tables as Markdown.
    #[arg(long, value_name = "FILE.md")]
    markdown: Option<PathBuf>,
    /// Draw the ladder of one machine as a picture: its largest length, the slowest rung first.
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
    /// Draw the picture in light colours on dark.
    #[arg(long, requires = "svg")]
    dark: bool,
    /// Print a short Markdown table, as the project's pages have them: the ladder of one machine, its smallest length in full
    /// and time and share of the peak for longer ones; for records of the library, three operations beside CUB.
    #[arg(long)]
    readme: bool,
}

/// Runs the command.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let open = |option, path: &Option<PathBuf>| {
        path.as_deref().map(|path| Reserved::open_apart(option, path, &args.records)).transpose()
    };
    let (html, markdown) = (open("--output", &args.output)?, open("--markdown", &args.markdown)?);
    let svg = open("--svg", &args.svg)?;
    let loaded = args.records.iter().map(|path| record::load(path)).collect::<Result<Vec<_>, _>>()?;
    let machines = Machine::of(loaded);
    let has_ladder = machines.iter().any(|machine| !machine.rows.is_empty());
    let readme = match args.readme {
        false => None,
        true if has_ladder => Some(readme::table(&machines)?),
        true => Some(beside_cub::table(&machines)?),
    };
    if let Some(file) = svg {
        file.write(&ladder_picture::picture(&machines, args.dark)?)?;
    }
    if let Some(file) = html {
        file.write(&page::html(&machines).into_string())?;
    }
    if let Some(file) = markdown {
        file.write(&markdown::tables(&machines))?;
    }
    [&args.output, &args.markdown, &args.svg].into_iter().flatten().for_each(|path| written(path));
    readme.map_or(Ok(()), |table| print(&table))
}
