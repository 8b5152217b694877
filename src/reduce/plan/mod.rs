//! From a shape, lengths and limits to a list of launches. Pure: no GPU here. Of interest to whoever looks inside: what an
//! application needs of it is [`Plan`] alone.

mod depth;
mod levels;
mod offsets;
mod params;
mod segments;
mod strided;
mod whole;

use wgpu::Limits;

use crate::binding;
use crate::pipeline::{self, LimitError};
use crate::reduce::error::{PlanError, ReduceError};
use crate::reduce::ladder::{ACCUMULATE, COLUMNS, Coverage, Kernel, Loads, OFFSETS, SEGMENTS, SINGLE_PASS};
use crate::reduce::monoid::{Arity, Monoid};
use crate::reduce::shape::{Form, Shape};
use crate::reduce::tuning::Strategy;
use crate::window::{self, Window};

pub(super) use levels::check;
pub(super) use params::WORDS;
pub use params::{Own, Params};

/// The most loop iterations a plan gives one invocation.
///
/// Mesa 22's lavapipe silently ends loops after 65 535 iterations, all loops of an invocation together; half of
/// that is for the loop over the input, the rest for what comes after it.
pub(super) const MAX_ITERATIONS: u64 = 32_768;

/// A binding is a whole number of words, an odd number of 16-bit values is not.
const WORD: u64 = 4;

/// Bytes of the widest vector: bindings start and end between two of them.
const VECTOR: u64 = 32;

/// Elements that one invocation of a team should have: four vectors of four.
const PER_INVOCATION: u64 = 16;

/// Where the items of a launch come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reads {
    /// The caller's elements.
    Elements,
    /// The caller's elements in two bindings of one buffer, the second of which goes on where the first one ends.
    ///
    /// Of an operator of one input, where it is larger than a binding, on a device that allows six storage buffers in a shader;
    /// elsewhere each window has a launch of its own.
    Adjoining,
    /// The caller's elements, a stride apart.
    Strided,
    /// Accumulators: what an earlier launch has left, or states of the caller's.
    Partials,
}

/// What a launch leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Writes {
    /// Accumulators, for a later launch or as states for the caller.
    Partials,
    /// Results.
    Results,
}

/// A kernel and what it is compiled for: the text and the overrides of a pipeline follow from it and the operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Stage {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// What it reads.
    pub reads: Reads,
    /// What it writes.
    pub writes: Writes,
    /// Invocations in a workgroup.
    pub workgroup_size: u32,
    /// Items of a tile; see [`Coverage::Tiles`].
    pub tile: u32,
}

impl Stage {
    /// Whether it reads elements that follow one another, four at a time.
    pub(super) fn reads_vectors(self) -> bool {
        self.kernel.loads == Loads::Vectors && matches!(self.reads, Reads::Elements | Reads::Adjoining)
    }

    /// Whether it starts from offsets, or leaves marks for those that do.
    pub(super) fn is_offsets(self) -> bool {
        *self.kernel == OFFSETS
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

/// Where a launch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Src {
    /// A window of one part of the first input, and of the second input if there are two. Windows count from the start of the
    /// caller's buffer. As they are bindings, they may begin and end with a few bytes that belong to no element.
    Inputs {
        /// Which part, from 0.
        part: usize,
        /// The window of the first input.
        first: Bytes,
        /// The window that goes on where it ends, in the same buffer: of [`Reads::Adjoining`] only.
        next: Option<Bytes>,
        /// The window of the second input.
        second: Option<Bytes>,
    },
    /// Accumulators in one of the two scratch buffers, which an earlier launch of the plan has left.
    Scratch(usize, Bytes),
    /// Nothing: there are no elements, and the launch only writes the result of an empty input.
    Nothing,
}

/// Where a launch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dst {
    /// Accumulators in one of the two scratch buffers.
    Scratch(usize, Bytes),
    /// Results, or accumulators for the caller, counted from the output's own offset on.
    Output(Bytes),
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// Its kernel.
    pub stage: Stage,
    /// How many launches it waits for: those of one level do not depend on one another.
    pub level: u32,
    /// Where it reads.
    pub src: Src,
    /// Where it writes.
    pub dst: Dst,
    /// The offsets that it reads, in bytes of the list from its first one on; `None` if it reads none.
    pub offsets: Option<Bytes>,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// What its kernel is given. With a count on the GPU, what it is given at most.
    pub params: Params,
}

impl Launch {
    /// Workgroups in all.
    pub const fn workgroups(&self) -> u64 {
        self.grid[0] as u64 * self.grid[1] as u64
    }
}

