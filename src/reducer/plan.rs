//! From a shape, lengths and limits to a list of dispatches. Pure: no GPU here.

mod fixed;
mod offsets;
mod strided;
mod whole;

use wgpu::Limits;

use crate::pipeline;
use crate::reduce::Params;
use crate::reducer::error::ReducerError;
use crate::reducer::monoid::{Arity, Monoid};
use crate::reducer::shape::{Form, Shape};
use crate::window::Window;

/// The most loop iterations a plan gives one invocation: see [`crate::reduce::Job::plan`].
pub(super) const MAX_ITERATIONS: u64 = 32_768;

/// A binding is a whole number of words, an odd number of 16-bit values is not.
const WORD: u64 = 4;

/// Bytes of the widest vector: bindings start and end between two of them.
const VECTOR: u64 = 32;

/// Elements that one invocation of a team should have: four vectors of four.
const PER_INVOCATION: u64 = 16;

/// One kernel of a reducer: what a dispatch does. [`Monoid::compose`] shows its WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Step {
    /// All elements to the result, in workgroups of this size: the rung `single-pass`.
    Whole {
        /// Invocations in a workgroup.
        workgroup_size: u32,
    },
    /// The same over two bindings of one buffer, the second of which goes on where the first one ends: the two windows of
    /// [`From::Inputs`].
    ///
    /// Of an operator of one input, where it is larger than a binding, on a device that allows six storage buffers in a shader;
    /// elsewhere each window has a dispatch of its own.
    Adjoining {
        /// Invocations in a workgroup.
        workgroup_size: u32,
    },
    /// All elements into what the output holds, by one atomic operation a workgroup.
    Accumulate {
        /// Invocations in a workgroup.
        workgroup_size: u32,
    },
    /// Elements that are a stride apart to the result.
    Strided,
    /// Elements to one result a segment.
    Segments,
    /// Elements to one accumulator a chunk of a segment.
    Chunks,
    /// The accumulators of each segment's chunks to its result.
    Merge,
    /// Elements between offsets to results, and a mark at every tile that a long segment crosses.
    Offsets,
    /// Elements of long segments to one accumulator a tile.
    Tiles,
    /// The accumulators of each long segment's tiles to its result.
    Join,
    /// Elements to one result a column.
    Columns,
    /// Elements to one accumulator a chunk of a column.
    ColumnChunks,
    /// The accumulators of each column's chunks to its result.
    ColumnMerge,
}

impl Step {
    /// Whether it reads accumulators that an earlier dispatch left.
    pub(super) fn reads_partials(self) -> bool {
        matches!(self, Step::Merge | Step::Join | Step::ColumnMerge)
    }

    /// Whether it leaves accumulators for a later dispatch.
    pub(super) fn leaves_partials(self) -> bool {
        matches!(self, Step::Chunks | Step::Tiles | Step::ColumnChunks)
    }

    /// Whether its workgroups meet on the notice board.
    pub(super) fn meets(self) -> bool {
        matches!(self, Step::Whole { .. } | Step::Adjoining { .. } | Step::Strided)
    }
}

/// A range of a buffer, in bytes, as a binding may have it: from a multiple of `min_storage_buffer_offset_alignment` on, in whole
/// words of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// Where it starts.
    pub offset: u64,
    /// How long it is.
    pub size: u64,
}

impl Bytes {
    /// One past the last one.
    pub const fn end(self) -> u64 {
        self.offset + self.size
    }
}

/// Where a dispatch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// A window of one part of the first input, and of the second input if there are two. Windows count from the start of the
    /// caller's buffer. As they are bindings, they may begin and end with a few bytes that belong to no element.
    Inputs {
        /// Which part, from 0.
        part: usize,
        /// The window of the first input.
        first: Bytes,
        /// The window that goes on where it ends, in the same buffer: of [`Step::Adjoining`] only.
        next: Option<Bytes>,
        /// The window of the second input.
        second: Option<Bytes>,
    },
    /// Accumulators in scratch memory, which an earlier dispatch of the plan has left.
    Scratch(Bytes),
    /// Nothing: there are no elements, and the dispatch only writes what the operator makes of nothing.
    Nothing,
}

