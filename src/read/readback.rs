//! Readback by a copy, of any size and from any buffer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use super::reading::Asked;
use super::{ReadError, Reading};

/// A host-readable buffer to which results are copied. It can be used any number of times, with one request for its bytes at a time.
///
/// It keeps the device alive. It is `Send` and `Sync`.
#[derive(Debug)]
pub struct Readback {
    device: Device,
    /// The buffer that is mapped, unless it would be too large.
    buffer: Result<Buffer, ReadError>,
    /// True while a [`Reading`] holds the buffer.
    is_asked: Arc<AtomicBool>,
}

impl Readback {
    /// Allocates `size` bytes, rounded up to words of four bytes. If this exceeds the device's largest
    /// buffer, nothing is allocated, and all methods of the readback return [`ReadError::TooLarge`].
    pub fn new(device: &Device, size: u64) -> Self {
        Readback::labelled(device, "halofold::read::readback", size, BufferUsages::COPY_DST)
    }

    pub(super) fn labelled(device: &Device, label: &str, size: u64, usage: BufferUsages) -> Self {
        let limit = device.limits().max_buffer_size;
        let words = size.max(1).checked_next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        let room = words.filter(|room| *room <= limit).ok_or(ReadError::TooLarge { size, limit });
        let buffer = |size| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(label),
                size,
                usage: BufferUsages::MAP_READ | usage,
                mapped_at_creation: false,
            })
        };
        Readback { device: device.clone(), buffer: room.map(buffer), is_asked: Arc::default() }
    }

    pub(super) fn buffer(&self) -> Result<&Buffer, ReadError> {
        self.buffer.as_ref().map_err(Clone::clone)
    }

    /// The buffer, if no request holds it, so that the device may write it.
    pub(super) fn free_buffer(&self) -> Result<&Buffer, ReadError> {
        let buffer = self.buffer()?;
        if self.is_asked.load(Ordering::Acquire) { Err(ReadError::Busy) } else { Ok(buffer) }
    }

    /// Records a copy of `size` bytes of `source`, starting at byte `offset`. Both are multiples of four. This allocates nothing.
    ///
    /// # Errors
    ///
    /// - `source` lacks [`BufferUsages::COPY_SRC`].
    /// - One of the two buffers is too short.
    /// - A number is not a multiple of four.
    /// - An earlier [`Reading`] still holds the buffer.
    pub fn encode(
        &self,
        encoder: &mut CommandEncoder,
        source: &Buffer,
        offset: u64,
        size: u64,
    ) -> Result<(), ReadError> {
        self.encode_behind(0, encoder, source, offset, size)
    }

    /// Records a copy to byte `at` of the readback, so that one readback can gather several results. `at` is a multiple of four.
    ///
    /// # Errors
    ///
    /// See [`Readback::encode`].
    pub fn encode_behind(
        &self,
        at: u64,
        encoder: &mut CommandEncoder,
        source: &Buffer,
        offset: u64,
        size: u64,
    ) -> Result<(), ReadError> {
        let target = self.free_buffer()?;
        if !source.usage().contains(BufferUsages::COPY_SRC) {
            return Err(ReadError::Usage);
        }
        if [at, offset, size].iter().any(|bytes| !bytes.is_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT)) {
            return Err(ReadError::Misaligned { at, offset, size });
        }
        let fits = |start: u64, room: u64| start.checked_add(size).is_some_and(|end| end <= room);
        if !fits(offset, source.size()) || !fits(at, target.size()) {
            return Err(ReadError::TooShort {
                offset,
                size,
                source_size: source.size(),
                room: target.size().saturating_sub(at),
            });
        }
        encoder.copy_buffer_to_buffer(source, offset, target, at, size);
        Ok(())
    }

    /// Waits for everything submitted to the device, and returns the first `size` bytes, which may be any
    /// number up to the readback's size. It blocks and sleeps, and has no time limit: use it in tools.
    ///
    /// # Errors
    ///
    /// - The readback has fewer bytes.
    /// - The device is lost.
    /// - An earlier [`Reading`] still holds the buffer.
    /// - The program runs in a browser, where only [`Readback::read`] works.
    pub fn wait(&self, size: u64) -> Result<Vec<u8>, ReadError> {
        self.read(size).wait_with(<[u8]>::to_vec)
    }

    /// Waits as [`Readback::wait`] does, and copies the first bytes into memory of yours, which they fill: numbers, or structs that are
    /// declared as the shader declares them. Nothing is allocated for them.
    ///
    /// # Errors
    ///
    /// See [`Readback::wait`].
    pub fn wait_into<T: bytemuck::Pod>(&self, target: &mut [T]) -> Result<(), ReadError> {
        let target: &mut [u8] = bytemuck::cast_slice_mut(target);
        self.read(target.len() as u64).wait_with(|bytes| target.copy_from_slice(bytes))
    }

    /// Requests the first `size` bytes without blocking. The returned [`Reading`] is a future; in a frame loop, call [`Reading::try_take`] instead.
    ///
    /// The request does not borrow the readback. Dropping it before it completes releases the buffer. If the readback has fewer bytes, or an earlier
    /// request holds the buffer, the [`Reading`] completes with that error.
    pub fn read(&self, size: u64) -> Reading {
        Reading { asked: self.ask(size) }
    }

    fn ask(&self, size: u64) -> Result<Asked, ReadError> {
        let buffer = self.buffer()?;
        let room = buffer.size();
        if size > room {
            return Err(ReadError::Room { size, room });
        }
        if self.is_asked.swap(true, Ordering::AcqRel) {
            return Err(ReadError::Busy);
        }
        Ok(Asked::new(&self.device, buffer, size, self.is_asked.clone()))
    }
}

/// Records an operation and copies of the first bytes of some buffers, in whole words, to the host, where they lie one after the other, and submits all.
pub(crate) fn submit(
    (device, queue): (&Device, &Queue),
    copies: &[(&Buffer, u64)],
    record: impl FnOnce(&mut CommandEncoder),
) -> Result<Readback, ReadError> {
    let words = |size: u64| size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let readback = Readback::new(device, copies.iter().map(|(_, size)| words(*size)).sum());
    let label = Some("halofold::read::submit");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
    record(&mut encoder);
    let mut at = 0;
    for (buffer, size) in copies {
        readback.encode_behind(at, &mut encoder, buffer, 0, words(*size))?;
        at += words(*size);
    }
    queue.submit([encoder.finish()]);
    Ok(readback)
}
