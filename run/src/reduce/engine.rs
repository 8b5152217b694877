//! Reduces files on all GPUs, each of which takes the next piece when it is free.
//!
//! States of the pieces are added up in the order of the file, so results do not depend on how many equal GPUs there are, or on
//! which of them is faster.

use std::collections::BTreeMap;
use std::panic;
use std::sync::mpsc::{self, Receiver};
use std::thread;

use halofold::wgpu;

use super::buffers::{Kernel, Room};
use super::file::Work;
use super::layout::Share;
use super::reader::PieceReader;
use super::steps::{Reduced, Steps};
use super::worker::{Done, SETS, Worker};
use crate::failure::Failure;
use crate::files::{Source, Stored};
use crate::gpu::Gpu;

/// The number of pieces that may be begun but not yet taken, per GPU: enough where another GPU is ten times slower.
const WAITING: u64 = 32;

/// Reduces one file after the other, piece by piece.
pub struct Engine<'a> {
    gpus: &'a [Gpu],
    workers: Vec<Worker<'a>>,
    /// Bytes of a piece on a GPU, at most.
    piece: u64,
}

impl<'a> Engine<'a> {
    /// Compiles for each GPU the reductions of `kernels`, for pieces of up to this many elements of a type, and allocates buffers for
    /// pieces of up to `piece` bytes of each of this many inputs.
    pub fn new(
        gpus: &'a [Gpu],
        work: &[Work],
        (inputs, piece): (usize, u64),
        kernels: impl Fn(&Gpu, &dyn Fn(Stored) -> u64) -> Result<Vec<Kernel>, Failure> + Sync,
    ) -> Result<Self, Failure> {
        // One binding holds all elements that are unpacked.
        let is_bound = work.iter().any(Work::is_unpacked);
        let limit = |limits: wgpu::Limits| match is_bound {
            true => limits.max_buffer_size.min(limits.max_storage_buffer_binding_size),
            false => limits.max_buffer_size,
        };
        let largest = gpus.iter().map(|gpu| limit(gpu.device.limits())).min().unwrap_or(0);
        // A piece ends between two elements of whatever type, and has room for one.
        let piece = (piece.min(largest) / 8 * 8).max(8);
        let unpacked = |work: &Work| {
            let most = most(work.stored, piece);
            work.len.map_or(most, |len| len.min(most)) * work.stored.element().size()
        };
        let size = work.iter().map(unpacked).max().unwrap_or(0).next_multiple_of(8).max(8);
        // The most bytes of a piece of that size, as it lies in its file. A short file, too, is asked for a whole piece.
        let stored = |work: &Work| most(work.stored, size) * work.stored.size();
        let bytes = |bytes: Option<u64>| bytes.unwrap_or(0).next_multiple_of(8);
        let packed = bytes(work.iter().filter(|work| work.is_unpacked()).map(stored).max());
        let staged = bytes(work.iter().map(stored).max()).max(8);
        // Memory that is never used would be made all the same.
        let pieces = |work: &Work| work.len.map(|len| len.div_ceil(most(work.stored, size)).max(1) as usize);
        let pieces = work.iter().map(|work| pieces(work).unwrap_or(SETS)).max();
        let room = Room {
            sets: pieces.map_or(SETS, |pieces| pieces.min(SETS)),
            inputs,
            unpacked: size,
            packed,
            staged,
        };
        let worker = |gpu| {
            let kernels = kernels(gpu, &|stored| most(stored, piece))?;
            Worker::new((gpu, gpus.len()), kernels, work, room)
        };
        // Compiling takes long.
        let workers = thread::scope(|scope| {
            let all: Vec<_> = gpus.iter().map(|gpu| scope.spawn(move || worker(gpu))).collect();
            all.into_iter().map(joined).collect::<Result<_, Failure>>()
        })?;
        Ok(Engine { gpus, workers, piece: size })
    }

    /// The elements of a piece of a file, at most.
    pub fn elements(&self, work: &Work) -> u64 {
        most(work.stored, self.piece)
    }

    /// The reductions that each GPU has compiled.
    pub fn kernels(&self) -> &[Kernel] {
        self.workers[0].kernels()
    }

    /// Reduces this process's pieces of a file, or of two that go together, and passes the states of each to `take`, in their
    /// order. `place` is the number of the process, and the number of processes.
    pub fn run(
        &mut self,
        work: &Work,
        sources: &mut [Source],
        steps: &Steps<'_>,
        place: [usize; 2],
        mut take: impl FnMut(Share, Vec<Reduced>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let elements = self.elements(work);
        let shares = work.shares_of(elements, place).map_err(Failure::usage)?;
        let reader = PieceReader::new(sources, shares, WAITING * self.gpus.len() as u64);
        let (done, received) = mpsc::channel();
        thread::scope(|scope| {
            let workers = self.workers.iter_mut().map(|worker| {
                let (reader, done) = (&reader, done.clone());
                scope.spawn(move || worker.run(reader, steps, &done))
            });
            let workers: Vec<_> = workers.collect();
            drop(done);
            let end = reader.read_ahead().until_dropped();
            let taken = in_order(received, |share, part| {
                reader.read_ahead().take();
                take(share, part)
            });
            drop(end);
            workers.into_iter().for_each(joined);
            taken
        })
    }
}

/// Returns a thread's value. A scope's own end does not wait for a driver's work at the end of a thread.
fn joined<T>(thread: thread::ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|why| panic::resume_unwind(why))
}

/// The elements of a piece, at most: on a GPU they take `piece` bytes.
fn most(stored: Stored, piece: u64) -> u64 {
    piece / stored.element().size()
}

/// Passes pieces to `take` by their numbers, in whatever order they come.
fn in_order<T>(
    received: Receiver<Done<T>>,
    mut take: impl FnMut(Share, T) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut early = BTreeMap::new();
    let mut next = 0;
    for (number, piece) in received {
        early.insert(number, piece);
        while let Some(piece) = early.remove(&next) {
            let (share, part) = piece?;
            take(share, part)?;
            next += 1;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_taken_in_their_order_up_to_the_first_that_failed() {
        let share = Share { plane: 0, before: 0, outer: 1, len: 1, inner: 1, completes: false };
        let (done, received) = mpsc::channel();
        for number in [2, 0, 4, 1, 5] {
            done.send((number, Ok((share, number)))).unwrap();
        }
        done.send((6, Err(Failure::usage("later")))).unwrap();
        done.send((3, Err(Failure::usage("first")))).unwrap();
        drop(done);
        let mut taken = Vec::new();
        let result = in_order(received, |_, number| {
            taken.push(number);
            Ok(())
        });
        assert!(matches!(result, Err(Failure::Usage(why)) if why == "first"));
        assert_eq!(taken, [0, 1, 2]);
    }
}
