//! Plans: from a shape, lengths and limits to a list of launches. Planning is pure and needs no GPU. An
//! application needs only [`Plan`]; the other types describe its launches.

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
use crate::reduce::exact::{EXACT, EXACT_SEGMENTS};
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
/// Mesa 22's lavapipe silently ends loops after 65 535 iterations, counted over all loops of an invocation.
/// Half of them are for the loop over the input, the rest for the loops after it.
pub(super) const MAX_ITERATIONS: u64 = 32_768;

/// A binding is a whole number of words. An odd number of 16-bit values is not.
const WORD: u64 = 4;

/// Bytes of the widest vector. Bindings start and end at multiples of it.
const VECTOR: u64 = 32;

/// Elements per invocation of a team: four vectors of four.
const PER_INVOCATION: u64 = 16;

/// The items that a launch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reads {
    /// The caller's elements.
    Elements,
    /// The caller's elements in two bindings of one buffer. The second binding starts where the first one
    /// ends.
    ///
    /// This is for an operator with one input that is larger than a binding, on a device that allows six
    /// storage buffers per shader. Otherwise each window has its own launch.
    Adjoining,
    /// The caller's elements, a stride apart.
    Strided,
    /// Accumulators: the partials of an earlier launch, or the caller's states.
    Partials,
}

/// The values that a launch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Writes {
    /// Accumulators: partials for a later launch, or states for the caller.
    Partials,
    /// Results.
    Results,
}

/// A kernel and its variant. Together with the operator it determines the text and the overrides of a
/// pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Stage {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The items that it reads.
    pub reads: Reads,
    /// The values that it writes.
    pub writes: Writes,
    /// Invocations in a workgroup.
    pub workgroup_size: u32,
    /// Items of a tile; see [`Coverage::Tiles`].
    pub tile: u32,
}

impl Stage {
    /// Whether it reads consecutive elements, four at a time.
    pub(super) fn reads_vectors(self) -> bool {
        self.kernel.loads == Loads::Vectors && matches!(self.reads, Reads::Elements | Reads::Adjoining)
    }

    /// Whether it reads offsets, or writes tile marks for the kernels that do.
    pub(super) fn is_offsets(self) -> bool {
        *self.kernel == OFFSETS
    }
}

/// A range of a buffer, in bytes, that a binding may have. It starts at a multiple of
/// `min_storage_buffer_offset_alignment` and is a whole number of words of four bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes {
    /// The offset of its first byte.
    pub offset: u64,
    /// Its length.
    pub size: u64,
}

impl Bytes {
    /// The offset one past its last byte.
    pub const fn end(self) -> u64 {
        self.offset + self.size
    }
}

/// Where a launch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Src {
    /// A window of one part of the first input and, if there are two, of the second input. Offsets count from
    /// the start of the caller's buffer. Because a window is a binding, it may begin and end with a few bytes
    /// that belong to no element.
    Inputs {
        /// The index of the part, from 0.
        part: usize,
        /// The window of the first input.
        first: Bytes,
        /// The window that starts where the first one ends, in the same buffer. For [`Reads::Adjoining`]
        /// only.
        next: Option<Bytes>,
        /// The window of the second input.
        second: Option<Bytes>,
    },
    /// Accumulators in one of the two scratch buffers, written by an earlier launch of the plan.
    Scratch(usize, Bytes),
    /// No input: there are no elements, and the launch only writes the result of an empty input.
    Nothing,
}

/// Where a launch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dst {
    /// Accumulators in one of the two scratch buffers.
    Scratch(usize, Bytes),
    /// Results, or accumulators for the caller. The range counts from the output's offset.
    Output(Bytes),
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// Its kernel.
    pub stage: Stage,
    /// The number of launches it waits for. Launches of one level do not depend on one another.
    pub level: u32,
    /// The buffer ranges that it reads.
    pub src: Src,
    /// The buffer range that it writes.
    pub dst: Dst,
    /// The range of the list of offsets that it reads, in bytes from the start of the list; `None` if it
    /// reads none.
    pub offsets: Option<Bytes>,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// The parameters of its kernel. With a count on the GPU, those for the largest count.
    pub params: Params,
}

impl Launch {
    /// The total number of workgroups.
    pub const fn workgroups(&self) -> u64 {
        self.grid[0] as u64 * self.grid[1] as u64
    }
}

