//! What reduces pieces on one GPU: compiled kernels, the memory that pieces pass through, and threads.
//!
//! Two threads ask for pieces and have them read to where the GPU copies them from: while the last of one piece are read, the next one has
//! begun. A third has what was read copied and reduced, brings the outcome to the host, and hands the memory back.

use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::feed::Feed;
use super::file::Work;
use super::fill::Readers;
use super::layout::Share;
use super::slot::{Kernel, Room, Slot};
use super::steps::{Left, Steps};
use super::unpack::Unpack;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// Threads that ask for pieces.
const ASKING: usize = 2;

/// Sets of memory for a piece: one for each thread that asks, and one that the GPU has.
const SLOTS: usize = ASKING + 1;

/// The number of a piece, what it is, and what is left of it.
pub type Landed<T = Vec<Left>> = (u64, Result<(Share, T), Failure>);

/// One GPU.
pub struct Lane<'a> {
    gpu: &'a Gpu,
    kernels: Vec<Kernel>,
    unpack: Unpack,
    slots: Vec<Slot>,
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
            let slots = (0..SLOTS).map(|number| Slot::new(gpu, number, room, kernels.len()));
            let slots = slots.collect::<Result<_, _>>()?;
            Ok(Lane { gpu, unpack: Unpack::new(gpu, work), slots, kernels, readers: Readers::new(gpus)? })
        })
    }

    /// The reductions that it has compiled.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Takes pieces until there is no more, and tells `done` of each. After one that fails it takes none.
    pub fn run(&mut self, feed: &Feed<'_>, steps: &Steps<'_>, done: &Sender<Landed>) {
        let Lane { gpu, kernels, unpack, slots, readers } = self;
        let (gpu, readers) = (*gpu, &*readers);
        let (empty, to_fill) = mpsc::channel::<&mut Slot>();
        let (full, to_reduce) = mpsc::channel();
        for slot in slots {
            let _ = empty.send(slot);
        }
        let to_fill = &Mutex::new(to_fill);
        let reduce = |slot: &mut Slot, share: Share| {
            gpu.attempt(|| slot.launch(gpu, kernels, unpack, steps, &share))?;
            let made = || gpu.attempt(|| slot.collect(gpu));
            let left = steps.left(kernels, &share, &slot.kept(&share, steps), made)?;
            Ok((share, left))
        };
        thread::scope(move |scope| {
            for _ in 0..ASKING {
                let full = full.clone();
                scope.spawn(move || {
                    let _end = feed.ahead().until_dropped();
                    let next = || to_fill.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    while let Ok(slot) = next() {
                        let Some((number, read)) = feed.next(slot, readers, steps.is_looked_at) else {
                            break;
                        };
                        let _ = full.send((number, read, slot));
                    }
                });
            }
            drop(full);
            let _end = feed.ahead().until_dropped();
            for (number, read, slot) in to_reduce {
                let left = read.and_then(|share| reduce(slot, share));
                if left.is_err() {
                    feed.ahead().stop();
                }
                // Nobody listens after an error, or asks for memory after the end.
                let _ = done.send((number, left));
                let _ = empty.send(slot);
            }
        });
    }
}