/// Where a dispatch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Accumulators in scratch memory.
    Scratch(Bytes),
    /// Results, counted from the output's own offset on.
    Output(Bytes),
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// Its kernel.
    pub step: Step,
    /// Where it reads.
    pub from: From,
    /// Where it writes.
    pub to: To,
    /// The offsets that it reads, in bytes of the list from its first one on; `None` if it reads none.
    pub offsets: Option<Bytes>,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// Invocations in a workgroup.
    pub workgroup_size: u32,
    /// What its kernel is given. With a count on the GPU, what it is given at most.
    pub params: Params,
}

/// The dispatches of one reduction, and the memory they need.
///
/// A plain value that no device is needed for. The dispatch that [`Source::with_count`](crate::reducer::Source::with_count) puts in
/// front is not among `passes`. `scratch`, `board` and `marks` together are what [`Workspace::new`](crate::reducer::Workspace::new)
/// allocates, and a little more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The dispatches, in order. None if there are no results.
    pub passes: Vec<Pass>,
    /// Results it gives: 1, or as many as there are segments or columns.
    pub results: u64,
    /// Bytes of output, in whole words of four bytes: what the output's buffer must have behind the output's offset.
    pub output: u64,
    /// Bytes of scratch memory, which accumulators take from one dispatch to the next; 0 if none is needed.
    pub scratch: u64,
    /// Bytes of the notice board, on which workgroups of [`Shape::Whole`] and [`Shape::Strided`] meet; 0 if none is needed.
    pub board: u64,
    /// Bytes of marks, by which [`Shape::Offsets`] finds long segments; 0 if none are needed.
    pub marks: u64,
}

impl Plan {
    /// The dispatches for a shape over inputs of these lengths, on a device of these limits. Needs no device: it is pure, and the same
    /// that [`Reducer::plan`](crate::reducer::Reducer::plan) answers on a device with `limits`.
    ///
    /// `parts` are those of the first input: one, or several where the shape takes them. `second` is the second input of an operator
    /// that has two.
    ///
    /// ```
    /// use halofold::reducer::{Extent, Op, Plan, Shape};
    /// use halofold::{Element, wgpu};
    ///
    /// let sum = Op::Sum.over(Element::F32).unwrap();
    /// let limits = wgpu::Limits::default();
    /// let plan = |shape, len| Plan::of(&sum, shape, &[Extent { offset: 0, len }], None, &limits).unwrap();
    ///
    /// let rows = plan(Shape::Segments { len: 1000 }, 1_000_000);
    /// assert_eq!((rows.passes.len(), rows.results, rows.output, rows.scratch), (1, 1000, 4000, 0));
    /// // One long row keeps a GPU busy only in chunks: 64 accumulators on the way.
    /// let row = plan(Shape::Segments { len: 1 << 20 }, 1 << 20);
    /// assert_eq!((row.passes.len(), row.results, row.output, row.scratch), (2, 1, 4, 256));
    /// ```
    ///
    /// # Errors
    ///
    /// Inputs that do not fit the operator or the shape, an offset at which no element starts, more than a device can bind or count;
    /// [`Shape::Accumulate`] of an operator that does not go with it.
    pub fn of(
        monoid: &Monoid,
        shape: Shape,
        parts: &[Extent],
        second: Option<Extent>,
        limits: &Limits,
    ) -> Result<Self, ReducerError> {
        Request { monoid, form: shape.form(), limits }.plan(shape, parts, second)
    }

    /// A plan without dispatches yet.
    fn empty(results: u64, stride: u64) -> Self {
        let output = (results * stride).next_multiple_of(WORD);
        Plan { passes: Vec::new(), results, output, scratch: 0, board: 0, marks: 0 }
    }
}

/// A part of an input: an [`Input`](crate::reduce::Input) without its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it starts, in bytes from the start of the buffer: a multiple of the element's size, and of nothing else. At a
    /// multiple of four elements (16 bytes of `f32`) vectors start where elements do; elsewhere up to six are loaded singly.
    pub offset: u64,
    /// In elements; of [`Shape::Strided`] those that are taken.
    pub len: u64,
}

