//! The command line of halofold: the ladder, the documents' presets, real files, and the code each back end gets.

mod chart;
mod compare;
mod count;
mod cpu;
mod dataset;
mod devices;
mod failure;
mod gpu;
mod input;
mod ladder;
mod npy;
mod output;
mod presets;
mod progress;
mod record;
mod reduce;
mod report;
mod reserved;
mod row;
mod run;
mod show;
mod stencil;
mod sweep;
mod table;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use failure::Failure;

/// GPU reductions, rung by rung: verified, measured, explained.
#[derive(Parser)]
#[command(version, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Two records, row by row: what became faster or slower. Exit status 1 on a regression.
    Compare(compare::CompareArgs),
    /// Every adapter: what it is, what matters about it here, and which rungs and types it runs.
    Devices(devices::DevicesArgs),
    /// All rungs on one adapter, verified and timed; or a document's own table, replayed.
    Ladder(ladder::LadderArgs),
    /// Reduce files: .npy, or raw bytes.
    Reduce(reduce::ReduceArgs),
    /// One page that shows records side by side: HTML without network or scripts, or Markdown.
    Report(report::ReportArgs),
    /// The exact code of a rung, as each back end gets it.
    Show(show::ShowArgs),
    /// Step a grid from a file by a stencil, .npy in, .npy or a picture out; or replay the thesis's tables.
    Stencil(stencil::StencilArgs),
    /// Time by size, GPU beside CPU: a table, CSV and a plot.
    Sweep(sweep::SweepArgs),
}

fn main() -> ExitCode {
    env_logger::Builder::from_env(env_logger::Env::default().default_filter_or("off")).init();
    let result = reserved::clean_up_when_interrupted().and_then(|()| run(Arguments::parse().command));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

fn run(command: Command) -> Result<(), Failure> {
    match command {
        Command::Compare(arguments) => compare::run(&arguments),
        Command::Devices(arguments) => devices::run(arguments),
        Command::Ladder(arguments) => ladder::run(arguments),
        Command::Reduce(arguments) => reduce::run(arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Show(arguments) => show::run(arguments),
        Command::Stencil(arguments) => stencil::run(&arguments),
        Command::Sweep(arguments) => sweep::run(arguments),
    }
}
