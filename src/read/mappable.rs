//! A buffer that the host can map, and whether a request holds it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wgpu::{Buffer, BufferUsages, Device};

use super::{ReadError, Reading};

/// A buffer with [`BufferUsages::MAP_READ`].
#[derive(Debug)]
pub(super) struct Mappable {
    device: Device,
    buffer: Buffer,
    /// True while a [`Reading`] holds the buffer.
    is_asked: Arc<AtomicBool>,
}

impl Mappable {
    /// Allocates `size` bytes, rounded up to words of four bytes, with these additional usages.
    pub(super) fn new(
        device: &Device,
        label: &str,
        size: u64,
        usage: BufferUsages,
    ) -> Result<Self, ReadError> {
        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
            label: Some(label),
            size: room(device, size)?,
            usage: BufferUsages::MAP_READ | usage,
            mapped_at_creation: false,
        });
        Ok(Mappable { device: device.clone(), buffer, is_asked: Arc::default() })
    }

    pub(super) fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// Checks that no request holds the buffer, so that the device may write it.
    pub(super) fn check_free(&self) -> Result<(), ReadError> {
        if self.is_asked.load(Ordering::Acquire) { Err(ReadError::Busy) } else { Ok(()) }
    }

    /// Requests the first `size` bytes.
    pub(super) fn ask(&self, size: u64) -> Reading {
        let room = self.buffer.size();
        if size > room {
            return Reading::refused(ReadError::Room { size, room });
        }
        if self.is_asked.swap(true, Ordering::AcqRel) {
            return Reading::refused(ReadError::Busy);
        }
        Reading::of(&self.device, &self.buffer, size, self.is_asked.clone())
    }
}

/// The size of a buffer for `size` bytes, if the device allows one that large.
pub(super) fn room(device: &Device, size: u64) -> Result<u64, ReadError> {
    let limit = device.limits().max_buffer_size;
    let words = size.max(1).checked_next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    words.filter(|room| *room <= limit).ok_or(ReadError::TooLarge { size, limit })
}
