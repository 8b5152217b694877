//! A place in a buffer of the caller's.

use wgpu::{Buffer, BufferSlice};

/// A range of a buffer, in bytes: elements to reduce, keys to count, offsets, a count, or the place where results go.
///
/// Made of a whole buffer (`&buffer`), of a wgpu slice (`buffer.slice(256..1024)`), or by [`Slice::new`], which checks nothing: what
/// is beyond a buffer's end is an error of whoever takes the slice, never a panic. The buffer needs [`wgpu::BufferUsages::STORAGE`].
#[derive(Clone, Copy, Debug)]
pub struct Slice<'a> {
    buffer: &'a Buffer,
    offset: u64,
    size: u64,
}

impl<'a> Slice<'a> {
    /// `size` bytes from byte `offset` of a buffer on.
    pub const fn new(buffer: &'a Buffer, offset: u64, size: u64) -> Self {
        Slice { buffer, offset, size }
    }

    /// Everything from byte `offset` of a buffer on.
    pub fn at(buffer: &'a Buffer, offset: u64) -> Self {
        Slice { buffer, offset, size: buffer.size().saturating_sub(offset) }
    }

    /// The buffer.
    pub const fn buffer(&self) -> &'a Buffer {
        self.buffer
    }

    /// The first byte, counted from the buffer's start.
    pub const fn offset(&self) -> u64 {
        self.offset
    }

    /// How many bytes there are.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// One past the last byte.
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
