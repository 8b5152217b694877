//! What is one result made of: everything, or a part.

/// Which elements make which result.
///
/// All lengths, strides and counts are in elements. Results lie one after the other in the output,
/// [`Monoid::out_size`](crate::reduce::Monoid::out_size) bytes apart, in the order of their segments or columns. A result of no
/// elements is what [`Op`](crate::reduce::Op) says there, of your own operator `finish(identity(), 0)`.
///
/// Dispatches are given for inputs that one binding holds: [the table of costs](crate::reduce#cost) says what larger ones
/// take. An input has at most 2^32 - 1 elements, all parts together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// All elements, of one buffer or several: one result, which takes the place of what the output held.
    ///
    /// One dispatch, no scratch memory, and a partials buffer of an accumulator for each workgroup: at most about two thousand.
    /// Several buffers take at least one dispatch each.
    Whole,
    /// All elements, combined with what the output holds: one result, added to by call after call.
    ///
    /// Each workgroup takes its share to the output by one atomic operation. Nothing has to meet at the end, which is what a
    /// small reduction spends most of its time on; but the order of those operations is the hardware's: **float sums are not the
    /// same bits every time**. Integers are.
    ///
    /// The output is yours to set, in front of the first call, to the operator's result of an empty input: 0 for sums, counts and norms
    /// (a new buffer of wgpu's holds zeros, [`wgpu::CommandEncoder::clear_buffer`] writes them anew), for the others see
    /// [`Op`](crate::reduce::Op). Whatever it holds is one element more. No elements leave it as it is (but a -0 may become +0); recording the same
    /// reduction again adds them again.
    ///
    /// For operators that are one atomic operation and have nothing left to [`finish`](crate::reduce::Monoid::custom):
    /// [`Monoid::accumulates`](crate::reduce::Monoid::accumulates) says which, and what the device needs. Other operators are
    /// [`ReduceError::NoAtomic`](crate::reduce::ReduceError::NoAtomic).
    ///
    /// One dispatch for each binding of each buffer, and no scratch memory: a [`Workspace`](crate::reduce::Workspace) for any plan
    /// will do.
    ///
    /// ```
    /// use halofold::Element;
    /// use halofold::reduce::{Op, Reducer};
    ///
    /// # fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
    /// # let Some((device, queue)) = opened else { return Ok(()) };
    /// # use halofold::wgpu::{self, util::DeviceExt as _};
    /// # let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
    /// #     label: None, contents: bytemuck::cast_slice(&[1.5f32; 1000]), usage: wgpu::BufferUsages::STORAGE });
    /// # let total = device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 4, mapped_at_creation: false,
    /// #     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST });
    /// # let readback = halofold::read::Readback::new(&device, 4);
    /// // How many elements are not zero.
    /// let count = Reducer::new(&device, Op::Count.over(Element::F32)?)?;
    /// let counting = count.of(&elements).accumulate().into(&total)?;
    /// let mut encoder = device.create_command_encoder(&Default::default());
    /// encoder.clear_buffer(&total, 0, None);
    /// counting.encode(&mut encoder);
    /// counting.encode(&mut encoder); // the total is now twice as large
    /// # readback.encode(&mut encoder, &total, 0, 4)?;
    /// # queue.submit([encoder.finish()]);
    /// # assert_eq!(readback.wait(4)?, 2000u32.to_le_bytes());
    /// # Ok(())
    /// # }
    /// # run().unwrap();
    /// ```
    Accumulate,
    /// Every `stride`-th element from the first on: one result. An input's length counts the elements taken, and `map` is given
    /// positions among those: a column of a matrix, one channel of pixels.
    ///
    /// One dispatch; memory as for [`Shape::Whole`]. One buffer (of each input).
    Strided {
        /// From one element to the next, in elements: 1 to 2^32 - 1.
        stride: u64,
    },
    /// Segments of `len` elements each, one after the other: one result each.
    ///
    /// The rows of a row-major matrix are segments of its number of columns. `map` is given positions in the segment.
    ///
    /// One dispatch and no scratch memory; if there are few long segments, so that they are cut into chunks (of 2^14 elements or
    /// more), one dispatch more and an accumulator for each chunk: at most about four thousand of them; of segments that no
    /// binding holds, about two thousand each. No segments, no dispatch.
    Segments {
        /// Elements of one segment, at least 1; the input is a whole number of segments.
        len: u64,
    },
    /// Segments between neighbours of a list of `count + 1` ascending offsets, which lies on the GPU as `u32`: result
    /// `i` is made of the elements from `offsets[i]` to `offsets[i + 1]`, an empty range gives the result of an empty input. The list is
    /// [`Reduction::between`](crate::reduce::Reduction::between).
    ///
    /// Lengths may differ as they like, and elements in front of the first offset or behind the last belong to no result.
    /// Offsets that do not ascend or lie beyond the input give unspecified results, but nothing outside of the input is ever read,
    /// nor outside of the output written. `map` is given positions in the segment.
    ///
    /// One dispatch if the input has at most 2^14 elements, else three, and two more for each further binding of it; an
    /// accumulator and 16 bytes of marks for every 2^14 elements. (Where a binding holds less than 2^15 elements, the largest power
    /// of two of which it holds two stands in place of 2^14.) No segments, no dispatch.
    Offsets {
        /// Segments: at most 2^32 - 2. There is one offset more.
        count: u64,
    },
    /// The middle axis of a row-major array `[outer, len, inner]`, which leaves `[outer, inner]`: see [`Shape::axis`].
    ///
    /// The columns of a row-major matrix `[rows, columns]` are `outer` = 1, `len` = rows, `inner` = columns. `map` is given
    /// positions along the axis.
    ///
    /// One dispatch and no scratch memory; if there are few columns and a long axis, so that it is cut into chunks, one
    /// dispatch more and an accumulator for each chunk of each column: about 2^18 of them at most, for each `outer` if no
    /// array `[len, inner]` fits a binding. A row must fit a binding: `inner` elements, accumulators and results. Without
    /// `outer` there is no dispatch.
    Axis {
        /// Elements of the axes in front, multiplied: 1 if there are none.
        outer: u64,
        /// Elements of the axis that is reduced: at least 1.
        len: u64,
        /// Elements of the axes behind, multiplied: at least 1.
        inner: u64,
    },
}

/// The shapes of one kind, whatever their numbers: they run by the same kernels.
///
/// [What a device needs](crate::reduce#what-a-device-needs) depends on the form. Compute pipelines: [`Form::Whole`] up to four,
/// [`Form::Strided`] one, the others up to three, each compiled when a reduction first launches it.
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
    /// [`Shape::Axis`].
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

    /// The form of this shape.
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
