//! Maps element ranges to byte ranges of bindings, and workgroup counts to grids.

use std::ops::Range;

use crate::gpu::error::Error;
use crate::gpu::pass::Binding;
use crate::gpu::window::Window;
use crate::gpu::{LimitError, grid, input};
use crate::reduce::kernel::Coverage;
use crate::reduce::plan::{BufferRange, ByteRange, Inputs, PER_INVOCATION, Params, Request, Stage};

/// Bytes of the widest vector. Bindings start and end at its multiples.
const VECTOR: u64 = 32;

/// Bytes of the largest binding: kernels index bytes in 31 bits.
const MOST_BOUND: u64 = 1 << 31;

impl Request<'_> {
    pub(super) fn align(&self) -> u64 {
        u64::from(self.limits.min_storage_buffer_offset_alignment).max(VECTOR)
    }

    /// The largest size of a binding, in bytes.
    pub(super) fn largest_binding(&self) -> u64 {
        let largest = self.limits.max_storage_buffer_binding_size.min(MOST_BOUND);
        (largest / self.align()).max(1) * self.align()
    }

    /// Returns the binding that holds elements `range` of an input, and the position of the first one in it.
    pub(super) fn binding(&self, extent: BufferRange, range: Range<u64>) -> (ByteRange, u32) {
        let size = self.item_size();
        input::binding(extent, size, range, self.unit(size))
    }

    /// Returns the window of a part that holds elements `range`, with the matching window of the second input.
    pub(super) fn span(&self, Inputs { first: part, second }: Inputs, range: Range<u64>) -> Span {
        let (ByteRange { offset: start, size }, first) = self.binding(part, range.clone());
        let len = (range.end - range.start) as u32;
        let size = if len == 0 { 0 } else { size };
        Span {
            source: Source::Input(0),
            window: Window { start, size, first, len, index: range.start as u32 },
            next: None,
            second: second.map(|second| self.binding(second, range)),
        }
    }

    /// Returns the bytes of elements, from number `element` on, that one binding can hold.
    pub(super) fn room_from(&self, Inputs { first: part, second }: Inputs, element: u64) -> u64 {
        let size = self.item_size();
        let before = |extent: BufferRange| (extent.offset + element * size) % self.unit(size);
        let lost = before(part).max(second.map_or(0, before));
        self.largest_binding().saturating_sub(lost).max(size)
    }

    /// Returns the bytes that one binding can hold wherever the elements start between two multiples of the alignment.
    pub(super) fn room(&self) -> u64 {
        let unit = self.unit(self.item_size());
        self.largest_binding().saturating_sub(unit).max(unit)
    }

    /// Returns the grid for `groups` workgroups, folded into rows.
    pub(super) fn grid(&self, groups: u64) -> Result<[u32; 2], Error> {
        Ok(grid::of(groups, self.limits, "use a larger workgroup, or split the input")?)
    }

    /// Returns the grid of a stage for `count` teams of 2^`team` invocations.
    pub(super) fn teams(&self, stage: Stage, count: u64, team: u32) -> Result<[u32; 2], Error> {
        self.grid((count << team).div_ceil(stage.workgroup_size.into()))
    }

    /// Returns log2 of the number of invocations that a stage uses for `items` items.
    pub(super) fn team(&self, stage: Stage, items: u64) -> u32 {
        self.fitting_team(stage, items.div_ceil(PER_INVOCATION).next_power_of_two().ilog2())
    }

    /// Returns `needed`, limited to log2 of a workgroup. Invocations of an exact sum share its limbs: all of a workgroup, or of its share.
    pub(super) fn fitting_team(&self, stage: Stage, needed: u32) -> u32 {
        let most = stage.workgroup_size.ilog2();
        match stage.kernel.coverage {
            _ if self.monoid.exact.is_none() => needed.min(most),
            Coverage::Teams => most - stage.sums().max(1).ilog2(),
            _ => most,
        }
    }

    /// Returns the alignment of bindings of values of `stride` bytes, a multiple of `stride`.
    pub(super) fn unit(&self, stride: u64) -> u64 {
        input::unit(self.align(), stride)
    }

    /// Returns the binding for `count` values starting with number `begin`, and the position of the first one in it, in values.
    pub(super) fn store(&self, begin: u64, count: u64, stride: u64) -> (ByteRange, u32) {
        let all = BufferRange { offset: 0, len: begin + count };
        input::binding(all, stride, begin..begin + count, self.unit(stride))
    }

    /// Returns the binding of the output for `count` results starting with number `begin`, and the position of the first one in it.
    pub(super) fn results(&self, begin: u64, count: u64) -> (Option<Binding>, u32) {
        let (bytes, position) = self.store(begin, count, self.out_stride());
        (Some(Binding::Output(bytes)), position)
    }

    /// Returns the number of results that one binding can always hold.
    pub(super) fn storable_results(&self) -> u64 {
        self.storable(self.out_stride())
    }

    /// Returns the number of values of `stride` bytes that one binding can hold wherever they start.
    pub(super) fn storable(&self, stride: u64) -> u64 {
        let largest = self.largest_binding();
        ((largest - self.unit(stride).min(largest / 2)) / stride).max(1)
    }

    /// Checks that one binding can hold all of the scratch memory.
    pub(super) fn scratch(&self, needed: u64) -> Result<u64, Error> {
        self.check_binding("the scratch memory", needed, "reduce fewer elements at once")?;
        Ok(needed)
    }

    /// Checks that one binding can hold `subject`.
    pub(super) fn check_binding(
        &self,
        subject: &str,
        needed: u64,
        remedy: &'static str,
    ) -> Result<(), LimitError> {
        let is_own = self.limits.max_storage_buffer_binding_size >= MOST_BOUND;
        LimitError::unless("max_storage_buffer_binding_size", self.largest_binding(), needed)
            .map_err(|error| LimitError { is_own, ..error.of(subject).or(remedy) })
    }
}

