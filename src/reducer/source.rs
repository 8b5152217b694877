//! Which elements are reduced, and where they lie.

use wgpu::Buffer;

use crate::reduce::Input;
use crate::reducer::plan::Extent;

/// What is reduced: one input, several that count as one, or two whose elements are mapped in pairs.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub(super) parts: &'a [Input<'a>],
    pub(super) second: Option<Input<'a>>,
    pub(super) offsets: Option<Position<'a>>,
    pub(super) count: Option<Position<'a>>,
}

/// A place in a buffer of the caller's.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// A buffer with [`wgpu::BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// In bytes.
    pub offset: u64,
}

impl<'a> Source<'a> {
    /// The elements of one buffer, or of several, one after the other.
    pub const fn of(parts: &'a [Input<'a>]) -> Self {
        Source { parts, second: None, offsets: None, count: None }
    }

    /// The elements of two buffers in pairs, for an operator of two inputs.
    pub const fn pairs(first: &'a [Input<'a>; 1], second: Input<'a>) -> Self {
        Source { parts: first, second: Some(second), offsets: None, count: None }
    }

    /// The same between offsets, for [`Shape::Offsets`](crate::reducer::Shape::Offsets): a list of `u32`, one more than there are segments, in elements
    /// from the input's first one on. It starts at a multiple of `min_storage_buffer_offset_alignment`.
    pub const fn with_offsets(self, offsets: Position<'a>) -> Self {
        Source { offsets: Some(offsets), ..self }
    }

    /// The same with a number of elements that the GPU knows: a `u32` at a multiple of 4 bytes, which some earlier
    /// dispatch may have written. The first so many elements are reduced, at most all that the inputs have.
    ///
    /// For [`Shape::Whole`](crate::reducer::Shape::Whole), [`Shape::Accumulate`](crate::reducer::Shape::Accumulate) and
    /// [`Shape::Strided`](crate::reducer::Shape::Strided). Costs one dispatch of one workgroup more, and waiting for it.
    pub const fn with_count(self, count: Position<'a>) -> Self {
        Source { count: Some(count), ..self }
    }

    /// Where the parts are, without their buffers.
    pub(super) fn extents(&self) -> (Vec<Extent>, Option<Extent>) {
        let extent = |input: &Input<'_>| Extent { offset: input.offset, len: input.len };
        (self.parts.iter().map(extent).collect(), self.second.as_ref().map(extent))
    }
}
