//! Plans: from a length and limits to dispatches over tiles.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::input;
use crate::gpu::limits::power_of_two_workgroup;
use crate::gpu::operation::{Base, Step};
use crate::gpu::range::BufferRange;
use crate::scan::plan::{Layout, Part};
use crate::select::kernels::{Beside, LONG, MEDIUM, SHORT, WIDE, own};
use crate::select::{Kept, Select};

/// The shortest inputs of `MEDIUM` and `LONG`. With shorter ones a large GPU waits for its last workgroups. Unique keys gain nothing by `LONG`.
pub(super) const LEAST_MEDIUM: u64 = 1 << 21;
pub(super) const LEAST_LONG: u64 = 1 << 25;

impl Select {
    /// Invocations of a workgroup. Lengths of long inputs are faster with 128 on an NVIDIA H200. With 256 they need more than 16 KiB of memory.
    pub(super) fn workgroup(&self, step: Step, limits: &Limits) -> u32 {
        let has_few = step == SHORT && limits.max_compute_workgroup_storage_size > 20 << 10;
        power_of_two_workgroup(if has_few || self.beside == Beside::Nothing { 256 } else { 128 }, limits)
    }

    /// The kernel that selects.
    pub(super) fn step(&self, len: u64) -> Step {
        let least_long = match &self.kept {
            Kept::Function(_) => LEAST_LONG,
            Kept::Changes(_) if self.beside == Beside::Lengths => LEAST_LONG / 2,
            Kept::Changes(_) => u64::MAX,
        };
        match len {
            _ if self.is_small || self.item() > WIDE || len < LEAST_MEDIUM => SHORT,
            _ if len < least_long => MEDIUM,
            _ => LONG,
        }
    }

    /// The kernel that selects, and the sizes of its plan.
    pub(super) fn layout(&self, len: u64, limits: &Limits) -> (Step, Layout) {
        let step = self.step(len);
        let workgroup = self.workgroup(step, limits);
        (step, Layout { tile: (own(step) * workgroup).into(), block: workgroup.into(), has_last: false })
    }

    /// The parts of an input. The element before one has to lie in the same part, if it counts.
    pub(super) fn parts(&self, range: BufferRange, tile: u64, limits: &Limits) -> Result<Vec<Part>, Error> {
        if matches!(self.kept, Kept::Function(_)) && range.len > 0 {
            return Part::all(range, [self.item(), 0], tile, limits);
        }
        let (from, first) = input::whole(range, self.item(), limits)?;
        let from = (range.len > 0).then_some(from);
        Ok(vec![Part { len: range.len, from, first, ..Part::default() }])
    }
}
