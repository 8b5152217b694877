//! Which elements are reduced, and where they lie.

use wgpu::Buffer;

use crate::reduce::plan::Extent;

/// The elements to reduce, or the keys to count: `len` of them, from byte `offset` on.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// A buffer with [`wgpu::BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// Where the elements start, in bytes from the buffer's start: a multiple of the element's size.
    pub offset: u64,
    /// How many there are, in elements; 0 is fine.
    pub len: u64,
}

/// Where results go: what they are, and how many bytes they take, says whoever takes an output.
///
/// A [`Reducer`](crate::reduce::Reducer) writes the bytes of [`its plan`](field@crate::reduce::Plan::output), a
/// [`Histogram`](crate::histogram::Histogram) a `u32` a bin.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// A buffer with [`wgpu::BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// Where results start, in bytes from the buffer's start: a multiple of `min_storage_buffer_offset_alignment`.
    pub offset: u64,
}

/// What is reduced: one input, several that count as one, or two whose elements are mapped in pairs.
///
/// Costs nothing: it says where things are. [`Reducer::prepare`](crate::reduce::Reducer::prepare) checks it against the operator, the
/// shape and the buffers; what the buffers hold is read when the recorded commands run.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub(super) parts: &'a [Input<'a>],
    pub(super) second: Option<Input<'a>>,
    pub(super) offsets: Option<Position<'a>>,
    pub(super) count: Option<Position<'a>>,
    pub(super) stands_for: Option<u32>,
}

/// A place in a buffer of the caller's: of a list of offsets, or of a count.
#[derive(Clone, Copy, Debug)]
pub struct Position<'a> {
    /// A buffer with [`wgpu::BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// In bytes from the buffer's start; what it must be a multiple of says [`Source::with_offsets`] or [`Source::with_count`].
    pub offset: u64,
}

impl<'a> Source<'a> {
    /// The elements of one buffer, or of several, one after the other, for an operator of one input.
    ///
    /// Several go with [`Shape::Whole`](crate::reduce::Shape::Whole) and [`Shape::Accumulate`](crate::reduce::Shape::Accumulate)
    /// only. They may be parts of one buffer, also overlapping ones, and positions go on from one to the next. None are an empty input.
    pub const fn of(parts: &'a [Input<'a>]) -> Self {
        Source { parts, second: None, offsets: None, count: None, stands_for: None }
    }

    /// The elements of two buffers in pairs, for an operator of two inputs: as many in both, which may be the same.
    pub const fn pairs(first: &'a [Input<'a>; 1], second: Input<'a>) -> Self {
        Source { parts: first, second: Some(second), offsets: None, count: None, stands_for: None }
    }

    /// The same between offsets, for [`Shape::Offsets`](crate::reduce::Shape::Offsets): a list of `u32`, one more than there are
    /// segments, in elements from the input's first one on (not from its buffer's start). The list starts at a multiple of
    /// `min_storage_buffer_offset_alignment` bytes, in another buffer than the output.
    pub const fn with_offsets(self, offsets: Position<'a>) -> Self {
        Source { offsets: Some(offsets), ..self }
    }

    /// The same with a number of elements that the GPU knows: a `u32` at a multiple of 4 bytes, which some earlier
    /// dispatch may have written, even in the same pass. The first so many elements are reduced, at most all that the inputs
    /// have: their lengths are the most there can be, and are what the plan is made for. `finish` is given the smaller number.
    /// The count may lie in the output's buffer: it is read before anything is written.
    ///
    /// For [`Shape::Whole`](crate::reduce::Shape::Whole), [`Shape::Accumulate`](crate::reduce::Shape::Accumulate) and
    /// [`Shape::Strided`](crate::reduce::Shape::Strided). Costs one dispatch more, of one workgroup for every 64 dispatches of the plan, which
    /// the others wait for.
    ///
    /// ```
    /// use halofold::reduce::{Extent, Form, Input, Op, Output, Position, Reducer, Shape, Source, Workspace};
    /// use halofold::{Element, wgpu};
    ///
    /// /// Records the mean of the first elements of a list that the GPU has filled: `most` at most, how many says the `u32` at the start of `len`.
    /// fn record_mean(
    ///     device: &wgpu::Device,
    ///     encoder: &mut wgpu::CommandEncoder,
    ///     (list, most): (&wgpu::Buffer, u64),
    ///     len: &wgpu::Buffer,
    ///     result: &wgpu::Buffer,
    /// ) -> Result<(), Box<dyn std::error::Error>> {
    ///     let reducer = Reducer::new(device, Op::Mean.over(Element::F32).ok_or("f32 has a mean")?, Form::Whole)?;
    ///     let plan = reducer.plan(Shape::Whole, &[Extent { offset: 0, len: most }], None)?;
    ///     let workspace = Workspace::new(device, &plan);
    ///     let input = [Input { buffer: list, offset: 0, len: most }];
    ///     let source = Source::of(&input).with_count(Position { buffer: len, offset: 0 });
    ///     let output = Output { buffer: result, offset: 0 };
    ///     reducer.prepare(device, source, Shape::Whole, output, &workspace)?.encode(encoder);
    ///     Ok(())
    /// }
    /// # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
    /// # let Some((device, queue)) = opened else { return };
    /// # use wgpu::util::DeviceExt as _;
    /// # let buffer = |contents: &[u8]| device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
    /// #     label: None, contents, usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC });
    /// # let (list, result) = (buffer(bytemuck::cast_slice(&[1f32, 2.0, 6.0, 1e9, 1e9])), buffer(&[0; 4]));
    /// # for (len, mean) in [(3u32, 3f32), (2, 1.5)] {
    /// #     let mut encoder = device.create_command_encoder(&Default::default());
    /// #     record_mean(&device, &mut encoder, (&list, 5), &buffer(&len.to_ne_bytes()), &result).unwrap();
    /// #     let readback = halofold::read::Readback::new(&device, 4);
    /// #     readback.encode(&mut encoder, &result, 0, 4).unwrap();
    /// #     queue.submit([encoder.finish()]);
    /// #     assert_eq!(readback.wait(4).unwrap(), mean.to_ne_bytes());
    /// # }
    /// ```
    pub const fn with_count(self, count: Position<'a>) -> Self {
        Source { count: Some(count), ..self }
    }

    /// The same where inputs are [states](crate::reduce#states), of so many elements in all: what `finish` is given.
    pub const fn standing_for(self, elements: u32) -> Self {
        Source { stands_for: Some(elements), ..self }
    }

    /// Where the parts are, without their buffers.
    pub(super) fn extents(&self) -> (Vec<Extent>, Option<Extent>) {
        let extent = |input: &Input<'_>| Extent { offset: input.offset, len: input.len };
        (self.parts.iter().map(extent).collect(), self.second.as_ref().map(extent))
    }
}
