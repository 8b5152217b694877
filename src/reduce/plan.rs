//! From a length and some limits to a list of dispatches.
//!
//! Pure: no GPU here. A [`Plan`] says which stages run, over which part of the input, into which buffer and
//! with how many workgroups. What does not fit one binding is cut into windows, what does not fit one row of workgroups is
//! folded into two dimensions, and no invocation is given more iterations than the weakest driver carries out.

mod planner;

use wgpu::Limits;

use crate::reduce::catalogue::{Coverage, Finish, Rung};
use crate::reduce::error::PlanError;
use crate::reduce::operator::Accumulator;
use crate::reduce::tuning::Tuning;

/// What a dispatch does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Writes the operator's identity into the grand total.
    Seed,
    /// Reads the caller's elements.
    Elements,
    /// Reads accumulators that an earlier dispatch left.
    Partials,
    /// Turns the grand total into the result.
    Seal,
}

impl Stage {
    /// The entry point of its module.
    pub const fn entry_point(self) -> &'static str {
        match self {
            Stage::Seed => "seed",
            Stage::Elements | Stage::Partials => "main",
            Stage::Seal => "seal",
        }
    }
}

/// Where a dispatch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    /// A window of the caller's buffer, in bytes.
    Input {
        /// Where the binding starts.
        offset: u64,
        /// How long it is.
        size: u64,
    },
    /// A window of one of the two scratch buffers, in bytes.
    Scratch {
        /// Which one.
        buffer: usize,
        /// Where the binding starts.
        offset: u64,
        /// How long it is.
        size: u64,
    },
    /// Nothing.
    Nothing,
}

/// Where a dispatch writes: a window, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// One of the two scratch buffers.
    Scratch {
        /// Which one.
        buffer: usize,
        /// Where the binding starts.
        offset: u64,
        /// How long it is.
        size: u64,
    },
    /// The caller's output.
    Output {
        /// Where the binding starts, from the output's own offset on.
        offset: u64,
        /// How long it is.
        size: u64,
    },
}

/// The numbers a kernel is given: `Params` of `shaders/shared/io.wgsl`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Params {
    /// Where the dispatch starts, in items from the start of its binding.
    pub first: u32,
    /// Items it covers.
    pub len: u32,
    /// Workgroups that have work; for [`Coverage::Pairs`] the results it writes.
    pub groups: u32,
    /// Workgroups in one row of the grid.
    pub row: u32,
    /// Where its first result goes, in accumulators from the start of its binding; on the notice board, its first
    /// slot.
    pub store: u32,
    /// Position of its first item in the whole input.
    pub index: u32,
    /// Length of the whole input.
    pub count: u32,
    /// Workgroups of all dispatches that share the ticket counter.
    pub tickets: u32,
    /// 1 if it delivers final results.
    pub last: u32,
    /// Always zero.
    pub zero: u32,
    /// Items of one segment, for results that are many.
    pub segment: u32,
    /// Items of one chunk, at most.
    pub chunk: u32,
    /// Chunks of one segment.
    pub chunks: u32,
    /// Number of the dispatch's first chunk.
    pub base: u32,
    /// Invocations that share a chunk, as a power of two.
    pub team: u32,
    /// From a position in the first input to the same in the second; where two bindings adjoin, the items of the first one.
    pub other: u32,
    /// From an item to the next of the same result: a matrix's columns, a stride.
    pub inner: u32,
    /// Columns that a team takes side by side.
    pub width: u32,
    /// 1 if its accumulators are added to those that a dispatch before has left at the same places.
    pub onto: u32,
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pass {
    /// What it does.
    pub stage: Stage,
    /// Where it reads.
    pub from: From,
    /// Where it writes.
    pub to: To,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// What its kernel is given.
    pub params: Params,
}

/// The dispatches of one reduction, and the memory they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The dispatches, in order.
    pub passes: Vec<Pass>,
    /// Accumulators left in the output: 1, or more if the host finishes.
    pub left: u64,
    /// Bytes of the two scratch buffers; 0 where one is not needed.
    pub scratch: [u64; 2],
    /// Bytes of the notice board; 0 where none is needed.
    pub board: u64,
    /// Bytes of output.
    pub output: u64,
    /// Additions on the longest way from an element to the result: what a float's error bound grows with.
    pub depth: u64,
}