/// The buffer that a window is in.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Source {
    /// A part of the first input, by its number.
    Input(usize),
    /// Memory of the plan, by its number.
    Memory(usize),
}

/// A window of the inputs or of partials.
#[derive(Clone, Copy)]
pub(crate) struct Span {
    pub(super) source: Source,
    pub(super) window: Window,
    /// The next window of the same buffer, if one dispatch reads both.
    pub(super) next: Option<Window>,
    /// The window of the second input, and the position of the first item in it.
    pub(super) second: Option<(ByteRange, u32)>,
}

impl Span {
    /// Returns the bindings of a dispatch over this window: first and second input. An empty window has none.
    pub(super) fn bindings(&self) -> [Option<Binding>; 2] {
        let bound = |bytes| match self.source {
            Source::Input(part) => Binding::Input(part, bytes),
            Source::Memory(number) => Binding::Memory(number, bytes),
        };
        let second = self.second.map(|(bytes, _)| Binding::Input(1, bytes));
        let first = self.window.bytes().map(bound);
        [first, first.and(self.next.and_then(|next| next.bytes().map(bound)).or(second))]
    }

    /// Returns the number of elements in the window and the next one.
    pub(super) fn len(&self) -> u32 {
        self.window.len + self.next.map_or(0, |next| next.len)
    }

    /// Returns the kernel parameters of this window.
    pub(super) fn params(&self) -> Params {
        let Window { first, len, index, .. } = self.window;
        let second = match (self.next, self.second) {
            (Some(_), _) => first + len,
            (None, Some((_, at))) => at.wrapping_sub(first),
            (None, None) => 0,
        };
        Params { first, len: self.len(), index, second, ..Params::default() }
    }
}

#[cfg(test)]
mod tests {
    use wgpu::Limits;

    use super::MOST_BOUND;
    use crate::reduce::plan::BufferRange;
    use crate::reduce::{Op, Reduce, Shape};
    use crate::{Element, Options};

    /// Returns the error of a plan that a device with these limits refuses.
    fn refused(shape: Shape, len: u64, limits: &Limits) -> String {
        let sum = Op::Sum.over(Element::F32).unwrap();
        let (parts, options) = ([BufferRange { offset: 0, len }], Options::default());
        Reduce::new(sum).plan(shape, &parts, None, &options, limits).unwrap_err().to_string()
    }

    #[test]
    fn remedies_never_exceed_what_halofold_binds() {
        let row = Shape::Axis { outer: 1, len: 2, inner: 1 << 30 };
        let binding = |max_storage_buffer_binding_size| {
            let limits = Limits { max_storage_buffer_binding_size, ..Limits::default() };
            refused(row, 1 << 31, &limits)
        };
        for size in [MOST_BOUND, MOST_BOUND * 2] {
            let error = binding(size);
            let remedy = "halofold uses at most 2147483648: reduce ranges of its columns separately";
            assert!(error.starts_with("a row needs max_storage") && error.ends_with(remedy), "{error}");
        }
        let error = binding(MOST_BOUND / 2);
        assert!(error.contains("this device has 1073741824: request more"), "{error}");
    }

    #[test]
    fn a_buffer_that_is_too_large_is_named() {
        let limits = Limits { max_buffer_size: 1 << 20, ..Limits::default() };
        let error = refused(Shape::Segments { len: 2 }, 1 << 20, &limits);
        assert!(error.starts_with("the output needs max_buffer_size of 2097152"), "{error}");
        assert!(error.ends_with("or reduce fewer elements at once"), "{error}");
    }
}
