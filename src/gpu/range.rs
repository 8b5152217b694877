//! Ranges of buffers, without the buffers: what plans are made of.

/// A part of an input without its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferRange {
    /// Its offset in bytes from the start of the buffer: any multiple of the element's size. At a multiple of
    /// four elements (16 bytes of `f32`) all elements are loaded as vectors. At other offsets up to six
    /// elements are loaded singly.
    pub offset: u64,
    /// Its length in elements. A strided reduction counts only the elements taken.
    pub len: u64,
}

/// A range of a buffer, in bytes, that a binding may have. It starts at a multiple of
/// `min_storage_buffer_offset_alignment` and is a whole number of words of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its length.
    pub size: u64,
}

impl ByteRange {
    /// The offset one past its last byte.
    pub const fn end(self) -> u64 {
        self.offset + self.size
    }
}
