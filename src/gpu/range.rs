//! Ranges of buffers, without the buffers: what plans are made of.

use std::sync::Arc;

use crate::gpu::buffers::BufferError;

/// A part of an input without its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferRange {
    /// Its offset in bytes from the start of the buffer: any multiple of the element's size. At a multiple of four elements (16 bytes of `f32`) all
    /// elements are loaded as vectors. At other offsets up to six elements are loaded singly.
    pub offset: u64,
    /// Its length in elements. A strided reduction counts only the elements taken.
    pub len: u64,
}

/// The rows or segments of an input, in each of which an operation starts over.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cut {
    /// All elements are one row.
    #[default]
    All,
    /// Rows of this many elements: see [`Request::rows`](crate::Request::rows).
    Rows(u64),
    /// Segments between offsets: see [`Request::segment_offsets`](crate::Request::segment_offsets).
    Segments(Arc<[u32]>),
}

/// The elements of an input and, of an operation that takes two, those of the second one.
#[derive(Clone, Copy, Debug)]
pub struct Inputs {
    pub(crate) first: BufferRange,
    pub(crate) second: Option<BufferRange>,
}

impl Inputs {
    /// Both inputs of an operation that takes two.
    pub(crate) fn two(self) -> Result<[BufferRange; 2], BufferError> {
        self.second.map(|second| [self.first, second]).ok_or(BufferError::SecondInput { is_needed: true })
    }
}

/// A range of a buffer, in bytes, that a binding may have. It starts at a multiple of
/// `min_storage_buffer_offset_alignment` and is a whole number of words of four bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