/// The launches of one reduction, and the memory they need.
///
/// A plain value that no device is needed for. The launch that [`Reduction::first`](crate::reduce::Reduction::first) puts in
/// front is not among them. `scratch`, `partials` and `marks` together are what [`Workspace::new`](crate::reduce::Workspace::new)
/// allocates, and a little more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(super) launches: Vec<Launch>,
    pub(super) results: u64,
    pub(super) output: u64,
    pub(super) scratch: [u64; 2],
    pub(super) partials: u64,
    pub(super) marks: u64,
}

impl Plan {
    /// The dispatches for a shape over inputs of these lengths, on a device of these limits. Needs no device: it is pure, and the same
    /// that [`Reducer::plan`](crate::reduce::Reducer::plan) answers on a device with `limits`.
    ///
    /// `parts` are those of the first input: one, or several where the shape takes them. `second` is the second input of an operator
    /// that has two.
    ///
    /// ```
    /// use halofold::reduce::{Extent, Op, Plan, Shape};
    /// use halofold::{Element, wgpu};
    ///
    /// let sum = Op::Sum.over(Element::F32).unwrap();
    /// let limits = wgpu::Limits::default();
    /// let plan = |shape, len| Plan::of(&sum, shape, &[Extent { offset: 0, len }], None, &limits).unwrap();
    ///
    /// let rows = plan(Shape::Segments { len: 1000 }, 1_000_000);
    /// assert_eq!((rows.launches().len(), rows.results(), rows.output(), rows.scratch()), (1, 1000, 4000, [0, 0]));
    /// // One long row keeps a GPU busy only in chunks: 64 accumulators on the way.
    /// let row = plan(Shape::Segments { len: 1 << 20 }, 1 << 20);
    /// assert_eq!((row.launches().len(), row.results(), row.output(), row.scratch()), (2, 1, 4, [256, 0]));
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
    ) -> Result<Self, ReduceError> {
        Request::new(monoid, shape.form(), limits).plan(shape, parts, second)
    }

    /// The launches, in order. None if there are no results.
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// Results it gives: 1, or as many as there are segments or columns. Accumulators, if the host is to combine them.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Bytes of output, in whole words of four bytes: what the output's buffer must have behind the output's offset.
    pub fn output(&self) -> u64 {
        self.output
    }

    /// Bytes of the two scratch buffers, which take accumulators from one launch to the next; 0 where one is not needed.
    pub fn scratch(&self) -> [u64; 2] {
        self.scratch
    }

    /// Bytes of the partials buffer, into which workgroups publish that meet in one launch; 0 if none is needed.
    pub fn partials(&self) -> u64 {
        self.partials
    }

    /// Bytes of marks, by which [`Shape::Offsets`] finds long segments; 0 if none are needed.
    pub fn marks(&self) -> u64 {
        self.marks
    }

    /// A plan without launches yet.
    fn empty(results: u64, stride: u64) -> Self {
        let output = (results * stride).next_multiple_of(WORD);
        Plan { launches: Vec::new(), results, output, scratch: [0; 2], partials: 0, marks: 0 }
    }

    /// Whether the output holds accumulators instead of results: states, or what is left for the host to combine.
    pub fn leaves_partials(&self) -> bool {
        let last = self.launches.last();
        last.is_some_and(|launch| launch.stage.writes == Writes::Partials)
    }

    /// Workgroups of the launches that read the caller's elements.
    pub fn workgroups(&self) -> u64 {
        let first = self.launches.iter().filter(|launch| !matches!(launch.src, Src::Scratch(..)));
        first.filter(|launch| launch.stage.kernel.coverage != Coverage::One).map(Launch::workgroups).sum()
    }

    /// The same for states that stand for so many elements: what `finish` is given.
    pub(super) fn standing_for(mut self, elements: u32) -> Self {
        self.launches.iter_mut().for_each(|launch| launch.params.count = elements);
        self
    }

    /// Checks that every buffer may be as large as it has to be.
    fn check(self, limits: &Limits) -> Result<Self, PlanError> {
        let limit = limits.max_buffer_size;
        let buffers = [
            ("scratch memory", self.scratch[0].max(self.scratch[1])),
            ("partials", self.partials),
            ("marks", self.marks),
            ("output", self.output),
            ("parameters", (self.launches.len() * binding::STRIDE) as u64),
        ];
        match buffers.into_iter().find(|(_, needed)| *needed > limit) {
            Some((role, needed)) => Err(PlanError::BufferTooLarge { role, needed, limit }),
            None => Ok(self),
        }
    }
}

