//! A buffer between the host and a GPU that is kept, and mapped again and again.
//!
//! `Queue::write_buffer` makes a buffer for each call: once the allocator's blocks are full, each call frees and allocates one, which takes
//! milliseconds.

use std::io;
use std::ops::RangeBounds;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use halofold::read;
use halofold::wgpu::{self, Buffer, BufferUsages, BufferView, COPY_BUFFER_ALIGNMENT, Device, MapMode};
use rayon::prelude::*;

use crate::error::WorkerError;
use crate::threads::with_few_threads;

/// Bytes that a thread copies at once: one thread copies slower than a bus, and less is not worth another thread.
const PART: u64 = 1 << 18;

const ASKED: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// A buffer that is kept, the host's while it is mapped and the GPU's otherwise.
///
/// One that the host writes may lie in the GPU's memory, where the processor's caches do not reach: it is written once, front to back, and
/// never read.
#[derive(Debug)]
pub(crate) struct Staging {
    buffer: Buffer,
    mode: MapMode,
    state: Arc<AtomicU8>,
}

impl Staging {
    /// Creates a buffer of `size` bytes that the host reads or writes. It is not mapped yet.
    pub(crate) fn new(device: &Device, label: &str, size: u64, mode: MapMode) -> Self {
        let usage = match mode {
            MapMode::Read => BufferUsages::MAP_READ | BufferUsages::COPY_DST,
            MapMode::Write => BufferUsages::MAP_WRITE | BufferUsages::COPY_SRC,
        };
        let label = Some(label);
        let buffer =
            device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false });
        Staging { buffer, mode, state: Arc::default() }
    }

    /// The buffer, for the copy from it or to it.
    pub(crate) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Asks for it. It is mapped once the submissions so far that use it are done.
    pub(crate) fn ask(&self) {
        self.state.store(ASKED, Ordering::Release);
        let state = self.state.clone();
        self.buffer.map_async(self.mode, .., move |result| {
            state.store(if result.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
        });
    }

    /// Waits until it is mapped, after the submissions that use it are done.
    ///
    /// # Errors
    ///
    /// The device is lost.
    pub(crate) fn wait(&self, device: &Device) -> Result<(), WorkerError> {
        loop {
            match self.state.load(Ordering::Acquire) {
                MAPPED => return Ok(()),
                FAILED => return Err(lost()),
                _ => {}
            }
            // Another thread may have polled at the same time and be running the callbacks.
            read::poll(device)?;
            thread::yield_now();
        }
    }

    /// The bytes that the GPU has copied to it, or the first of them.
    ///
    /// # Errors
    ///
    /// The device is lost, or this is not mapped.
    pub(crate) fn view(&self, bytes: impl RangeBounds<u64>) -> Result<BufferView, WorkerError> {
        self.buffer.get_mapped_range(bytes).map_err(|_| lost())
    }

    /// Fills the first bytes of it, many of them by several threads: `fill` gets the number of bytes before its part, and the part. To read there may
    /// be a hundred times slower than elsewhere.
    pub(crate) fn fill(
        &self,
        bytes: u64,
        fill: impl Fn(u64, &mut [u8]) -> io::Result<()> + Sync,
    ) -> Result<(), WorkerError> {
        let part = |start: u64| {
            let len = (bytes - start).min(PART);
            let words = start..start + len.next_multiple_of(COPY_BUFFER_ALIGNMENT);
            let mut view = self.buffer.get_mapped_range_mut(words).map_err(|_| lost())?;
            let place = view.slice(..).as_raw_element_ptr();
            // SAFETY: wgpu has set this memory to zeros before it was mapped first, the view is the only one of it, and nobody uses atomics.
            let part = unsafe { slice::from_raw_parts_mut(place.as_ptr(), len as usize) };
            fill(start, part).map_err(WorkerError::file)
        };
        if bytes <= PART {
            return if bytes == 0 { Ok(()) } else { part(0) };
        }
        let parts: Vec<_> = (0..bytes).step_by(PART as usize).collect();
        with_few_threads(|| parts.into_par_iter().try_for_each(part))
    }

    /// Gives it back to the GPU.
    pub(crate) fn unmap(&self) {
        self.buffer.unmap();
    }
}

fn lost() -> WorkerError {
    WorkerError::Device("the device was lost".to_owned())
}
