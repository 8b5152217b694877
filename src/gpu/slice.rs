//! A range of one of the caller's buffers.

use wgpu::{Buffer, BufferSlice};

/// A range of a buffer, in bytes. It holds elements to reduce, keys to count, offsets or a count, or it receives results.
///
/// It is made from a whole buffer (`&buffer`), from a wgpu slice (`buffer.slice(256..1024)`), or by
/// [`Slice::new`]. [`Slice::new`] and [`Slice::at`] check nothing: the function that takes a slice of which a
/// byte or the offset is beyond the buffer's end returns an error, and never panics. The buffer needs [`wgpu::BufferUsages::STORAGE`].
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    buffer: &'a Buffer,
    offset: u64,
    size: u64,
}

impl<'a> Slice<'a> {
    /// The `size` bytes of a buffer that start at byte `offset`.
    pub const fn new(buffer: &'a Buffer, offset: u64, size: u64) -> Self {
        Slice { buffer, offset, size }
    }

    /// All bytes of a buffer from byte `offset` to its end.
    pub fn at(buffer: &'a Buffer, offset: u64) -> Self {
        Slice { buffer, offset, size: buffer.size().saturating_sub(offset) }
    }

    /// The buffer.
    pub const fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    /// The offset of the first byte from the buffer's start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// The number of bytes.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// The offset one past the last byte.
    pub(crate) const fn end(&self) -> u64 {
        self.offset.saturating_add(self.size)
    }
}

impl<'a> From<&'a Buffer> for Slice<'a> {
    fn from(buffer: &'a Buffer) -> Self {
        Slice { buffer, offset: 0, size: buffer.size() }
    }
}

impl<'a> From<BufferSlice<'a>> for Slice<'a> {
    fn from(slice: BufferSlice<'a>) -> Self {
        Slice { buffer: slice.buffer(), offset: slice.offset(), size: slice.size() }
    }
}