/// A part of an input without its buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Where it starts, in bytes from the start of the buffer: any multiple of the element's size. At a
    /// multiple of four elements (16 bytes of `f32`) vectors start where elements do; elsewhere up to six are loaded singly.
    pub offset: u64,
    /// In elements; of [`Shape::Strided`] those that are taken.
    pub len: u64,
}

/// The only part of an input that must be one buffer.
fn one(parts: &[Extent]) -> Result<Extent, ReduceError> {
    match parts {
        [part] => Ok(*part),
        parts => Err(ReduceError::Parts(parts.len())),
    }
}

/// What a plan is made for.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) monoid: &'a Monoid,
    pub(super) form: Form,
    pub(super) limits: &'a Limits,
    /// How whole inputs are reduced.
    pub(super) strategy: Strategy,
    /// Whether workgroups that would meet in one launch leave their partials to a second one.
    pub(super) in_two_launches: bool,
    /// Whether the inputs are accumulators, and whether the output is to be.
    pub(super) from_states: bool,
    pub(super) to_states: bool,
}

/// Workgroup sizes that kernels for whole inputs are compiled in, on a device that allows them.
const WHOLE_SIZES: [u32; 3] = [256, 512, 1024];

/// Invocations in a workgroup that reads adjoining bindings, on a device that allows as many: its inputs are large ones.
const ADJOINING_SIZE: u32 = 512;

/// Storage buffers that adjoining bindings take: two windows, each also as vectors, the output and the partials.
const ADJOINING_BUFFERS: u32 = 6;

/// Invocations in a workgroup of every other kernel, on a device that allows as many.
const USUAL_SIZE: u32 = 256;

impl<'a> Request<'a> {
    pub(super) fn new(monoid: &'a Monoid, form: Form, limits: &'a Limits) -> Self {
        Request {
            monoid,
            form,
            limits,
            strategy: Strategy::Fastest,
            in_two_launches: false,
            from_states: false,
            to_states: false,
        }
    }

    /// Everything that its plans may launch.
    pub(super) fn stages(&self) -> Vec<Stage> {
        if let (Form::Whole, Strategy::Rung { rung, finish, tuning }) = (self.form, self.strategy) {
            return self.rung_stages(rung.kernel, finish, tuning);
        }
        let many = |kernel| {
            let first = self.stage(kernel, self.items(), self.last());
            let chunks = Stage { writes: Writes::Partials, ..first };
            let merge = Stage { reads: Reads::Partials, writes: self.last(), ..first };
            let mut stages = vec![first, chunks, merge];
            stages.dedup();
            stages
        };
        let sized = |kernel, reads| {
            let stage = self.stage(kernel, reads, self.last());
            self.whole_sizes().into_iter().map(move |workgroup_size| Stage { workgroup_size, ..stage })
        };
        match self.form {
            Form::Whole if self.in_two_launches => {
                let whole = self.whole_sizes().into_iter().map(|size| (self.items(), size));
                let adjoining = self.adjoining().map(|stage| (stage.reads, stage.workgroup_size));
                let stages = whole.chain(adjoining);
                stages.flat_map(|(reads, size)| self.two_launch_stages(reads, size)).collect()
            }
            Form::Strided if self.in_two_launches => {
                self.two_launch_stages(Reads::Strided, self.workgroup_size())
            }
            Form::Whole => sized(&SINGLE_PASS, self.items()).chain(self.adjoining()).collect(),
            Form::Accumulate => sized(&ACCUMULATE, Reads::Elements).collect(),
            Form::Strided => vec![self.stage(&SINGLE_PASS, Reads::Strided, self.last())],
            Form::Segments => many(&SEGMENTS),
            Form::Offsets => many(&OFFSETS),
            Form::Axis => many(&COLUMNS),
        }
    }

    /// What the first launch reads.
    fn items(&self) -> Reads {
        if self.from_states { Reads::Partials } else { Reads::Elements }
    }

    /// What the last launch writes.
    fn last(&self) -> Writes {
        if self.to_states { Writes::Partials } else { Writes::Results }
    }

    /// A kernel in workgroups of the usual size.
    fn stage(&self, kernel: &'static Kernel, reads: Reads, writes: Writes) -> Stage {
        Stage { kernel, reads, writes, workgroup_size: self.workgroup_size(), tile: 0 }
    }

    /// Bytes from one item of the input to the next.
    fn item_size(&self) -> u64 {
        if self.from_states { self.monoid.acc.stride } else { self.monoid.stride() }
    }

