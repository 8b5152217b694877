//! The ranks of a run, and how it ends when one of them fails.

use std::any::Any;
use std::fmt::{self, Display};
use std::io::{self, Write as _};
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;
use std::{mem, panic};

use mpi::collective::{Root as _, SystemOperation};
use mpi::datatype::PartitionMut;
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::traits::{CommunicatorCollectives as _, Equivalence};
use mpi::{Count, Threading, environment};

/// The exit status of a run that failed.
const FAILED: i32 = 2;

/// The ranks of this run, and which of them this process is.
pub struct Ranks {
    world: SimpleCommunicator,
    /// The ranks of this node.
    node: SimpleCommunicator,
    host: String,
}

/// Threads of a rank that copy faces: four ranks of a node, with an H100 each, made 4290 GCell-updates/s with 4 threads, 2390 with 12.
const COPYING: usize = 4;

/// Starts MPI, does the work, and ends MPI.
///
/// If the work fails or panics on one rank, that rank's message goes to standard error, with the rank's number and host, and
/// all ranks end with exit status 2. None is left waiting for one that is gone.
pub fn run<E: Display>(work: impl FnOnce(&Ranks) -> Result<(), E>) -> ExitCode {
    let Some((universe, _)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("error: MPI was started before");
        return ExitCode::from(FAILED as u8);
    };
    let ranks = Ranks::of(&universe.world());
    // Caught here and not by a hook: some panics of a driver's making are caught further down, and become errors.
    match panic::catch_unwind(AssertUnwindSafe(|| work(&ranks))) {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(error)) => ranks.abort(error),
        Err(payload) => ranks.abort(format_args!("a panic: {}", said(&*payload))),
    }
}

/// The message of a panic.
fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

impl Ranks {
    /// Those of a communicator, which is duplicated: messages of the library never meet the program's own. All its ranks
    /// call this together.
    pub fn of(world: &impl Communicator) -> Self {
        halofold_fleet::limit_few_threads(COPYING);
        let world = world.duplicate();
        let node = world.split_shared(world.rank());
        let host = environment::processor_name().unwrap_or_else(|_| "a host without a name".to_owned());
        Ranks { world, node, host }
    }

    /// All ranks.
    pub fn world(&self) -> &SimpleCommunicator {
        &self.world
    }

    /// This rank, from 0.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// The number of ranks.
    pub fn count(&self) -> usize {
        self.world.size() as usize
    }

    /// The place of this rank among those of its node, from 0.
    pub fn on_node(&self) -> usize {
        self.node.rank() as usize
    }

    /// True for the first rank, which prints for all.
    pub fn is_first(&self) -> bool {
        self.rank() == 0
    }

    /// Prints why this rank fails, and ends all ranks.
    pub fn abort(&self, why: impl Display) -> ! {
        self.end().all(why)
    }

    /// The same for handlers that outlive this.
    pub(crate) fn end(&self) -> End {
        End { rank: self.to_string() }
    }

    /// Makes all ranks fail if one does. The first that fails prints its error, and ends them: an error that all ranks have is printed
    /// once. All ranks call this together.
    pub fn agree<T, E: Display>(&self, result: Result<T, E>) -> T {
        self.agree_or(result, || ())
    }

    /// The same, and every rank calls `clean_up` before it ends.
    pub fn agree_or<T, E: Display>(&self, result: Result<T, E>, clean_up: impl FnOnce()) -> T {
        let own = if result.is_err() { self.rank() as u64 } else { u64::MAX };
        let first = self.all(&[own], SystemOperation::min())[0];
        match result {
            Ok(value) if first == u64::MAX => return value,
            Err(error) if own == first => {
                clean_up();
                self.world.barrier();
                self.abort(error)
            }
            _ => clean_up(),
        }
        // The rank that tells why ends this one.
        loop {
            self.world.barrier();
        }
    }

