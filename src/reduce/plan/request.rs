//! The request that a plan is made for, and the decisions that do not depend on lengths: kernels, sizes of workgroups, and requests that have no plan.

use std::collections::HashSet;
use std::fmt::Debug;

use wgpu::Limits;

use crate::gpu::buffers::BufferError;
use crate::gpu::error::Error;
use crate::gpu::input;
use crate::gpu::limits::{self, LimitError, SettingError, needs, power_of_two_workgroup};
use crate::gpu::window;
use crate::reduce::Reduce;
use crate::reduce::elem::Arity;
use crate::reduce::kernel::{ACCUMULATE, Coverage, Kernel, SINGLE_PASS};
use crate::reduce::monoid::Monoid;
use crate::reduce::plan::{BufferRange, Inputs, PER_INVOCATION, Plan, Reads, Stage, WORD, Writes};
use crate::reduce::refused::no_atomic;
use crate::reduce::shape::{Shape, ShapeKind};

/// A planner of whole inputs, in the place of halofold's own.
pub(crate) trait Whole: Debug + Send + Sync {
    /// The kernel that reads the elements.
    fn kernel(&self) -> &'static Kernel;
    /// Makes the checks that do not depend on the length.
    fn check(&self, request: &Request<'_>) -> Result<(), Error>;
    /// All kernels that its plans may dispatch.
    fn stages(&self, request: &Request<'_>) -> Vec<Stage>;
    /// Plans the dispatches.
    fn plan(
        &self,
        request: &Request<'_>,
        parts: &[BufferRange],
        second: Option<BufferRange>,
    ) -> Result<Plan, Error>;
}

/// The reduction for which a plan is made.
#[derive(Clone, Copy)]
pub(crate) struct Request<'a> {
    pub(crate) reduce: &'a Reduce,
    /// The operator with the accuracy of the reduction.
    pub(crate) monoid: &'a Monoid,
    pub(crate) form: ShapeKind,
    pub(crate) limits: &'a Limits,
    /// True if workgroups that would meet in one dispatch leave their partials to a second dispatch.
    pub(crate) in_two_launches: bool,
}

/// The workgroup sizes of kernels for whole inputs, on a device that allows them.
pub(super) const WHOLE_SIZES: [u32; 3] = [256, 512, 1024];

/// Invocations in a workgroup that reads adjoining bindings, on a device that allows as many. Such inputs are large.
const ADJOINING_SIZE: u32 = 512;

/// Invocations in a workgroup that sums elements of a segment exactly. It sums one segment at a time, and most are short.
const EXACT_SIZE: u32 = 32;

/// Rows that a small workgroup sums exactly: up to four turns of an invocation.
const FEW_ROWS: u64 = 64;

/// Elements of the longest segment that shares a workgroup with other segments in an exact sum.
const SHORT_SEGMENT: u64 = 1024;
/// Elements of the longest segment that one invocation sums exactly.
const FEW_ELEMENTS: u64 = 128;

/// Storage buffers of a kernel that reads adjoining bindings: two windows, each also as vectors, the partials, and the output.
const ADJOINING_BUFFERS: u32 = 6;

/// Invocations in a workgroup of every other kernel, on a device that allows as many.
const USUAL_SIZE: u32 = 256;

impl Request<'_> {
    /// All kernels that its plans may dispatch.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        if let (ShapeKind::Whole, Some(whole)) = (self.form, &self.reduce.rung) {
            return whole.stages(self);
        }
        let many = |kernel| {
            let first = self.stage(kernel, self.items(), self.last());
            let chunks = Stage { writes: Writes::Partials, ..first };
            let merge = self.stage(kernel, Reads::Partials, self.last());
            let mut stages = vec![first, chunks, merge];
            stages.dedup();
            stages
        };
        let with_short = |kernel| {
            let of_rows = |rows| many(kernel).into_iter().map(move |stage| self.for_rows(stage, rows));
            let mut known = HashSet::new();
            let all = [u64::MAX, SHORT_SEGMENT, 1].into_iter().flat_map(of_rows);
            all.filter(|stage| known.insert(*stage)).collect()
        };
        let sized = |kernel, reads| {
            let stage = self.stage(kernel, reads, self.last());
            self.whole_sizes().into_iter().map(move |workgroup_size| Stage { workgroup_size, ..stage })
        };
        let met = |stages: Vec<Stage>| {
            if !self.meets_twice() {
                return stages;
            }
            stages.into_iter().flat_map(|stage| self.two_launches(stage, (0, 1)).stages()).collect()
        };
        match self.form {
            // A single workgroup makes an exact sum of a short input; a longer one is a segment.
            ShapeKind::Whole if self.in_two_launches && !self.meets_twice() => {
                let alone = sized(self.monoid.fold().whole, self.items());
                alone.chain(many(self.monoid.fold().segments)).collect()
            }
            ShapeKind::Whole => {
                met(sized(self.monoid.fold().whole, self.items()).chain(self.adjoining()).collect())
            }
            ShapeKind::Accumulate => sized(&ACCUMULATE, Reads::Elements).collect(),
            ShapeKind::Strided => {
                met(vec![self.stage(self.monoid.fold().whole, Reads::Strided, self.last())])
            }
            ShapeKind::Segments => with_short(self.monoid.fold().segments),
            ShapeKind::Offsets => many(self.monoid.fold().offsets),
            // The last axis is segments.
            ShapeKind::Axis if self.monoid.exact.is_some() => {
                [self.monoid.fold().columns, self.monoid.fold().segments].map(with_short).concat()
            }
            ShapeKind::Axis => many(self.monoid.fold().columns),
        }
    }

    /// The input of the first dispatch.
    pub(crate) fn items(&self) -> Reads {
        let is_whole = self.form == ShapeKind::Whole && self.reduce.rung.is_none();
        match self.monoid.sample() {
            _ if self.reduce.from_states => Reads::Partials,
            // All texels are elements a stride of 1 apart, of which kernels load four at a time. Exact sums load vectors.
            Some(_) if is_whole && self.monoid.exact.is_none() => Reads::Strided,
            _ => Reads::Elements,
        }
    }

    /// The values that the last dispatch writes.
    pub(crate) fn last(&self) -> Writes {
        if self.reduce.to_states { Writes::Partials } else { Writes::Results }
    }

    /// A kernel in workgroups of the usual size, or small ones for exact sums of segments. States take a usual one: adding one takes a loop over
    /// its digits.
    pub(super) fn stage(&self, kernel: &'static Kernel, reads: Reads, writes: Writes) -> Stage {
        let workgroup_size = self.workgroup_size();
        self.for_rows(Stage { kernel, reads, writes, workgroup_size, tile: 0 }, u64::MAX)
    }

    /// Sizes the workgroup of an exact stage for parts of `rows` rows: it sums several short segments, one long segment, or several columns.
    /// Columns of few rows take a small workgroup. Other stages stay as they are.
    pub(super) fn for_rows(&self, stage: Stage, rows: u64) -> Stage {
        let Some(format) = self.monoid.format() else { return stage };
        let (most, has_many) = match (stage.kernel.coverage, stage.reads) {
            (Coverage::Columns, _) => (if rows <= FEW_ROWS { EXACT_SIZE } else { u32::MAX }, true),
            (Coverage::Teams, Reads::Elements) if rows > SHORT_SEGMENT => (EXACT_SIZE, false),
            (Coverage::Teams, Reads::Elements) => {
                (if rows <= FEW_ELEMENTS { EXACT_SIZE } else { u32::MAX }, true)
            }
            _ => return stage,
        };
        let workgroup_size = self.workgroup_size().min(most);
        let tile = if has_many { format.sums(workgroup_size, self.limits) } else { 0 };
        Stage { workgroup_size, tile, ..stage }
    }

    /// Bytes from one item of the input to the next.
    pub(crate) fn item_size(&self) -> u64 {
        if self.reduce.from_states { self.monoid.acc.stride } else { self.monoid.stride() }
    }

    /// Bytes from one value of the output to the next.
    pub(crate) fn out_stride(&self) -> u64 {
        if self.reduce.to_states { self.monoid.acc.stride } else { self.monoid.out.stride }
    }

    /// Workgroup sizes of the kernels for whole inputs.
    pub(super) fn whole_sizes(&self) -> Vec<u32> {
        let most = self.largest_workgroup();
        if most < WHOLE_SIZES[0] {
            return vec![most];
        }
        WHOLE_SIZES.into_iter().filter(|size| *size <= most).collect()
    }

    /// The stage that reads two windows; `None` if no input needs it or the device does not allow it.
    pub(super) fn adjoining(&self) -> Option<Stage> {
        let Limits { max_buffer_size, max_storage_buffers_per_shader_stage: buffers, .. } = *self.limits;
        let is_needed = self.monoid.arity() == Arity::One
            && self.monoid.exact.is_none()
            && !self.reduce.from_states
            && self.monoid.sample().is_none()
            && max_buffer_size > self.largest_binding()
            && buffers >= ADJOINING_BUFFERS;
        let sizes = self.whole_sizes().into_iter();
        let workgroup_size = sizes.filter(|size| is_needed && *size <= ADJOINING_SIZE).max()?;
        let stage = self.stage(&SINGLE_PASS, Reads::Adjoining, self.last());
        Some(Stage { workgroup_size, ..stage })
    }

    /// Invocations in a workgroup of the kernels that have only one size.
    pub(super) fn workgroup_size(&self) -> u32 {
        self.largest_workgroup().min(USUAL_SIZE)
    }

    /// The largest workgroup whose accumulators fit workgroup memory: a power of two.
    pub(super) fn largest_workgroup(&self) -> u32 {
        let room = u64::from(self.limits.max_compute_workgroup_storage_size).saturating_sub(16);
        // The queue of waiting segments has a word for each invocation.
        let queue = if self.form == ShapeKind::Offsets { 4 } else { 0 };
        let fits = match self.monoid.format() {
            Some(format) => format.largest_workgroup(room),
            None => (room / (self.monoid.acc.stride + queue)).clamp(1, 1024) as u32,
        };
        power_of_two_workgroup(fits, self.limits)
    }

    /// Returns true if the partials of one dispatch are reduced by a second dispatch.
    pub(super) fn meets_twice(&self) -> bool {
        self.in_two_launches && self.monoid.exact.is_none()
    }

    /// The shape in its place if workgroups share memory: the last axis of an array is segments, and a long whole input whose
    /// workgroups may not meet in one dispatch is one segment.
    fn simpler(&self, shape: Shape, parts: &[BufferRange]) -> Shape {
        if self.monoid.exact.is_none() {
            return shape;
        }
        match (shape, parts) {
            (Shape::Axis { outer, len, inner: 1 }, [part]) if outer.checked_mul(len) == Some(part.len) => {
                Shape::Segments { len }
            }
            // Every workgroup sums fewer items alone.
            (Shape::Whole, [part]) if self.in_two_launches && part.len > PER_INVOCATION => {
                Shape::Segments { len: part.len }
            }
            _ => shape,
        }
    }

    /// Plans a shape of its form over the parts of the first input and, if there are two inputs, over the second.
    pub(crate) fn plan(
        &self,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
    ) -> Result<Plan, Error> {
        let simpler = self.simpler(shape, parts);
        if simpler != shape {
            return Request { form: simpler.kind(), ..*self }.plan(simpler, parts, second);
        }
        limits::check_basics(self.limits)?;
        self.check(shape, parts, second)?;
        self.check_windows(shape, parts)?;
        let plan = match (shape, &self.reduce.rung) {
            (Shape::Whole, None) => self.whole(self.windows(parts, second, u64::MAX)),
            (Shape::Whole, Some(whole)) => whole.plan(self, parts, second),
            (Shape::Accumulate, _) => self.accumulate(&self.windows(parts, second, u64::MAX)),
            (Shape::Strided { stride }, _) => self.strided(one(parts, second)?, stride),
            (Shape::Segments { len }, _) => self.segments(one(parts, second)?, len),
            (Shape::Offsets { count }, _) => self.offsets(one(parts, second)?, count),
            (Shape::Axis { outer, len, inner }, _) => self.axis(one(parts, second)?, [outer, len, inner]),
        }?;
        let plan = if self.monoid.sample().is_some() { plan.of_texels(self.item_size()) } else { plan };
        Ok(plan.check(self.limits)?)
    }

    /// Checks that the inputs fit the operator, and that their elements can be counted.
    pub(super) fn check(
        &self,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
    ) -> Result<(), Error> {
        if self.form == ShapeKind::Accumulate && self.monoid.accumulates().is_none() {
            return Err(no_atomic(self.monoid));
        }
        let size = self.item_size();
        let apart = if let Shape::Strided { stride } = shape { step(stride)?.into() } else { 1 };
        let size = if self.reduce.from_states { self.unit(size) } else { size };
        for extent in parts.iter().chain(&second) {
            input::check(*extent, self.item_size().saturating_mul(apart), size)?;
        }
        let len = parts.iter().fold(0u64, |sum, part| sum.saturating_add(part.len));
        input::check_count(len)?;
        let has_states = matches!(self.form, ShapeKind::Whole | ShapeKind::Segments | ShapeKind::Axis);
        if (self.reduce.from_states || self.reduce.to_states) && !has_states {
            let remedy = "use `ShapeKind::Whole`, `ShapeKind::Segments` or `ShapeKind::Axis`";
            let message = format!("{:?} neither reads nor writes states: {remedy}", self.form);
            return Err(Error::setting("states", message));
        }
        let arity = if self.reduce.from_states { Arity::One } else { self.monoid.arity() };
        match (arity, second) {
            (Arity::One, None) => Ok(()),
            (Arity::Two, Some(other)) if one(parts, second)?.first.len == other.len => Ok(()),
            (Arity::Two, Some(second)) => Err(BufferError::Lengths { first: len, second: second.len }.into()),
            (arity, _) => Err(BufferError::SecondInput { is_needed: arity == Arity::Two }.into()),
        }
    }

    /// Checks that a binding can hold at least one item at every offset, and that the plan does not have too many launches: one per window, and for
    /// segments between offsets one for each part of the list that a binding holds.
    pub(super) fn check_windows(&self, shape: Shape, parts: &[BufferRange]) -> Result<(), LimitError> {
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
        needs!(self.limits, max_storage_buffer_binding_size, least)?;
        window::check(bytes.max(self.largest_binding()).saturating_mul(lists), self.limits)
    }
}

/// The stride as the kernel's parameters hold it.
pub(super) fn step(stride: u64) -> Result<u32, SettingError> {
    SettingError::unless("stride", stride, 1..=u32::MAX)?;
    Ok(stride as u32)
}

/// Returns the inputs of which the first must have exactly one part.
fn one(parts: &[BufferRange], second: Option<BufferRange>) -> Result<Inputs, Error> {
    match *parts {
        [first] => Ok(Inputs { first, second }),
        _ => {
            let remedy = "only `Shape::Whole` and `Shape::Accumulate` with one input take several; others need exactly one";
            Err(Error::setting("parts", format!("{} parts: {remedy}", parts.len())))
        }
    }
}