    /// Bytes from one value of the output to the next.
    fn out_stride(&self) -> u64 {
        if self.to_states { self.monoid.acc.stride } else { self.monoid.out.stride }
    }

    /// Workgroup sizes of the kernels for whole inputs.
    fn whole_sizes(&self) -> Vec<u32> {
        let most = self.largest_workgroup();
        if most < WHOLE_SIZES[0] {
            return vec![most];
        }
        WHOLE_SIZES.into_iter().filter(|size| *size <= most).collect()
    }

    /// The stage that reads two windows; `None` where no input needs it or no shader may.
    fn adjoining(&self) -> Option<Stage> {
        let Limits { max_buffer_size, max_storage_buffers_per_shader_stage: buffers, .. } = *self.limits;
        let is_of_use = self.monoid.arity() == Arity::One
            && !self.from_states
            && max_buffer_size > self.largest_binding()
            && buffers >= ADJOINING_BUFFERS;
        let sizes = self.whole_sizes().into_iter();
        let workgroup_size = sizes.filter(|size| is_of_use && *size <= ADJOINING_SIZE).max()?;
        let stage = self.stage(&SINGLE_PASS, Reads::Adjoining, self.last());
        Some(Stage { workgroup_size, ..stage })
    }

    /// Invocations in a workgroup of the kernels that have only one size.
    fn workgroup_size(&self) -> u32 {
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
    ) -> Result<Plan, ReduceError> {
        pipeline::check_basics(self.limits).map_err(PlanError::from)?;
        self.check(shape, parts, second)?;
        self.check_windows(shape, parts)?;
        let plan = match (self.form, shape) {
            (Form::Whole, Shape::Whole) => match self.strategy {
                Strategy::Fastest => self.whole(self.windows(parts, second)),
                Strategy::Rung { rung, finish, tuning } => self.rung(rung, finish, tuning, parts, second),
            },
            (Form::Accumulate, Shape::Accumulate) => self.accumulate(&self.windows(parts, second)),
            (Form::Strided, Shape::Strided { stride }) => self.strided(one(parts)?, second, stride),
            (Form::Segments, Shape::Segments { len }) => self.segments(one(parts)?, second, len),
            (Form::Offsets, Shape::Offsets { count }) => self.offsets(one(parts)?, second, count),
            (Form::Axis, Shape::Axis { outer, len, inner }) => {
                self.axis(one(parts)?, second, [outer, len, inner])
            }
            (form, shape) => unreachable!("a request for {form:?} is made from its shape, not for {shape:?}"),
        }?;
        Ok(plan.check(self.limits)?)
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
    fn check(&self, shape: Shape, parts: &[Extent], second: Option<Extent>) -> Result<(), ReduceError> {
        if self.form == Form::Accumulate && self.monoid.accumulates().is_none() {
            return Err(ReduceError::no_atomic(self.monoid));
        }
        let size = self.item_size();
        let apart = if let Shape::Strided { stride } = shape { stride } else { 1 };
        let size = if self.from_states { self.unit(size) } else { size };
        for extent in parts.iter().chain(&second) {
            if !extent.offset.is_multiple_of(size) {
                return Err(PlanError::Misaligned { offset: extent.offset, size }.into());
            }
            let bytes = extent.len.checked_mul(self.item_size()).and_then(|bytes| bytes.checked_mul(apart));
            let end = bytes.and_then(|bytes| bytes.checked_add(extent.offset));
            // Room for rounding the end up to whole words.
            end.and_then(|end| end.checked_add(4))
                .ok_or(PlanError::OutOfReach { offset: extent.offset, len: extent.len })?;
        }
        let len = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.len));
        if u32::try_from(len).is_err() {
            return Err(PlanError::TooManyElements(len).into());
        }
        let has_states = matches!(self.form, Form::Whole | Form::Segments | Form::Axis);
        if (self.from_states || self.to_states) && !has_states {
            return Err(ReduceError::States(self.form));
        }
        let arity = if self.from_states { Arity::One } else { self.monoid.arity() };
        match (arity, second) {
            (Arity::One, None) => Ok(()),
            (Arity::Two, Some(second)) if one(parts)?.len == second.len => Ok(()),
            (Arity::Two, Some(second)) => Err(ReduceError::Lengths { first: len, second: second.len }),
            (arity, _) => Err(ReduceError::Arity { name: self.monoid.name().to_owned(), arity }),
        }
    }

    /// Checks that a binding has room for what starts between two places where bindings may start, and that there are not too many launches to list: one a window, and for segments between offsets one for each part of the
    /// list that a binding holds.
    fn check_windows(&self, shape: Shape, parts: &[Extent]) -> Result<(), PlanError> {
        let len = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.len));
        let elements = if let Shape::Strided { stride } = shape { len.saturating_mul(stride) } else { len };
        let bytes = elements.saturating_mul(self.item_size());
        let lists = match shape {
            // More segments are an error of their own.
            Shape::Offsets { count } if count < u64::from(u32::MAX) => {
                1 + count.saturating_mul(self.out_stride().max(WORD)) / self.largest_binding()
            }
            _ => 1,
        };
        let strides = [self.item_size(), self.monoid.acc.stride, self.out_stride()];
        let least = strides.map(|stride| 2 * self.unit(stride)).into_iter().max().unwrap_or(0);
        let limit = self.limits.max_storage_buffer_binding_size;
        LimitError::unless("max_storage_buffer_binding_size", limit, least)?;
        Ok(window::check(bytes.max(self.largest_binding()).saturating_mul(lists), self.limits)?)
    }

    /// Where the elements `range` of an input lie: a binding, and the position of the first of them in it.
    fn binding(&self, extent: Extent, range: std::ops::Range<u64>) -> (Bytes, u32) {
        let size = self.item_size();
        let at = extent.offset + range.start * size;
        let unit = self.unit(size);
        let start = at / unit * unit;
        let end = (extent.offset + range.end * size).next_multiple_of(WORD);
        (Bytes { offset: start, size: end - start }, ((at - start) / size) as u32)
    }

    /// The window of the only part, and of the second input, that holds the elements `range`.
    fn span(&self, part: Extent, second: Option<Extent>, range: std::ops::Range<u64>) -> Span {
        let (Bytes { offset: start, size }, first) = self.binding(part, range.clone());
        let len = (range.end - range.start) as u32;
        let size = if len == 0 { 0 } else { size };
        Span {
            part: 0,
            window: Window { start, size, first, len, index: range.start as u32 },
            next: None,
            second: second.map(|second| self.binding(second, range)),
        }
    }

    /// Bytes that elements from number `element` on may have in one binding.
    fn room_from(&self, part: Extent, second: Option<Extent>, element: u64) -> u64 {
        let size = self.item_size();
        let before = |extent: Extent| (extent.offset + element * size) % self.unit(size);
        let lost = before(part).max(second.map_or(0, before));
        self.largest_binding().saturating_sub(lost).max(size)
    }

    /// Bytes that a window's elements may always have, wherever between two multiples of the alignment they start.
    fn room(&self) -> u64 {
        let unit = self.unit(self.item_size());
        self.largest_binding().saturating_sub(unit).max(unit)
    }

    /// Workgroups, folded into rows.
    fn grid(&self, groups: u64) -> Result<[u32; 2], PlanError> {
        let limit = pipeline::most_groups(self.limits);
        pipeline::folded(groups, self.limits).ok_or(PlanError::TooManyWorkgroups { needed: groups, limit })
    }

    /// Workgroups for so many teams.
    fn teams(&self, count: u64, team: u32) -> Result<[u32; 2], PlanError> {
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
    fn scratch(&self, needed: u64) -> Result<u64, PlanError> {
        let limit = self.largest_binding();
        if needed > limit { Err(PlanError::Scratch { needed, limit }) } else { Ok(needed) }
    }
}

/// A window of the inputs.
#[derive(Clone, Copy)]
struct Span {
    part: usize,
    window: Window,
    /// The window behind it in the same buffer, if one dispatch reads both.
    next: Option<Window>,
    /// The window of the second input, and where in it the first item is.
    second: Option<(Bytes, u32)>,
}

impl Span {
    /// Where a dispatch reads that reads this.
    fn src(&self) -> Src {
        let Window { start, size, .. } = self.window;
        if size == 0 {
            return Src::Nothing;
        }
        let second = self.second.map(|(bytes, _)| bytes);
        let next = self.next.map(|Window { start, size, .. }| Bytes { offset: start, size });
        Src::Inputs { part: self.part, first: Bytes { offset: start, size }, next, second }
    }

    /// Elements that it covers.
    fn len(&self) -> u32 {
        self.window.len + self.next.map_or(0, |next| next.len)
    }

    /// The parameters that follow from it.
    fn params(&self) -> Params {
        let Window { first, len, index, .. } = self.window;
        let second = match (self.next, self.second) {
            (Some(_), _) => first + len,
            (None, Some((_, at))) => at.wrapping_sub(first),
            (None, None) => 0,
        };
        Params { first, len: self.len(), index, second, ..Params::default() }
    }
}
