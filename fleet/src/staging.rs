//! A buffer between the host and a GPU that is kept, and mapped again and again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;

use halofold::read;
use halofold::wgpu::{self, Buffer, BufferUsages, BufferView, BufferViewMut, Device, MapMode};

use crate::error::WorkerError;

/// Bytes that are worth a thread: one thread copies slower than a bus.
const PART: usize = 2 << 20;
/// Threads of a copy, at most: more are not faster.
const THREADS: usize = 4;

const ASKED: u8 = 0;
const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// A buffer that is the host's while it is mapped, and the GPU's otherwise.
#[derive(Debug)]
pub(crate) struct Staging {
    buffer: Buffer,
    mode: MapMode,
    state: Arc<AtomicU8>,
}

impl Staging {
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

    /// Whether it is mapped by now.
    pub(crate) fn is_mapped(&self) -> Result<bool, WorkerError> {
        match self.state.load(Ordering::Acquire) {
            FAILED => Err(lost()),
            state => Ok(state == MAPPED),
        }
    }

    /// Waits until it is mapped, after the submissions that use it are done.
    pub(crate) fn wait(&self, device: &Device) -> Result<(), WorkerError> {
        while !self.is_mapped()? {
            // Another thread may have polled at the same time and be running the callbacks.
            read::poll(device)?;
            thread::yield_now();
        }
        Ok(())
    }

    /// What the GPU has copied to it.
    pub(crate) fn view(&self) -> Result<BufferView, WorkerError> {
        self.buffer.get_mapped_range(..).map_err(|_| lost())
    }

    /// What the GPU will copy from it.
    pub(crate) fn view_mut(&self) -> Result<BufferViewMut, WorkerError> {
        self.buffer.get_mapped_range_mut(..).map_err(|_| lost())
    }

    /// Copies all that the GPU will read to it, much of it by several threads.
    pub(crate) fn fill(&self, bytes: &[u8]) -> Result<(), WorkerError> {
        let parts = (bytes.len() / PART).clamp(1, THREADS);
        let each = bytes.len().div_ceil(parts).next_multiple_of(wgpu::MAP_ALIGNMENT as usize).max(8);
        let part = |nth: usize, piece: &[u8]| {
            let begin = (nth * each) as u64;
            let view = self.buffer.get_mapped_range_mut(begin..begin + piece.len() as u64);
            view.map_err(|_| lost())?.copy_from_slice(piece);
            Ok(())
        };
        let mut pieces = bytes.chunks(each).enumerate();
        let Some((_, first)) = pieces.next() else { return Ok(()) };
        thread::scope(|scope| {
            let others: Vec<_> = pieces.map(|(nth, piece)| scope.spawn(move || part(nth, piece))).collect();
            part(0, first)?;
            others.into_iter().try_for_each(|other| other.join().expect("a copy does not panic"))
        })
    }

    /// Gives it back to the GPU.
    pub(crate) fn unmap(&self) {
        self.buffer.unmap();
    }
}

fn lost() -> WorkerError {
    WorkerError::Device("the device was lost".to_owned())
}
