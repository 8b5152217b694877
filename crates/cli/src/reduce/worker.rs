//! Worker that reduces pieces on one GPU: compiled kernels, the memory that pieces pass through, and threads.
//!
//! Two threads ask for pieces and have them read to staging buffers: while the end of one piece is read, the next one has
//! begun. A third has the pieces copied and reduced, reads the states back, and returns the buffers.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::buffers::{Kernel, PieceBuffers, Room};
use super::file::Work;
use super::layout::Share;
use super::read_threads::ReadThreads;
use super::reader::PieceReader;
use super::steps::{Reduced, Steps};
use super::unpack::Unpack;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::joined::joined;

/// Threads that ask for pieces.
const ASKING: usize = 2;

/// Sets of memory for a piece, at most: one for each thread that asks, and one that the GPU has.
pub const SETS: usize = ASKING + 1;

/// The number of a piece, its shape, and its states.
pub type Done<T = Vec<Reduced>> = (u64, Result<(Share, T), Failure>);

/// One GPU.
pub struct Worker<'a> {
    gpu: &'a Gpu,
    kernels: Vec<Kernel>,
    unpack: Unpack,
    sets: Vec<PieceBuffers>,
    threads: ReadThreads,
}

impl<'a> Worker<'a> {
    /// A GPU with its kernels and room for pieces.
    pub fn new(gpu: &'a Gpu, kernels: Vec<Kernel>, work: &[Work], room: Room) -> Result<Self, Failure> {
        let count = kernels.len();
        // wgpu sets the memory of each to zeros, which takes one thread long.
        let set = |number| gpu.attempt(|| PieceBuffers::new(gpu, number, room, count));
        let sets = thread::scope(|scope| {
            let set = &set;
            let all: Vec<_> = (0..room.sets).map(|number| scope.spawn(move || set(number))).collect();
            all.into_iter().map(joined).collect::<Result<_, Failure>>()
        })?;
        gpu.attempt(|| {
            Ok(Worker { gpu, unpack: Unpack::new(gpu, work)?, sets, kernels, threads: ReadThreads::new()? })
        })
    }

    /// The reductions that it has compiled.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Takes pieces as one of several GPUs until there is no more for it, and tells `done` of each. After one that fails it takes none.
    pub fn run(
        &mut self,
        place: [usize; 2],
        reader: &PieceReader<'_>,
        steps: &Steps<'_>,
        done: &Sender<Done>,
    ) {
        let Worker { gpu, kernels, unpack, sets, threads } = self;
        // One thread reads pieces in their order.
        let asking = if steps.in_turn { 1 } else { sets.len().min(ASKING) };
        let ([own, gpus], gpu, threads) = (place, *gpu, &*threads);
        let reduce = |set: &mut PieceBuffers, share: Share| {
            gpu.attempt(|| set.launch(gpu, kernels, unpack, steps, &share))?;
            let made = || gpu.attempt(|| set.collect(gpu));
            let left = steps.left(kernels, &share, &set.kept(&share, steps), made)?;
            Ok((share, left))
        };
        let finish = |number, read: Result<Share, Failure>, set: &mut PieceBuffers| {
            let left = read.and_then(|share| reduce(set, share));
            match &left {
                Ok((_, left)) => reader.read_ahead().keep(Reduced::bytes(left)),
                Err(_) => reader.read_ahead().stop(),
            }
            // The receivers are gone after an error, and after the end.
            let _ = done.send((number, left));
            reader.done(own);
        };
        let next = |set: &mut PieceBuffers| reader.next(own, set, threads, steps.is_looked_at);
        let _panic = reader.read_ahead().stop_on_panic();
        // One of several shows with one piece how fast it is, before it takes more.
        if gpus > 1 {
            let Some((number, read)) = next(&mut sets[0]) else { return };
            finish(number, read, &mut sets[0]);
        }
        let (empty, to_fill) = mpsc::channel::<&mut PieceBuffers>();
        let (full, to_reduce) = mpsc::channel();
        for set in sets {
            let _ = empty.send(set);
        }
        let to_fill = &Mutex::new(to_fill);
        thread::scope(move |scope| {
            for _ in 0..asking {
                let full = full.clone();
                scope.spawn(move || {
                    let _panic = reader.read_ahead().stop_on_panic();
                    let to_fill = || to_fill.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    while let Ok(set) = to_fill() {
                        let Some((number, read)) = next(set) else { break };
                        let _ = full.send((number, read, set));
                    }
                });
            }
            drop(full);
            for (number, read, set) in to_reduce {
                finish(number, read, set);
                let _ = empty.send(set);
            }
        });
    }
}