impl Plan {
    /// Checks that every buffer may be as large as it has to be.
    fn check(&self, limits: &Limits) -> Result<(), PlanError> {
        let limit = limits.max_buffer_size;
        let buffers = [
            ("scratch memory", self.scratch[0].max(self.scratch[1])),
            ("notice board", self.board),
            ("output", self.output),
        ];
        match buffers.into_iter().find(|(_, needed)| *needed > limit) {
            Some((role, needed)) => Err(PlanError::BufferTooLarge { role, needed, limit }),
            None => Ok(()),
        }
    }

    /// Workgroups of the dispatches that read the caller's elements.
    pub fn workgroups(&self) -> u64 {
        let elements = self.passes.iter().filter(|pass| pass.stage == Stage::Elements);
        elements.map(|pass| u64::from(pass.grid[0]) * u64::from(pass.grid[1])).sum()
    }
}

/// What is to be planned: a rung for an operator, with its knobs and its way to finish.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The kernel.
    pub rung: &'static Rung,
    /// Operator and element type.
    pub accumulator: Accumulator,
    /// The knobs.
    pub tuning: Tuning,
    /// How partial results become one.
    pub finish: Finish,
}

impl Job {
    /// The stages that its plans have.
    pub fn stages(&self) -> &'static [Stage] {
        match self.finish {
            Finish::Atomic if self.accumulator.needs_finish() => &[Stage::Seed, Stage::Elements, Stage::Seal],
            Finish::Atomic => &[Stage::Seed, Stage::Elements],
            Finish::LastWorkgroup => &[Stage::Elements],
            Finish::Host if self.rung.coverage != Coverage::Pairs => &[Stage::Elements],
            Finish::Host | Finish::Repeat | Finish::OneWorkgroup => &[Stage::Elements, Stage::Partials],
        }
    }

    /// Checks everything that does not depend on the length.
    ///
    /// # Errors
    ///
    /// A workgroup or tile that the limits or the rung do not allow, a finish that the rung does not offer.
    pub fn check(&self, limits: &Limits) -> Result<(), PlanError> {
        let Tuning { workgroup_size, tile, .. } = self.tuning;
        if !workgroup_size.is_power_of_two() {
            return Err(PlanError::WorkgroupNotPowerOfTwo(workgroup_size));
        }
        let limit = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        // The unrolled trees start at 1024.
        let limit = limit.min(1024);
        if workgroup_size > limit {
            return Err(PlanError::WorkgroupTooLarge { asked: workgroup_size, limit });
        }
        let tile_fits = tile.is_power_of_two() && tile <= 1024 && (1..=16).contains(&(tile / workgroup_size));
        if matches!(self.rung.coverage, Coverage::Tiles(_)) && !tile_fits {
            return Err(PlanError::Tile { tile, workgroup_size });
        }
        // The last workgroup has a flag to share besides.
        let flag = if self.finish == Finish::LastWorkgroup { 4 } else { 0 };
        let needed = u64::from(self.rung.memory.items(workgroup_size, tile)) * self.accumulator.size + flag;
        let limit = limits.max_compute_workgroup_storage_size;
        if needed > u64::from(limit) {
            return Err(PlanError::WorkgroupMemory { rung: self.rung.name, needed, limit });
        }
        if !self.rung.finishes.contains(&self.finish) {
            let offered: Vec<_> = self.rung.finishes.iter().map(|finish| finish.name()).collect();
            return Err(PlanError::Finish {
                rung: self.rung.name,
                finish: self.finish,
                offered: offered.join(", "),
            });
        }
        Ok(())
    }

    /// Plans the reduction of `len` elements that start `offset` bytes into a buffer.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`], an offset that is no multiple of the element's size, more elements or workgroups than fit.
    pub fn plan(&self, offset: u64, len: u64, limits: &Limits) -> Result<Plan, PlanError> {
        self.check(limits)?;
        let size = self.accumulator.element.size();
        if !offset.is_multiple_of(size) {
            return Err(PlanError::Misaligned { offset, size });
        }
        let count = u32::try_from(len).map_err(|_| PlanError::TooManyElements(len))?;
        // Room for rounding the end up to whole words.
        offset.checked_add(len * size + 4).ok_or(PlanError::OutOfReach { offset, len })?;
        let plan = planner::plan(self, limits, offset, count)?;
        plan.check(limits)?;
        Ok(plan)
    }
}
