//! What reduces pieces on one GPU: compiled kernels, the memory that pieces pass through, and two threads.
//!
//! One thread asks for the next piece and has it read to where the GPU copies it from. The other has it copied and reduced, brings the
//! outcome back, and hands the memory back. There are two sets of it: while one piece is being reduced, the next is being read.

use std::sync::mpsc::{self, Sender};
use std::thread;

use super::feed::Feed;
use super::file::Work;
use super::fill::Readers;
use super::layout::{Layout, Share};
use super::slot::{Kernel, Made, Room, Slot};
use super::unpack::Unpack;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::input::Stored;

/// What all pieces of a file go through.
pub struct Steps<'a> {
    pub stored: Stored,
    pub layout: &'a Layout,
    /// The kernels that reduce them, by their numbers.
    pub used: Vec<usize>,
    /// Whether the host looks at the elements too.
    pub is_looked_at: bool,
}

/// What is done with what becomes of pieces.
pub trait Job: Sync {
    /// What is left of a piece.
    type Part: Send;

    /// What pieces go through.
    fn steps(&self) -> &Steps<'_>;

    /// What is left of a piece. `made` waits for what the GPU makes of it; `pieces` are its elements, as they lie in each source, if they are
    /// looked at.
    fn part(
        &self,
        kernels: &[Kernel],
        share: &Share,
        pieces: &[&[u8]],
        made: impl FnOnce() -> Result<Vec<Made>, Failure>,
    ) -> Result<Self::Part, Failure>;
}

/// The number of a piece, what it is, and what is left of it.
pub type Landed<T> = (u64, Result<(Share, T), Failure>);

/// One GPU.
pub struct Lane<'a> {
    gpu: &'a Gpu,
    kernels: Vec<Kernel>,
    unpack: Unpack,
    slots: [Slot; 2],
    readers: Readers,
}

impl<'a> Lane<'a> {
    /// One of so many GPUs, with its kernels and room for pieces.
    pub fn new(
        (gpu, gpus): (&'a Gpu, usize),
        kernels: Vec<Kernel>,
        work: &[Work],
        room: Room,
    ) -> Result<Self, Failure> {
        gpu.attempt(|| {
            let slot = |number| Slot::new(gpu, number, room, kernels.len());
            let slots = [slot(0)?, slot(1)?];
            Ok(Lane { gpu, unpack: Unpack::new(gpu, work), slots, kernels, readers: Readers::new(gpus)? })
        })
    }

    /// The reductions that it has compiled.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Takes pieces until there is no more, or one fails, and tells `done` of each.
    pub fn run<J: Job>(&mut self, feed: &Feed<'_>, job: &J, done: &Sender<Landed<J::Part>>) {
        let Lane { gpu, kernels, unpack, slots, readers } = self;
        let (gpu, is_looked_at) = (*gpu, job.steps().is_looked_at);
        let (empty, to_fill) = mpsc::channel::<&mut Slot>();
        let (full, to_reduce) = mpsc::channel();
        let reduce = |slot: &mut Slot, share: &Share| {
            gpu.attempt(|| slot.launch(gpu, kernels, unpack, job.steps(), share))?;
            let made = || gpu.attempt(|| slot.collect(gpu));
            job.part(kernels, share, &slot.kept(share, job.steps()), made)
        };
        thread::scope(move |scope| {
            scope.spawn(move || {
                for slot in to_fill {
                    let Some((number, read)) = feed.next(slot, readers, is_looked_at) else { break };
                    // Nobody listens after an error.
                    let _ = full.send((number, read.map(|share| (share, slot))));
                }
            });
            for slot in slots {
                let _ = empty.send(slot);
            }
            for (number, read) in to_reduce {
                let part = read.and_then(|(share, slot)| {
                    let part = reduce(slot, &share)?;
                    let _ = empty.send(slot);
                    Ok((share, part))
                });
                let has_failed = part.is_err();
                let _ = done.send((number, part));
                if has_failed {
                    break;
                }
            }
            // The thread that reads lives as long as `empty`, which is dropped here.
        });
    }
}