/// The launches of one reduction, and the memory that they need.
///
/// A plan is a plain value and needs no device. It does not contain the additional launch of
/// [`Reduction::first`](crate::reduce::Reduction::first). [`Workspace::new`](crate::reduce::Workspace::new)
/// allocates `scratch`, `partials` and `marks`, and a few bytes more.
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
    /// Plans the launches for a shape over inputs of these lengths, on a device with these limits. It is pure
    /// and needs no device. [`Reducer::plan`](crate::reduce::Reducer::plan) returns an equal plan on a device
    /// with `limits`, unless its adapter is in the list [`FAILED`](crate::reduce::meeting::FAILED).
    ///
    /// `parts` are the parts of the first input: one, or several if the shape takes several. `second` is the
    /// second input of an operator with two inputs.
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
    /// // One long row is cut into chunks, to keep the GPU busy: 64 partials of 4 bytes.
    /// let row = plan(Shape::Segments { len: 1 << 20 }, 1 << 20);
    /// assert_eq!((row.launches().len(), row.results(), row.output(), row.scratch()), (2, 1, 4, [256, 0]));
    /// ```
    ///
    /// # Errors
    ///
    /// - The inputs do not fit the operator or the shape.
    /// - An offset is not the start of an element.
    /// - The device cannot bind or count that many elements or results.
    /// - The shape is [`Shape::Accumulate`], and the operator does not support it.
    pub fn of(
        monoid: &Monoid,
        shape: Shape,
        parts: &[Extent],
        second: Option<Extent>,
        limits: &Limits,
    ) -> Result<Self, ReduceError> {
        Request::new(monoid, shape.form(), limits).plan(shape, parts, second)
    }

    /// The launches, in order. The list is empty if there are no results.
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// The number of results: 1, or the number of segments or columns. If the host combines accumulators,
    /// their number.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Bytes of output, rounded up to words of four bytes. The output's buffer must have this many bytes
    /// after the output's offset.
    pub fn output(&self) -> u64 {
        self.output
    }

    /// Bytes of the two scratch buffers, which pass accumulators from one launch to the next; 0 for a buffer
    /// that is not needed.
    pub fn scratch(&self) -> [u64; 2] {
        self.scratch
    }

    /// Bytes of the partials buffer, to which the workgroups of one launch publish their partials; 0 if none
    /// is needed.
    pub fn partials(&self) -> u64 {
        self.partials
    }

    /// Bytes of tile marks, with which [`Shape::Offsets`] finds long segments; 0 if none are needed.
    pub fn marks(&self) -> u64 {
        self.marks
    }

    /// A plan without launches yet.
    fn empty(results: u64, stride: u64) -> Self {
        let output = (results * stride).next_multiple_of(WORD);
        Plan { launches: Vec::new(), results, output, scratch: [0; 2], partials: 0, marks: 0 }
    }

    /// Whether the output holds accumulators instead of results: states, or partials for the host to combine.
    pub fn leaves_partials(&self) -> bool {
        let last = self.launches.last();
        last.is_some_and(|launch| launch.stage.writes == Writes::Partials)
    }

    /// Workgroups of the launches that read the caller's elements.
    pub fn workgroups(&self) -> u64 {
        let first = self.launches.iter().filter(|launch| !matches!(launch.src, Src::Scratch(..)));
        first.filter(|launch| launch.stage.kernel.coverage != Coverage::One).map(Launch::workgroups).sum()
    }

    /// Sets the number of elements that the input states stand for. `finish` receives it.
    pub(super) fn standing_for(mut self, elements: u32) -> Self {
        self.launches.iter_mut().for_each(|launch| launch.params.count = elements);
        self
    }

    /// Checks that the device allows the size of every buffer.
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
    /// Its offset in bytes from the start of the buffer: any multiple of the element's size. At a multiple of
    /// four elements (16 bytes of `f32`) all elements are loaded as vectors. At other offsets up to six
    /// elements are loaded singly.
    pub offset: u64,
    /// Its length in elements. For [`Shape::Strided`] it counts only the elements taken.
    pub len: u64,
}

/// Returns the part of an input that must have exactly one.
fn one(parts: &[Extent]) -> Result<Extent, ReduceError> {
    match parts {
        [part] => Ok(*part),
        parts => Err(ReduceError::Parts(parts.len())),
    }
}

/// The reduction for which a plan is made.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) monoid: &'a Monoid,
    pub(super) form: Form,
    pub(super) limits: &'a Limits,
    /// The kernels for whole inputs.
    pub(super) strategy: Strategy,
    /// Whether workgroups that would meet in one launch leave their partials to a second launch.
    pub(super) in_two_launches: bool,
    /// Whether the inputs are accumulators.
    pub(super) from_states: bool,
    /// Whether the output is accumulators.
    pub(super) to_states: bool,
}

