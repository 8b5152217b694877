//! Shapes: which elements make up one result.

/// The elements that make up each result.
///
/// All lengths, strides and counts are in elements. The output holds the results in the order of their
/// segments or columns, [`Monoid::out_size`](crate::reduce::Monoid::out_size) bytes apart.
/// [`Op`](crate::reduce::Op) defines the result of an empty input. For your own operator it is
/// `finish(identity(), 0)`.
///
/// [The table of costs](crate::reduce#cost) has the dispatches and the memory of each. All parts of an input together have at most 2^32 - 1 elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// All elements of one buffer or several: one result, which replaces the value in the output. Each of several buffers takes at least one dispatch.
    Whole,
    /// All elements, combined with the value that the output holds: one result, to which every call adds.
    ///
    /// Each workgroup adds its partial result to the output by one atomic operation. Workgroups need not synchronize at the end, which takes most of
    /// the time of a small reduction. But the hardware decides the order of the atomic operations: **float sums may have different bits every time**.
    /// Integers have the same bits.
    ///
    /// Before the first call you set the output to the operator's result for an empty input. This is 0 for sums, counts and norms: a new wgpu buffer
    /// holds zeros, and [`wgpu::CommandEncoder::clear_buffer`] writes them again. For the other operators see [`Op`](crate::reduce::Op). Any other
    /// value counts as one more element. An empty input leaves the output as it is (but a -0 may become +0). Recording the same reduction again adds
    /// the same elements again.
    ///
    /// This shape needs an operator that one atomic operation carries out and whose [`finish`](crate::reduce::Monoid::custom) changes nothing.
    /// [`Monoid::accumulates`](crate::reduce::Monoid::accumulates) tells which these are, and what the device needs. Other operators return
    /// [`Error::Setting`](crate::Error::Setting).
    ///
    /// ```
    /// use halofold::{Compiled, Element, Options};
    /// use halofold::reduce::{Op, Reduce};
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let elements = buffer(bytemuck::cast_slice(&[1.5f32; 1000]));
    /// # let total = buffer(&[0; 4]);
    /// # let readback = halofold::read::Readback::new(&device, 4);
    /// // Counts the nonzero elements.
    /// let count = Compiled::new(&device, Reduce::new(Op::CountNonzero.over(Element::F32)?), &Options::default())?;
    /// let counting = count.of(&elements).accumulate().bind(&total)?;
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// encoder.clear_buffer(&total, 0, None);
    /// counting.encode(&mut encoder);
    /// counting.encode(&mut encoder); // the total is now twice as large
    /// # readback.encode(&mut encoder, &total, 0, 4)?;
    /// # queue.submit([encoder.finish()]);
    /// # assert_eq!(readback.wait(4)?, 2000u32.to_le_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    Accumulate,
    /// Every `stride`-th element, starting with the first: one result. Use it for a column of a matrix or for one channel of pixels. The length of an
    /// input counts only the elements taken, and `map` receives positions among those. Each input must be one buffer.
    Strided {
        /// The distance from one element to the next, in elements: 1 to 2^32 - 1.
        stride: u64,
    },
    /// Consecutive segments of `len` elements each: one result per segment.
    ///
    /// For the rows of a row-major matrix, `len` is the number of columns. `map` receives positions in the segment.
    Segments {
        /// Elements of one segment: at least 1. The input must be a whole number of segments.
        len: u64,
    },
    /// Segments between neighbouring offsets: one result per segment. The offsets are a list of `count + 1`
    /// ascending `u32` on the GPU, given by [`Reduction::segment_offsets`](crate::reduce::Reduction::segment_offsets). Result
    /// `i` is made of the elements from `offsets[i]` up to, but not including, `offsets[i + 1]`. An empty
    /// range gives the result of an empty input.
    ///
    /// Segments may have different lengths. Elements before the first offset or after the last belong to no result. Offsets that do not ascend or
    /// that exceed the input give unspecified results; but nothing outside the input is ever read, and nothing outside the output is written. `map`
    /// receives positions in the segment.
    Offsets {
        /// The number of segments: at most 2^32 - 2. The list has one more offset.
        count: u64,
    },
    /// The middle axis of a row-major array `[outer, len, inner]`. The results are an array `[outer, inner]`: see [`Shape::axis`].
    ///
    /// For the columns of a row-major matrix `[rows, columns]`, set `outer` = 1, `len` = rows, `inner` = columns. `map` receives positions along the axis.
    ///
    /// A row must fit a binding: `inner` elements, accumulators and results.
    Axis {
        /// The product of the lengths of the axes before it: 1 if there are none.
        outer: u64,
        /// The length of the axis that is reduced: at least 1.
        len: u64,
        /// The product of the lengths of the axes after it: at least 1.
        inner: u64,
    },
}

/// A shape without its numbers. Shapes of one form run the same kernels.
///
/// [What a device needs](crate::reduce#what-a-device-needs) depends on the form. [`ShapeKind::Whole`] has up to four compute pipelines,
/// [`ShapeKind::Strided`] one, the others up to three, of exact sums thirteen. Each is compiled when a reduction first dispatches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShapeKind {
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
    /// [`Shape::Axis`].
    Axis,
}

impl ShapeKind {
    /// All forms.
    pub const ALL: [ShapeKind; 6] = [
        ShapeKind::Whole,
        ShapeKind::Accumulate,
        ShapeKind::Strided,
        ShapeKind::Segments,
        ShapeKind::Offsets,
        ShapeKind::Axis,
    ];
}

impl Shape {
    /// The shape of the middle axis of a row-major array `[outer, len, inner]`: [`Shape::Segments`] if
    /// `inner` is 1, otherwise [`Shape::Axis`].
    ///
    /// For an array with more dimensions, `outer` is the product of the dimensions before the axis, and
    /// `inner` the product of those after it.
    pub const fn axis(outer: u64, len: u64, inner: u64) -> Self {
        if inner == 1 { Shape::Segments { len } } else { Shape::Axis { outer, len, inner } }
    }

    /// The kind of this shape.
    pub const fn kind(self) -> ShapeKind {
        match self {
            Shape::Whole => ShapeKind::Whole,
            Shape::Accumulate => ShapeKind::Accumulate,
            Shape::Strided { .. } => ShapeKind::Strided,
            Shape::Segments { .. } => ShapeKind::Segments,
            Shape::Offsets { .. } => ShapeKind::Offsets,
            Shape::Axis { .. } => ShapeKind::Axis,
        }
    }
}
