//! Plans: from a length and limits to dispatches over tiles.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::power_of_two_workgroup;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::range::BufferRange;
use crate::gpu::{Pass, input};
use crate::scan::kernels::LINKS;
use crate::scan::plan::{Layout, Part, SPLIT};
use crate::select::kernels::{Beside, SELECT, SHORT, WIDE, own};
use crate::select::{Kept, Select};

/// The shortest input whose invocations have more elements. A shorter one gives some of a large GPU's workgroups nothing to do.
const LONG: u64 = 1 << 22;

impl Select {
    /// Invocations of a workgroup: on an NVIDIA H200 long inputs of runs take a tenth less time with 128, short ones and selections with 256.
    /// Beside lengths 256 take more than 16 KiB of workgroup memory.
    pub(super) fn workgroup(&self, step: Step, limits: &Limits) -> u32 {
        let has_few = step == SHORT && limits.max_compute_workgroup_storage_size > 20 << 10;
        let most = if has_few || matches!(self.kept, Kept::Function(_)) { 256 } else { 128 };
        power_of_two_workgroup(most, limits)
    }

    /// The kernel that selects, and the sizes of its plan.
    fn layout(&self, len: u64, limits: &Limits) -> (Step, Layout) {
        let step = if self.is_small || len < LONG || self.item() > WIDE { SHORT } else { SELECT };
        let workgroup = self.workgroup(step, limits);
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

    /// The links between tiles.
    pub(crate) fn memory_over(
        &self,
        range: BufferRange,
        beside: Beside,
        limits: &Limits,
    ) -> Result<Vec<Memory>, Error> {
        let (_, layout) = self.layout(range.len, limits);
        let parts = self.parts(range, layout.tile, limits)?.len();
        let links = Memory::own_zeros(LINKS, layout.links(range.len, parts, beside.state().words()));
        Ok(vec![links.checked(limits, "the memory for counts", SPLIT)?])
    }

    /// Plans the dispatches over a range of a buffer.
    pub(crate) fn passes(&self, range: BufferRange, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let (step, layout) = self.layout(range.len, limits);
        let parts = self.parts(range, layout.tile, limits)?;
        let common = layout.common(range.len, range.len.max(1), parts.len());
        layout.passes(&parts, [step; 2], common, limits)
    }
}
