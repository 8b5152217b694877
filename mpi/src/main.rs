//! `halofold-mpi`: reductions and stencils of files over the ranks of an MPI run.

mod reduce;
mod stencil;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use halofold_mpi::{Gpu, Ranks};

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
    /// Reduce files, each rank its part of every file: .npy, or raw bytes. Sums of floats are exact.
    Reduce(reduce::ReduceArgs),
    /// Step a grid from a .npy file by a stencil, each rank its layers, and write it.
    Stencil(stencil::StencilArgs),
}

/// What a command says that fails.
type Failure = Box<dyn std::error::Error>;

fn main() -> ExitCode {
    if cfg!(target_os = "linux") && std::env::var_os("XDG_RUNTIME_DIR").is_none() {
        // Without a desktop session Mesa complains at every start that there is no such folder.
        // SAFETY: nothing else runs yet that could read the environment.
        unsafe { std::env::set_var("XDG_RUNTIME_DIR", std::env::temp_dir()) };
    }
    // What is wrong with the command line, and its help, are the same for all ranks.
    let mut status = ExitCode::SUCCESS;
    let ran = halofold_mpi::run(|ranks| match Arguments::try_parse() {
        Ok(arguments) => command(&arguments.command, ranks),
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

fn command(command: &Command, ranks: &Ranks) -> Result<(), Failure> {
    match command {
        Command::Ranks => list(ranks),
        Command::Reduce(args) => reduce::run(args, ranks),
        Command::Stencil(args) => stencil::run(args, ranks),
    }
}

/// Prints a line of each rank, in their order.
fn list(ranks: &Ranks) -> Result<(), Failure> {
    let Gpu { info, place: [place, count], .. } = ranks.agree(Gpu::open(ranks));
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
