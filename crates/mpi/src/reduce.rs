//! `halofold-mpi reduce`: the request of `halofold reduce`, each rank a part of every file.

use halofold_cli::failure::Failure;
use halofold_cli::gpu::{AnyAdapters, Gpu};
use halofold_cli::reduce::{self, ReduceArgs};
use halofold_cli::reserved;
use halofold_cli::transport::Transport;
use halofold_mpi::{Ranks, adapter_of};

/// Ranks as the processes of a request: an error of one ends all.
pub struct ByMpi<'a>(pub &'a Ranks);

impl Transport for ByMpi<'_> {
    fn place(&self) -> [usize; 2] {
        [self.0.rank(), self.0.count()]
    }

    fn agree<T>(&self, result: Result<T, Failure>) -> Result<T, Failure> {
        if self.is_alone() { result } else { Ok(self.0.agree_or(result, reserved::remove_unfinished)) }
    }

    fn gather(&self, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        self.0.gather_bytes(bytes)
    }
}

/// Runs the subcommand.
pub fn run(args: &ReduceArgs, ranks: &Ranks) -> Result<(), Failure> {
    reduce::run(args, &ByMpi(ranks), || {
        if args.adapter.adapter.is_some() {
            return Err(own_adapter());
        }
        let (adapter, _) = adapter_of(ranks).map_err(Failure::usage)?;
        Gpu::open(&adapter)
    })
}

/// The error of options that name adapters.
fn own_adapter() -> Failure {
    Failure::usage("--adapter: each rank takes the adapter that is its turn; halofold-mpi ranks lists them")
}

/// Refuses options that name adapters.
pub fn refuse_adapters(adapters: &AnyAdapters) -> Result<(), Failure> {
    if adapters.are_listed() || adapters.one.adapter.is_some() {
        return Err(own_adapter());
    }
    Ok(())
}
