//! Reading a piece to where a GPU copies it from, by several threads at once.
//!
//! That memory may be the GPU's own: the processor writes it past its caches, and must not read it. A file's elements are read straight to
//! it. Those that are swapped, widened or made to a mask, and those of streams, are read to a little memory that stays in a thread's cache, and
//! copied on from there. Where the host looks at the elements as well, they are read to memory of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use halofold::wgpu;
use halofold_fleet::Staging;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::failure::Failure;
use crate::files::{InputError, Source};

/// Bytes that a thread reads at once, a multiple of every element's size.
const CHUNK: usize = 256 << 10;

/// Threads that read for one GPU, at most: one copies some 2 GB/s out of the system's cache of files, and a bus takes 30.
const MOST_THREADS: usize = 16;

/// The threads that read for one GPU.
pub struct ReadThreads {
    pool: ThreadPool,
    /// The memory that each of them reads to, the last one in order.
    bounces: Vec<Mutex<Vec<u8>>>,
}

/// A part of a piece of one source.
pub struct Chunk<'a> {
    /// The number of the source, and its first element in the piece.
    source: usize,
    first: u64,
    /// The number of bytes, and that of an element.
    bytes: usize,
    size: usize,
    /// The position in this from which the GPU copies it.
    staging: &'a Staging,
    at: u64,
    /// The position at which the host looks at it, if it does.
    kept: Option<&'a mut [u8]>,
}

/// Cuts a piece of `elements` elements of this many bytes: each source's in turn, from its start to its end.
pub fn cut<'a>(
    staging: &'a [Staging],
    kept: &'a mut [Vec<u64>],
    (elements, size): (u64, u64),
) -> Vec<Chunk<'a>> {
    let [all, size] = [elements * size, size].map(|bytes| bytes as usize);
    let mut kept = kept.iter_mut();
    let mut chunks = Vec::new();
    for (source, staging) in staging.iter().enumerate() {
        let mut rest: Option<&mut [u8]> = kept.next().map(|words| bytemuck::cast_slice_mut(words));
        for at in (0..all).step_by(CHUNK) {
            let bytes = CHUNK.min(all - at);
            let kept = rest.as_mut().and_then(|rest| rest.split_off_mut(..in_words(bytes)));
            let first = (at / size) as u64;
            chunks.push(Chunk { source, first, bytes, size, staging, at: at as u64, kept });
        }
    }
    chunks
}

/// Bytes, rounded up to whole words, which a GPU copies.
fn in_words(bytes: usize) -> usize {
    bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT as usize)
}

impl Chunk<'_> {
    /// Fills it by `read`, which looks at nothing if it may be done in place, and returns the number of elements read: fewer at the end of
    /// the file.
    fn fill(
        self,
        bounce: &mut [u8],
        is_in_place: bool,
        mut read: impl FnMut(&mut [u8]) -> Result<usize, InputError>,
    ) -> Result<u64, Failure> {
        let words = in_words(self.bytes);
        let staged = self.at..self.at + words as u64;
        let mut fill = |into: &mut [u8]| {
            let count = read(&mut into[..self.bytes])?;
            // The last word may be longer than the rest of the elements.
            into[count * self.size..].fill(0);
            Ok::<_, InputError>(count as u64)
        };
        if is_in_place && self.kept.is_none() {
            let filled = self.staging.write_in_place(staged.clone(), &mut fill).map_err(Failure::usage)?;
            // Some file systems do not read to a device's memory, and say so. Any other error comes again.
            if let Ok(count) = filled {
                return Ok(count);
            }
        }
        let into = self.kept.unwrap_or(&mut bounce[..words]);
        let count = fill(into).map_err(Failure::usage)?;
        self.staging.view_mut(staged).map_err(Failure::usage)?.copy_from_slice(into);
        Ok(count)
    }
}

impl ReadThreads {
    /// Makes as many as the machine has, for each GPU: those of one that takes no pieces sleep.
    pub fn new() -> Result<Self, Failure> {
        let threads = thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS);
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::usage)?;
        let bounces = (0..=threads).map(|_| Mutex::new(vec![0; CHUNK])).collect();
        Ok(ReadThreads { pool, bounces })
    }

    /// Reads a piece of files, from element `first` on.
    pub fn by_place(&self, chunks: Vec<Chunk<'_>>, files: &[Source], first: u64) -> Result<(), Failure> {
        let chunks = Mutex::new(chunks.into_iter());
        let next = || lock(&chunks).next();
        let read = || {
            let mut bounce = self.bounce();
            while let Some(chunk) = next() {
                let (file, at) = (&files[chunk.source], first + chunk.first);
                chunk.fill(&mut bounce, file.hands_out_as_read(), |into| file.read_at(at, into))?;
            }
            Ok(())
        };
        let failed = Mutex::new(Ok(()));
        // The thread that asks only waits: one of the pool would begin the next piece meanwhile, and not notice the end of this one.
        self.pool.in_place_scope(|scope| {
            for _ in 0..self.pool.current_num_threads() {
                scope.spawn(|_| {
                    if let Err(error) = read() {
                        *lock(&failed) = Err(error);
                        // The others read nothing more.
                        lock(&chunks).by_ref().for_each(drop);
                    }
                });
            }
        });
        failed.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the next elements of each source, and returns their number: fewer where one ends.
    pub fn in_order(&self, chunks: Vec<Chunk<'_>>, sources: &mut [Source]) -> Result<Vec<u64>, Failure> {
        let mut lengths = vec![0; sources.len()];
        let mut bounce = self.bounce();
        for chunk in chunks {
            let (source, length) = (&mut sources[chunk.source], &mut lengths[chunk.source]);
            if *length == chunk.first {
                *length += chunk.fill(&mut bounce, false, |into| source.read(into))?;
            }
        }
        Ok(lengths)
    }

    /// The memory that the asking thread reads to.
    fn bounce(&self) -> MutexGuard<'_, Vec<u8>> {
        lock(&self.bounces[self.pool.current_thread_index().unwrap_or(self.bounces.len() - 1)])
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
