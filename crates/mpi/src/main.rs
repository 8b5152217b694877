//! `halofold-mpi`: reductions and stencils of files over the ranks of an MPI run.

mod reduce;
mod stencil;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use halofold_cli::reduce::ReduceArgs;
use halofold_cli::stencil::StencilArgs;
use halofold_cli::{failure, gpu, reserved};
use halofold_mpi::{RankGpu, Ranks};

/// Reductions and stencils over the ranks of an MPI run: `mpirun -n 4 halofold-mpi …`, one rank a GPU.
#[derive(Parser)]
#[command(version, max_term_width = 110)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// List the ranks: host, place on it, and the adapter that is the rank's.
    Ranks,
    /// Reduce files, each rank some of the pieces of every file: .npy, or raw bytes. The bits are those of `halofold reduce`.
    Reduce(Box<ReduceArgs>),
    /// Step a grid from a .npy file by a stencil, each rank its layers, and write it.
    Stencil(Box<StencilArgs>),
}

/// The error of a command.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    // SAFETY: nothing else runs yet that could read the environment.
    unsafe { gpu::give_runtime_folder() };
    // Ranks that others end leave no temporary file. Without a handler they work all the same.
    let _ = reserved::clean_up_when_interrupted();
    // All ranks find the same errors in the command line, and print the same help.
    let mut status = ExitCode::SUCCESS;
    let ran = halofold_mpi::run(|ranks| match Arguments::try_parse() {
        Ok(arguments) => command(&arguments.command, ranks).map(|code| status = code),
        Err(error) => {
            if ranks.is_first() {
                error.print()?;
            }
            status = ExitCode::from(error.exit_code() as u8);
            Ok(())
        }
    });
    if ran == ExitCode::SUCCESS { status } else { ran }
}

fn command(command: &Command, ranks: &Ranks) -> Result<ExitCode, Failure> {
    let ran = match command {
        Command::Ranks => return list(ranks).map(|()| ExitCode::SUCCESS),
        Command::Reduce(args) => reduce::run(args, ranks),
        Command::Stencil(args) => stencil::run(args, ranks),
    };
    match ran {
        Ok(()) => Ok(ExitCode::SUCCESS),
        Err(failure::Failure::Usage(why)) => Err(why.into()),
        Err(failure::Failure::NotConverged(_)) if !ranks.is_first() => {
            Ok(ExitCode::from(failure::NOT_CONVERGED))
        }
        // Printed already, and no reason to end other ranks.
        Err(failure) => Ok(failure.report()),
    }
}

/// Prints a line of each rank, in their order.
fn list(ranks: &Ranks) -> Result<(), Failure> {
    let RankGpu { info, place: [place, count], .. } = ranks.agree(RankGpu::open(ranks));
    let line = format!(
        "{ranks}: place {} there, adapter {place} of {count}, {} ({})",
        ranks.on_node(),
        info.name,
        info.backend
    );
    for line in ranks.gather(&line).unwrap_or_default() {
        println!("{line}");
    }
    Ok(())
}
