//! Plans: from a length and limits to dispatches over tiles.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::power_of_two_workgroup;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::BufferRange;
use crate::gpu::{Pass, input};
use crate::scan::kernels::LINKS;
use crate::scan::plan::{Layout, Params, Part, SPLIT};
use crate::select::kernels::{BEGINS, Beside, LENGTHS, SELECT, SHORT, WIDE, own};
use crate::select::{Kept, Select};

/// The shortest input whose invocations have more elements. A shorter one gives some of a large GPU's workgroups nothing to do.
const LONG: u64 = 1 << 22;

/// The most workgroups that take chunks.
const CHUNKS: u64 = 2048;

impl Select {
    /// Invocations of a workgroup: on an NVIDIA H200 runs take a tenth less time with 128, and selections of few elements with 256.
    pub(super) fn workgroup(&self, limits: &Limits) -> u32 {
        let most = if matches!(self.kept, Kept::Function(_)) { 256 } else { 128 };
        power_of_two_workgroup(most, limits)
    }

    /// The kernel that selects, and the sizes of its plan.
    fn layout(&self, len: u64, limits: &Limits) -> (Step, Layout) {
        let step = if self.is_small || len < LONG || self.item() > WIDE { SHORT } else { SELECT };
        let workgroup = self.workgroup(limits);
        let tile = (own(step) * workgroup).into();
        (step, Layout { tile, block: workgroup.into(), has_last: false })
    }

    /// The parts of an input. The element before one has to lie in the same part, if it counts.
    fn parts(&self, range: BufferRange, tile: u64, limits: &Limits) -> Result<Vec<Part>, Error> {
        if matches!(self.kept, Kept::Function(_)) && range.len > 0 {
            return Part::all(range, [self.item(), 0], tile, limits);
        }
        let (from, first) = input::whole(range, self.item(), limits)?;
        let from = (range.len > 0).then_some(from);
        Ok(vec![Part { len: range.len, from, first, ..Part::default() }])
    }

    /// Runs of a chunk.
    pub(super) fn chunk(&self, limits: &Limits) -> u64 {
        16 * u64::from(self.workgroup(limits))
    }

    /// Chunks of the runs of an input, at most.
    fn chunks(&self, len: u64, limits: &Limits) -> u64 {
        len.max(1).div_ceil(self.chunk(limits))
    }

    /// The links between tiles, and where chunks of runs begin.
    pub(crate) fn memory_over(
        &self,
        range: BufferRange,
        beside: Beside,
        limits: &Limits,
    ) -> Result<Vec<Memory>, Error> {
        let (_, layout) = self.layout(range.len, limits);
        let parts = self.parts(range, layout.tile, limits)?.len();
        let mut memory = vec![Memory::own_zeros(LINKS, layout.links(range.len, parts, 1))];
        if beside == Beside::Lengths {
            memory.push(Memory::scratch(BEGINS, 4 * self.chunks(range.len, limits)));
        }
        let checked = |memory: Memory| memory.checked(limits, "the memory for counts", SPLIT);
        Ok(memory.into_iter().map(checked).collect::<Result<_, _>>()?)
    }

    /// Plans the dispatches over a range of a buffer.
    pub(crate) fn passes(
        &self,
        range: BufferRange,
        beside: Beside,
        limits: &Limits,
    ) -> Result<Vec<Pass>, Error> {
        let (step, layout) = self.layout(range.len, limits);
        let parts = self.parts(range, layout.tile, limits)?;
        let common = layout.common(range.len, range.len.max(1), parts.len());
        let mut passes = layout.passes(&parts, [step; 2], common, limits)?;
        if beside == Beside::Lengths {
            let workgroups = self.chunks(range.len, limits).min(CHUNKS) as u32;
            let params = Params { grid_row: workgroups, tickets: workgroups, ..common };
            passes.push(Pass::new(LENGTHS, [workgroups, 1], params));
        }
        Ok(passes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::gpu::params::assert_kernels;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        assert_kernels::<Params>(&Select::unique(Element::U32));
    }
}
