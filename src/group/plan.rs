//! Plans of results by id: from the groups, the pairs and limits to dispatches.

use wgpu::Limits;

use crate::group::by_id::ById;
use crate::operation::device::Step;
use crate::operation::limits::{LimitError, largest_workgroup, needs};
use crate::operation::{OperationError, Pass, blocks, grid, input};
use crate::reduce::BufferRange;
use crate::reduce::plan::ByteRange;
use crate::window::Window;

pub(super) const TABLES: Step = "group/tables";
pub(super) const APART: Step = "group/apart";
pub(super) const FINISH: Step = "group/finish";

/// The words of `Params` in `shaders/group/shared/io.wgsl`, in its order.
pub(super) type Params = [u32; 8];

/// Invocations of a workgroup, on a device that allows as many.
const WORKGROUP: u32 = 1024;

/// Workgroups that fill a large GPU.
const FILLING: u64 = 132 * 4;

/// The most slices: every workgroup of a share reads all of its ids.
const MOST_SLICES: u32 = 32;

/// The most copies of a word. They hide how long it takes to add to one group again and again.
const MOST_COPIES: u32 = 8;

/// Bytes of workgroup memory that copies may take: more of it means fewer workgroups at the same time.
const COPIED: u32 = 33 << 10;

/// Bytes of workgroup memory besides the table.
const BESIDES: u32 = 256;

/// The additions to a word of a table after which a workgroup looks at it: half of its room.
const HALF: u32 = 1 << 14;

/// The most steps of a workgroup: some drivers end loops after 65 535 iterations.
const MOST_STEPS: u64 = 1 << 14;

/// The fewest steps that pay for a table.
const LEAST_STEPS: u64 = 4;

/// The remedy for too many workgroups.
const SPLIT: &str = "split the input";

/// A workgroup's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) workgroup_size: u32,
    /// Copies of each word.
    pub(super) copies: u32,
    /// Groups of a slice, and slices.
    pub(super) slice: u32,
    pub(super) slices: u32,
}

impl Table {
    /// The table for these results.
    pub(super) fn of(by_id: &ById, limits: &Limits) -> Self {
        let (groups, planes) = (by_id.groups, by_id.planes());
        let workgroup_size = 1 << largest_workgroup(limits).clamp(1, WORKGROUP).ilog2();
        let bytes = limits.max_compute_workgroup_storage_size;
        let room = |bytes: u32| (bytes.saturating_sub(BESIDES) / (4 * planes)).max(1);
        let slices = groups.div_ceil(room(bytes));
        let slice = groups.div_ceil(slices);
        let copies = 1 << (room(bytes.min(COPIED)) / slice).clamp(1, MOST_COPIES).ilog2();
        Table { workgroup_size, copies, slice, slices }
    }

    /// True if it is worth it.
    pub(super) fn is_used(&self) -> bool {
        self.slices <= MOST_SLICES
    }

    /// Steps between two looks at it.
    fn period(&self) -> u32 {
        let per_step = 4 * self.workgroup_size.div_ceil(self.copies);
        (HALF / per_step).max(1)
    }
}

impl ById {
    /// Plans the dispatches over pairs of values and ids.
    pub(super) fn passes(
        &self,
        values: BufferRange,
        ids: BufferRange,
        limits: &Limits,
    ) -> Result<Vec<Pass<Step, Params>>, OperationError> {
        let windows = input::windows_of_two::<OperationError>([values, ids], [4, 4], limits)?;
        let mut passes = windows
            .into_iter()
            .map(|window| self.add(window, limits))
            .collect::<Result<Vec<_>, OperationError>>()?;
        let grid = grid::of(self.groups.into(), limits, "use fewer groups")?;
        let params = [0, 0, 0, self.groups, grid[0], 0, 0, 0];
        passes.push(Pass { step: FINISH, from: None, second: None, to: None, grid, params });
        needs!(limits, max_buffer_size, blocks::offset(passes.len()))?;
        Ok(passes)
    }

    /// The dispatch over a window of pairs.
    fn add(
        &self,
        (window, second, at): (Window, ByteRange, u32),
        limits: &Limits,
    ) -> Result<Pass<Step, Params>, OperationError> {
        let table = Table::of(self, limits);
        let (step, slices) = if table.is_used() { (TABLES, table.slices) } else { (APART, 1) };
        let per_step = 4 * u64::from(table.workgroup_size);
        // The first four may begin before the first pair.
        let all = (u64::from(window.first % 4) + u64::from(window.len)).div_ceil(per_step);
        let shares = (all / LEAST_STEPS).clamp(1, FILLING.div_ceil(slices.into()).max(1));
        let shares = shares.max(all.div_ceil(MOST_STEPS));
        let grid = grid::of(shares * u64::from(slices), limits, SPLIT)?;
        let params = [
            window.first,
            at,
            window.len,
            (shares * u64::from(slices)) as u32,
            grid[0],
            shares as u32,
            all.div_ceil(shares) as u32,
            table.period(),
        ];
        let from = Some(ByteRange { offset: window.start, size: window.size });
        Ok(Pass { step, from, second: Some(second), to: None, grid, params })
    }

    /// Checks the limits that the states need.
    pub(super) fn check_states(&self, limits: &Limits) -> Result<(), LimitError> {
        LimitError::unless_bound(limits, self.states())
            .map_err(|error| error.of("the state of groups").or("use fewer groups"))
    }

    /// Bytes of all states, and of the number of ids that no group has.
    pub(super) fn states(&self) -> u64 {
        4 * (u64::from(self.groups) * self.state() + 1)
    }
}