/// The workgroup sizes of kernels for whole inputs, on a device that allows them.
const WHOLE_SIZES: [u32; 3] = [256, 512, 1024];

/// Invocations in a workgroup that reads adjoining bindings, on a device that allows as many. Such inputs are
/// large.
const ADJOINING_SIZE: u32 = 512;

/// Storage buffers of a kernel that reads adjoining bindings: two windows, each also as vectors, the output
/// and the partials.
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

    /// All kernels that its plans may launch.
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
            Form::Whole if self.meets_twice() => {
                let whole = self.whole_sizes().into_iter().map(|size| (self.items(), size));
                let adjoining = self.adjoining().map(|stage| (stage.reads, stage.workgroup_size));
                let stages = whole.chain(adjoining);
                stages.flat_map(|(reads, size)| self.two_launch_stages(reads, size)).collect()
            }
            Form::Strided if self.in_two_launches => {
                self.two_launch_stages(Reads::Strided, self.workgroup_size())
            }
            Form::Whole => sized(self.whole_kernel(), self.items()).chain(self.adjoining()).collect(),
            Form::Accumulate => sized(&ACCUMULATE, Reads::Elements).collect(),
            Form::Strided => vec![self.stage(&SINGLE_PASS, Reads::Strided, self.last())],
            Form::Segments => many(self.segments_kernel()),
            Form::Offsets => many(&OFFSETS),
            Form::Axis => many(&COLUMNS),
        }
    }

    /// Whether the partials of one launch are reduced by a second launch. Exact sums publish more than a partial.
    fn meets_twice(&self) -> bool {
        self.in_two_launches && self.monoid.format().is_none()
    }

    /// The kernel of whole inputs.
    fn whole_kernel(&self) -> &'static Kernel {
        if self.monoid.format().is_some() { &EXACT } else { &SINGLE_PASS }
    }

    /// The kernel of segments.
    fn segments_kernel(&self) -> &'static Kernel {
        if self.monoid.format().is_some() { &EXACT_SEGMENTS } else { &SEGMENTS }
    }

    /// What the first launch reads.
    fn items(&self) -> Reads {
        if self.from_states { Reads::Partials } else { Reads::Elements }
    }

    /// The values that the last launch writes.
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

    /// The stage that reads two windows; `None` if no input needs it or the device does not allow it.
    fn adjoining(&self) -> Option<Stage> {
        let Limits { max_buffer_size, max_storage_buffers_per_shader_stage: buffers, .. } = *self.limits;
        let is_needed = self.monoid.arity() == Arity::One
            && self.monoid.format().is_none()
            && !self.from_states
            && max_buffer_size > self.largest_binding()
            && buffers >= ADJOINING_BUFFERS;
        let sizes = self.whole_sizes().into_iter();
        let workgroup_size = sizes.filter(|size| is_needed && *size <= ADJOINING_SIZE).max()?;
        let stage = self.stage(&SINGLE_PASS, Reads::Adjoining, self.last());
        Some(Stage { workgroup_size, ..stage })
    }

    /// Invocations in a workgroup of the kernels that have only one size.
    fn workgroup_size(&self) -> u32 {
        self.largest_workgroup().min(USUAL_SIZE)
    }

    /// The largest workgroup whose accumulators fit workgroup memory: a power of two.
    fn largest_workgroup(&self) -> u32 {
        let Limits {
            max_compute_invocations_per_workgroup: most, max_compute_workgroup_size_x: across, ..
        } = *self.limits;
        let room = u64::from(self.limits.max_compute_workgroup_storage_size).saturating_sub(16);
        // The queue of waiting segments has a word for each invocation.
        let queue = if self.form == Form::Offsets { 4 } else { 0 };
        let fits = match self.monoid.format() {
            Some(format) => format.largest_workgroup(room),
            None => (room / (self.monoid.acc.stride + queue)).clamp(1, 1024) as u32,
        };
        1 << most.min(across).min(fits).max(1).ilog2()
    }

    /// Plans a shape over the parts of the first input and, if there are two inputs, over the second.
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

    /// The largest size of a binding, in bytes.
    fn largest_binding(&self) -> u64 {
        let largest = self.limits.max_storage_buffer_binding_size.min(1 << 31);
        (largest / self.align()).max(1) * self.align()
    }

    /// Checks that the inputs fit the operator, and that their elements can be counted.
    fn check(&self, shape: Shape, parts: &[Extent], second: Option<Extent>) -> Result<(), ReduceError> {
        if self.monoid.format().is_some() && !matches!(self.form, Form::Whole | Form::Segments) {
            return Err(ReduceError::ExactForm(self.form));
        }
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

    /// Checks that a binding can hold at least one item at every offset, and that the plan does not have too
    /// many launches: one per window, and for segments between offsets one for each part of the list that a
    /// binding holds.
    fn check_windows(&self, shape: Shape, parts: &[Extent]) -> Result<(), PlanError> {
        let len = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.len));
        let elements = if let Shape::Strided { stride } = shape { len.saturating_mul(stride) } else { len };
        let bytes = elements.saturating_mul(self.item_size());
        let lists = match shape {
            // More segments return another error.
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

    /// The binding that holds the elements `range` of an input, and the position of the first of them in it.
    fn binding(&self, extent: Extent, range: std::ops::Range<u64>) -> (Bytes, u32) {
        let size = self.item_size();
        let at = extent.offset + range.start * size;
        let unit = self.unit(size);
        let start = at / unit * unit;
        let end = (extent.offset + range.end * size).next_multiple_of(WORD);
        (Bytes { offset: start, size: end - start }, ((at - start) / size) as u32)
    }

    /// The window of the part, and of the second input, that holds the elements `range`.
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

    /// Bytes that one binding can hold of the elements that start with number `element`.
    fn room_from(&self, part: Extent, second: Option<Extent>, element: u64) -> u64 {
        let size = self.item_size();
        let before = |extent: Extent| (extent.offset + element * size) % self.unit(size);
        let lost = before(part).max(second.map_or(0, before));
        self.largest_binding().saturating_sub(lost).max(size)
    }

    /// Bytes that one binding can always hold, wherever between two multiples of the alignment the elements
    /// start.
    fn room(&self) -> u64 {
        let unit = self.unit(self.item_size());
        self.largest_binding().saturating_sub(unit).max(unit)
    }

    /// The grid for a number of workgroups, folded into rows.
    fn grid(&self, groups: u64) -> Result<[u32; 2], PlanError> {
        let limit = pipeline::most_groups(self.limits);
        pipeline::folded(groups, self.limits).ok_or(PlanError::TooManyWorkgroups { needed: groups, limit })
    }

    /// The grid for `count` teams of 2^`team` invocations.
    fn teams(&self, count: u64, team: u32) -> Result<[u32; 2], PlanError> {
        self.grid((count << team).div_ceil(u64::from(self.workgroup_size())))
    }

    /// The base-2 logarithm of the number of invocations for `items` items.
    fn team(&self, items: u64) -> u32 {
        if self.monoid.format().is_some() {
            // All invocations of a workgroup share its limbs.
            return self.workgroup_size().ilog2();
        }
        let wanted = items.div_ceil(PER_INVOCATION).next_power_of_two().ilog2();
        wanted.min(self.workgroup_size().ilog2())
    }

    /// The alignment of bindings of values of this stride: a multiple of the stride, too.
    fn unit(&self, stride: u64) -> u64 {
        let odd = stride >> stride.trailing_zeros();
        self.align().max(stride / odd) * odd
    }

    /// The binding that holds `count` values starting with number `begin`, and the position of the first of
    /// them in it, in values.
    fn store(&self, begin: u64, count: u64, stride: u64) -> (Bytes, u32) {
        let offset = begin * stride / self.unit(stride) * self.unit(stride);
        (
            Bytes { offset, size: ((begin + count) * stride - offset).next_multiple_of(WORD) },
            ((begin * stride - offset) / stride) as u32,
        )
    }

    /// The number of values of this stride that one binding can always hold, wherever they start.
    fn storable(&self, stride: u64) -> u64 {
        let largest = self.largest_binding();
        ((largest - self.unit(stride).min(largest / 2)) / stride).max(1)
    }

    /// Checks that one binding can hold all of the scratch memory.
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
    /// The next window of the same buffer, if one dispatch reads both.
    next: Option<Window>,
    /// The window of the second input, and the position of the first item in it.
    second: Option<(Bytes, u32)>,
}

impl Span {
    /// The source of a dispatch that reads this window.
    fn src(&self) -> Src {
        let Window { start, size, .. } = self.window;
        if size == 0 {
            return Src::Nothing;
        }
        let second = self.second.map(|(bytes, _)| bytes);
        let next = self.next.map(|Window { start, size, .. }| Bytes { offset: start, size });
        Src::Inputs { part: self.part, first: Bytes { offset: start, size }, next, second }
    }

    /// The number of elements that it covers.
    fn len(&self) -> u32 {
        self.window.len + self.next.map_or(0, |next| next.len)
    }

    /// The parameters for this window.
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