/// The only part of an input that must be one buffer.
fn one(parts: &[Extent]) -> Result<Extent, ReducerError> {
    match parts {
        [part] => Ok(*part),
        parts => Err(ReducerError::Parts(parts.len())),
    }
}

/// What a plan is made for.
pub(super) struct Request<'a> {
    pub(super) monoid: &'a Monoid,
    pub(super) form: Form,
    pub(super) limits: &'a Limits,
}

/// Workgroup sizes that [`Step::Whole`] is compiled in, on a device that allows them.
const WHOLE_SIZES: [u32; 3] = [256, 512, 1024];

/// Invocations in a workgroup of [`Step::Adjoining`], on a device that allows as many: its inputs are large ones.
const ADJOINING_SIZE: u32 = 512;

/// Storage buffers that [`Step::Adjoining`] binds: two windows, each also as vectors, the output and the notice board.
const ADJOINING_BUFFERS: u32 = 6;

/// Invocations in a workgroup of every other kernel, on a device that allows as many.
const USUAL_SIZE: u32 = 256;

impl Request<'_> {
    /// The kernels that plans of this request may have.
    pub(super) fn steps(&self) -> Vec<Step> {
        match self.form {
            Form::Whole => {
                let sizes = self.whole_sizes().into_iter();
                let whole = sizes.map(|workgroup_size| Step::Whole { workgroup_size });
                let two = self.adjoining_size().map(|workgroup_size| Step::Adjoining { workgroup_size });
                whole.chain(two).collect()
            }
            Form::Accumulate => {
                let sizes = self.whole_sizes().into_iter();
                sizes.map(|workgroup_size| Step::Accumulate { workgroup_size }).collect()
            }
            Form::Strided => vec![Step::Strided],
            Form::Segments => vec![Step::Segments, Step::Chunks, Step::Merge],
            Form::Offsets => vec![Step::Offsets, Step::Tiles, Step::Join],
            Form::Axis => vec![Step::Columns, Step::ColumnChunks, Step::ColumnMerge],
        }
    }

    /// Workgroup sizes of the kernels for whole inputs.
    fn whole_sizes(&self) -> Vec<u32> {
        let most = self.largest_workgroup();
        if most < WHOLE_SIZES[0] {
            return vec![most];
        }
        WHOLE_SIZES.into_iter().filter(|size| *size <= most).collect()
    }

    /// Invocations in a workgroup of the kernel that reads two windows; `None` where no input needs it or no shader may.
    fn adjoining_size(&self) -> Option<u32> {
        let Limits { max_buffer_size, max_storage_buffers_per_shader_stage: buffers, .. } = *self.limits;
        let is_of_use = self.monoid.arity() == Arity::One
            && max_buffer_size > self.largest_binding()
            && buffers >= ADJOINING_BUFFERS;
        let sizes = self.whole_sizes().into_iter();
        sizes.filter(|size| is_of_use && *size <= ADJOINING_SIZE).max()
    }

    /// Invocations in a workgroup of a kernel.
    pub(super) fn invocations(&self, step: Step) -> u32 {
        match step {
            Step::Whole { workgroup_size }
            | Step::Adjoining { workgroup_size }
            | Step::Accumulate { workgroup_size } => workgroup_size,
            _ => self.workgroup_size(),
        }
    }

    /// Invocations in a workgroup of the kernels that have only one size.
    pub(super) fn workgroup_size(&self) -> u32 {
        self.largest_workgroup().min(USUAL_SIZE)
    }

    /// The largest workgroup whose accumulators fit: a power of two.
    fn largest_workgroup(&self) -> u32 {
        let Limits {
            max_compute_invocations_per_workgroup: most, max_compute_workgroup_size_x: across, ..
        } = *self.limits;
        let room = u64::from(self.limits.max_compute_workgroup_storage_size).saturating_sub(16);
        // The queue of segments that wait has a word for each invocation.
        let queue = if self.form == Form::Offsets { 4 } else { 0 };
        let fits = (room / (self.monoid.acc.stride + queue)).clamp(1, 1024) as u32;
        1 << most.min(across).min(fits).max(1).ilog2()
    }

    /// Plans a shape over the parts of the first input and, if there are two inputs, the second.
    pub(super) fn plan(
        &self,
        shape: Shape,
        parts: &[Extent],
        second: Option<Extent>,
    ) -> Result<Plan, ReducerError> {
        self.check(shape, parts, second)?;
        match (self.form, shape) {
            (Form::Whole, Shape::Whole) => self.whole(self.windows(parts, second)),
            (Form::Accumulate, Shape::Accumulate) => self.accumulate(&self.windows(parts, second)),
            (Form::Strided, Shape::Strided { stride }) => self.strided(one(parts)?, second, stride),
            (Form::Segments, Shape::Segments { len }) => self.segments(one(parts)?, second, len),
            (Form::Offsets, Shape::Offsets { count }) => self.offsets(one(parts)?, second, count),
            (Form::Axis, Shape::Axis { outer, len, inner }) => {
                self.axis(one(parts)?, second, [outer, len, inner])
            }
            // Segments are columns of an array of one column.
            (Form::Axis, Shape::Segments { len }) => {
                let part = one(parts)?;
                self.axis(part, second, [part.len.checked_div(len).unwrap_or(0), len, 1])
            }
            (compiled, shape) => Err(ReducerError::Form { compiled, asked: shape.form() }),
        }
    }

    fn align(&self) -> u64 {
        u64::from(self.limits.min_storage_buffer_offset_alignment).max(VECTOR)
    }

    /// The most bytes one binding may have.
    fn largest_binding(&self) -> u64 {
        let largest = self.limits.max_storage_buffer_binding_size.min(1 << 31);
        (largest / self.align()).max(1) * self.align()
    }

    /// Checks the inputs against the operator and against what can be counted.
    fn check(&self, shape: Shape, parts: &[Extent], second: Option<Extent>) -> Result<(), ReducerError> {
        if self.form == Form::Accumulate && self.monoid.atomic().is_none() {
            return Err(ReducerError::no_atomic(self.monoid));
        }
        let size = self.monoid.element().size();
        let apart = if let Shape::Strided { stride } = shape { stride } else { 1 };
        for extent in parts.iter().chain(&second) {
            if !extent.offset.is_multiple_of(size) {
                return Err(ReducerError::Misaligned { offset: extent.offset, size });
            }
            let bytes = extent.len.checked_mul(size).and_then(|bytes| bytes.checked_mul(apart));
            let end = bytes.and_then(|bytes| bytes.checked_add(extent.offset));
            // Room for rounding the end up to whole words.
            end.and_then(|end| end.checked_add(4))
                .ok_or(ReducerError::OutOfReach { offset: extent.offset, len: extent.len })?;
        }
        let len = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.len));
        if u32::try_from(len).is_err() {
            return Err(ReducerError::TooManyElements(len));
        }
        match (self.monoid.arity(), second) {
            (Arity::One, None) => Ok(()),
            (Arity::Two, Some(second)) if one(parts)?.len == second.len => Ok(()),
            (Arity::Two, Some(second)) => Err(ReducerError::Lengths { first: len, second: second.len }),
            (arity, _) => Err(ReducerError::Arity { name: self.monoid.name().to_owned(), arity }),
        }
    }

    /// Where the elements `range` of an input lie: a binding, and the position of the first of them in it.
    fn binding(&self, extent: Extent, range: std::ops::Range<u64>) -> (Bytes, u32) {
        let size = self.monoid.element().size();
        let at = extent.offset + range.start * size;
        let start = at / self.align() * self.align();
        let end = (extent.offset + range.end * size).next_multiple_of(WORD);
        (Bytes { offset: start, size: end - start }, ((at - start) / size) as u32)
    }

    /// The window of the only part, and of the second input, that holds the elements `range`.
    fn reads(&self, part: Extent, second: Option<Extent>, range: std::ops::Range<u64>) -> Reads {
        let (Bytes { offset: start, size }, first) = self.binding(part, range.clone());
        let len = (range.end - range.start) as u32;
        let size = if len == 0 { 0 } else { size };
        Reads {
            part: 0,
            window: Window { start, size, first, len, index: range.start as u32 },
            next: None,
            second: second.map(|second| self.binding(second, range)),
        }
    }

    /// Bytes that elements from number `element` on may have in one binding.
    fn room_from(&self, part: Extent, second: Option<Extent>, element: u64) -> u64 {
        let size = self.monoid.element().size();
        let before = |extent: Extent| (extent.offset + element * size) % self.align();
        let lost = before(part).max(second.map_or(0, before));
        self.largest_binding().saturating_sub(lost).max(size)
    }

    /// Bytes that a window's elements may always have, wherever between two multiples of the alignment they start.
    fn room(&self) -> u64 {
        (self.largest_binding() - self.align()).max(self.align())
    }

    /// Workgroups, folded into rows.
    fn grid(&self, groups: u64) -> Result<[u32; 2], ReducerError> {
        let limit = pipeline::most_groups(self.limits);
        pipeline::folded(groups, self.limits).ok_or(ReducerError::TooManyWorkgroups { needed: groups, limit })
    }

    /// Workgroups for so many teams.
    fn teams(&self, count: u64, team: u32) -> Result<[u32; 2], ReducerError> {
        self.grid((count << team).div_ceil(u64::from(self.workgroup_size())))
    }

    /// Invocations for so many items, as a power of two.
    fn team(&self, items: u64) -> u32 {
        let wanted = items.div_ceil(PER_INVOCATION).next_power_of_two().ilog2();
        wanted.min(self.workgroup_size().ilog2())
    }

    /// Where bindings of values of this stride may start: also at a multiple of the stride.
    fn unit(&self, stride: u64) -> u64 {
        let odd = stride >> stride.trailing_zeros();
        self.align().max(stride / odd) * odd
    }

    /// The binding that holds `count` values from number `begin` on, and where in it they start, in values.
    fn store(&self, begin: u64, count: u64, stride: u64) -> (Bytes, u32) {
        let offset = begin * stride / self.unit(stride) * self.unit(stride);
        (
            Bytes { offset, size: ((begin + count) * stride - offset).next_multiple_of(WORD) },
            ((begin * stride - offset) / stride) as u32,
        )
    }

    /// Values of this stride that one binding always has room for, whatever number they start at.
    fn storable(&self, stride: u64) -> u64 {
        let largest = self.largest_binding();
        ((largest - self.unit(stride).min(largest / 2)) / stride).max(1)
    }

    /// Scratch memory that one binding holds as a whole.
    fn scratch(&self, needed: u64) -> Result<u64, ReducerError> {
        let limit = self.largest_binding();
        if needed > limit { Err(ReducerError::Scratch { needed, limit }) } else { Ok(needed) }
    }
}

/// A window of the inputs.
struct Reads {
    part: usize,
    window: Window,
    /// The window behind it in the same buffer, if one dispatch reads both.
    next: Option<Window>,
    /// The window of the second input, and where in it the first item is.
    second: Option<(Bytes, u32)>,
}

impl Reads {
    /// Where a dispatch reads that reads this.
    fn from(&self) -> From {
        let Window { start, size, .. } = self.window;
        if size == 0 {
            return From::Nothing;
        }
        let second = self.second.map(|(bytes, _)| bytes);
        let next = self.next.map(|Window { start, size, .. }| Bytes { offset: start, size });
        From::Inputs { part: self.part, first: Bytes { offset: start, size }, next, second }
    }

    /// Elements that it covers.
    fn len(&self) -> u32 {
        self.window.len + self.next.map_or(0, |next| next.len)
    }

    /// The parameters that follow from it.
    fn params(&self) -> Params {
        let Window { first, len, index, .. } = self.window;
        let other = match (self.next, self.second) {
            (Some(_), _) => first + len,
            (None, Some((_, at))) => at.wrapping_sub(first),
            (None, None) => 0,
        };
        Params { first, len: self.len(), index, other, ..Params::default() }
    }
}