    /// The lines of all ranks in their order, on the first rank; `None` on the others. All ranks call this together.
    pub fn gather(&self, line: &str) -> Option<Vec<String>> {
        let lines = self.gather_bytes(line.as_bytes())?.into_iter();
        Some(lines.map(|line| String::from_utf8_lossy(&line).into_owned()).collect())
    }

    /// The bytes of all ranks in their order, on the first rank; `None` on the others. All ranks call this together.
    pub fn gather_bytes(&self, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        // MPI counts in 32 bits: as many rounds as it takes.
        let most = (1 << 30) / self.count();
        let rounds = self.all(&[bytes.len().div_ceil(most) as u64], SystemOperation::max())[0];
        let mut all = vec![Vec::new(); self.count()];
        for round in 0..rounds as usize {
            let begin = (round * most).min(bytes.len());
            let parts = self.gather_round(&bytes[begin..bytes.len().min(begin + most)]);
            all.iter_mut().zip(parts.unwrap_or_default()).for_each(|(all, part)| all.extend(part));
        }
        self.is_first().then_some(all)
    }

    fn gather_round(&self, bytes: &[u8]) -> Option<Vec<Vec<u8>>> {
        let root = self.world.process_at_rank(0);
        let own = bytes.len() as Count;
        if !self.is_first() {
            root.gather_into(&own);
            root.gather_varcount_into(bytes);
            return None;
        }
        let mut counts = vec![0; self.count()];
        root.gather_into_root(&own, &mut counts[..]);
        let starts: Vec<Count> =
            counts.iter().scan(0, |end, count| Some(mem::replace(end, *end + count))).collect();
        let mut all = vec![0u8; counts.iter().sum::<Count>() as usize];
        root.gather_varcount_into_root(bytes, &mut PartitionMut::new(&mut all[..], &counts[..], &starts[..]));
        let part = |(start, count): (&Count, &Count)| all[*start as usize..][..*count as usize].to_vec();
        Some(starts.iter().zip(&counts).map(part).collect())
    }

    /// The bytes of the first rank, on all. All ranks call this together.
    pub fn of_first(&self, bytes: &[u8]) -> Vec<u8> {
        let root = self.world.process_at_rank(0);
        let mut len = bytes.len() as u64;
        root.broadcast_into(&mut len);
        let mut all = bytes.to_vec();
        all.resize(len as usize, 0);
        root.broadcast_into(&mut all[..]);
        all
    }

    /// True if a number is the same on all ranks. All ranks call this together.
    pub fn is_same(&self, number: u64) -> bool {
        let largest = self.all(&[number, !number], SystemOperation::max());
        largest[0] == !largest[1]
    }

    /// The sums of the numbers of all ranks, each with those at the same place on the others, modulo 2^64. All ranks call this together.
    pub fn sum(&self, own: &[i64]) -> Vec<i64> {
        // Sums of unsigned integers wrap in every MPI, and have the same bits.
        let sums = self.all::<u64>(bytemuck::cast_slice(own), SystemOperation::sum());
        sums.into_iter().map(u64::cast_signed).collect()
    }

    /// Numbers of all ranks, each with those at the same place on the others. All ranks call this together.
    pub(crate) fn all<T: Equivalence + Copy + Default>(
        &self,
        own: &[T],
        operation: SystemOperation,
    ) -> Vec<T> {
        let mut all = vec![T::default(); own.len()];
        self.world.all_reduce_into(own, &mut all[..], operation);
        all
    }
}

/// The way of a rank to end all.
pub(crate) struct End {
    rank: String,
}

impl End {
    /// Prints why, and ends all ranks.
    pub(crate) fn all(&self, why: impl Display) -> ! {
        // In one write, so that no output of mpirun or of another rank splits it.
        let text = format!("error: {}: {why}\n", self.rank);
        // `abort` ends the process without running destructors.
        halofold_cli::reserved::remove_unfinished();
        // If standard error is closed, there is no way left to report it.
        let _ = io::stderr().write_all(text.as_bytes());
        SimpleCommunicator::world().abort(FAILED)
    }
}

impl Display for Ranks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {} on {}", self.rank(), self.count(), self.host)
    }
}
