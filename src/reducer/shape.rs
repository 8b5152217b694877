//! What is one result made of: everything, or a part.

/// Which elements make which result.
///
/// Dispatches are given for inputs that one binding holds. A larger input takes one dispatch more for each further
/// binding (`max_storage_buffer_binding_size` bytes, at most 2 GiB) in place of one over all of it; [`Shape::Whole`] of one
/// input for every second one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// All elements, of one buffer or several: one result.
    ///
    /// One dispatch, no scratch memory, and a notice board of an accumulator for each workgroup: at most a few
    /// ten thousand bytes.
    Whole,
    /// All elements, combined with what the output holds: one result, added to by call after call.
    ///
    /// Each workgroup takes its share to the output by one atomic operation. Nothing has to meet at the end, which is what a
    /// small reduction spends most of its time on; but the order of those operations is the hardware's: **float sums are not the
    /// same bits every time**. Integers are. The output is yours to set, to 0 for a sum, in front of the first call.
    ///
    /// For operators that are one atomic operation and have nothing left to [`finish`](crate::reducer::Monoid::custom), by
    /// [`Monoid::accumulates`](crate::reducer::Monoid::accumulates).
    ///
    /// One dispatch and no scratch memory.
    Accumulate,
    /// Every `stride`-th element from the first on: one result. An input's length counts the elements taken.
    ///
    /// One dispatch; memory as for [`Shape::Whole`]. One buffer.
    Strided {
        /// From one element to the next, in elements: at least 1.
        stride: u64,
    },
    /// Segments of `len` elements each, one after the other: one result each.
    ///
    /// The rows of a row-major matrix are segments of its number of columns.
    ///
    /// One dispatch and no scratch memory; if there are few long segments, so that they are cut into chunks, one dispatch
    /// more and an accumulator for each chunk: about two thousand of them.
    Segments {
        /// Elements of one segment; the input is a whole number of them.
        len: u64,
    },
    /// Segments between neighbours of a list of `count + 1` ascending offsets, which lies on the GPU as `u32`: result
    /// `i` is made of the elements from `offsets[i]` to `offsets[i + 1]`, an empty one of nothing. The list is
    /// [`Source::with_offsets`](crate::reducer::Source::with_offsets).
    ///
    /// Lengths may differ as they like. Offsets that do not ascend or lie beyond the input give unspecified results, but
    /// nothing outside of the input is ever read, nor outside of the output written.
    ///
    /// One dispatch if the input has at most 2^14 elements, else three; an accumulator and 16 bytes of marks for every
    /// 2^14 elements. (Where a binding holds less than 2^15 elements, the largest power of two of which it holds two
    /// stands in place of 2^14.)
    Offsets {
        /// Segments.
        count: u64,
    },
    /// The middle axis of a row-major array `[outer, len, inner]`, which leaves `[outer, inner]`: see [`Shape::axis`].
    ///
    /// The columns of a row-major matrix `[rows, columns]` are `outer` = 1, `len` = rows, `inner` = columns. `map` is given
    /// positions along the axis.
    ///
    /// One dispatch and no scratch memory; if there are few columns and a long axis, so that it is cut into chunks, one
    /// dispatch more and an accumulator for each chunk of each column. A row (`inner` elements) must fit a binding.
    Axis {
        /// Elements of the axes in front, multiplied.
        outer: u64,
        /// Elements of the axis that is reduced.
        len: u64,
        /// Elements of the axes behind, multiplied.
        inner: u64,
    },
}

/// What a [`Reducer`](crate::reducer::Reducer) is compiled for: the shapes of one kind, whatever their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// [`Shape::Whole`].
    Whole,
    /// [`Shape::Accumulate`].
    Accumulate,
    /// [`Shape::Strided`].
    Strided,
    /// [`Shape::Segments`].
    Segments,
    /// [`Shape::Offsets`].
    Offsets,
    /// [`Shape::Axis`], and [`Shape::Segments`] as arrays of one column.
    Axis,
}

impl Form {
    /// Every form.
    pub const ALL: [Form; 6] =
        [Form::Whole, Form::Accumulate, Form::Strided, Form::Segments, Form::Offsets, Form::Axis];
}

impl Shape {
    /// The middle axis of a row-major array `[outer, len, inner]`: segments if `inner` is 1.
    ///
    /// An axis of an array of more dimensions is the middle one if those in front are multiplied, and those behind.
    pub const fn axis(outer: u64, len: u64, inner: u64) -> Self {
        if inner == 1 { Shape::Segments { len } } else { Shape::Axis { outer, len, inner } }
    }

    /// The form that a reducer for this shape has.
    pub const fn form(self) -> Form {
        match self {
            Shape::Whole => Form::Whole,
            Shape::Accumulate => Form::Accumulate,
            Shape::Strided { .. } => Form::Strided,
            Shape::Segments { .. } => Form::Segments,
            Shape::Offsets { .. } => Form::Offsets,
            Shape::Axis { .. } => Form::Axis,
        }
    }
}
