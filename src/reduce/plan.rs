//! From a length and some limits to a list of dispatches.
//!
//! Pure: no GPU here. A [`Plan`] says which stages run, over which part of the input, into which buffer and
//! with how many workgroups. What does not fit one binding is cut into windows, what does not fit one row of workgroups is
//! folded into two dimensions, and no invocation is given more iterations than the weakest driver carries out.

use wgpu::Limits;

use crate::pipeline;
use crate::reduce::catalogue::{Coverage, Finish, Rung, Subgroups};
use crate::reduce::error::PlanError;
use crate::reduce::operator::Accumulator;
use crate::reduce::tuning::Tuning;
use crate::window;

/// The most loop iterations a plan gives one invocation.
///
/// Mesa 22's lavapipe silently ends loops after 65 535 iterations, all loops of an invocation together; half of
/// that is for the grid-stride loop, the rest for what comes after it.
const MAX_ITERATIONS: u64 = 32_768;

/// What `Pairs` leaves to the host when the host finishes, as in the OpenCL tutorial.
const PAIRS_LEFT_TO_HOST: u64 = 64;

/// Words in front of the first partial on the notice board: the ticket counter's cache line.
const BOARD_HEAD: u64 = 32;

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
    /// From a position in the first input to the same in the second.
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
        let mut planner = Planner { job: self, limits, count, passes: Vec::new(), scratch: [0; 2], depth: 0 };
        let windows = planner.windows(Buffer::Input, offset, len);
        let (left, board) = match self.finish {
            Finish::Atomic => (planner.through_total(&windows)?, 0),
            Finish::LastWorkgroup => planner.through_board(&windows)?,
            Finish::Host | Finish::Repeat | Finish::OneWorkgroup => (planner.through_scratch(&windows)?, 0),
        };
        let plan = Plan {
            passes: planner.passes,
            left,
            scratch: planner.scratch,
            board,
            output: left * self.accumulator.size,
            depth: planner.depth,
        };
        plan.check(limits)?;
        Ok(plan)
    }
}

/// A buffer that a dispatch may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Buffer {
    Input,
    Scratch(usize),
}

/// A part of a buffer that one binding can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Window {
    from: From,
    /// Items between the start of the binding and the first one covered.
    first: u32,
    len: u32,
    /// Position of the first one among all.
    index: u32,
}

/// A window for a dispatch that reads nothing.
const NOTHING: Window = Window { from: From::Nothing, first: 0, len: 0, index: 0 };

/// Where the results of a dispatch go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    /// Side by side from this accumulator of a scratch buffer on.
    Scratch(usize, u64),
    /// Side by side from this accumulator of the output on.
    Output(u64),
    /// Into the one result; partial ones go to the notice board from this slot on, or into an atomic.
    Result(u64),
}

/// Dispatches that do not depend on one another: one a window of what the level below left.
struct Level {
    stage: Stage,
    windows: Vec<Window>,
    results: Vec<u64>,
}

impl Level {
    /// Results it leaves.
    fn left(&self) -> u64 {
        self.results.iter().sum()
    }
}

struct Planner<'a> {
    job: &'a Job,
    limits: &'a Limits,
    count: u32,
    passes: Vec<Pass>,
    scratch: [u64; 2],
    depth: u64,
}

impl Planner<'_> {
    /// What a binding's offset must be a multiple of.
    fn align(&self) -> u64 {
        u64::from(self.limits.min_storage_buffer_offset_alignment).max(16)
    }

    /// The most bytes a dispatch may read through one binding.
    fn largest_window(&self, item: u64) -> u64 {
        let largest = self.limits.max_storage_buffer_binding_size.min(1 << 31);
        // What it writes has to fit a binding as well, behind a start that is aligned down.
        let results = largest.saturating_sub(self.align()) / self.job.accumulator.size;
        let largest = largest.min(results.saturating_mul(self.per_result() * item));
        (largest / self.align()).max(1) * self.align()
    }

    /// Items that give one result, at least.
    fn per_result(&self) -> u64 {
        if self.job.rung.coverage == Coverage::Pairs { 2 } else { self.per_workgroup() }
    }

    /// Cuts `len` items from byte `offset` on into windows that fit a binding.
    fn windows(&self, buffer: Buffer, offset: u64, len: u64) -> Vec<Window> {
        let item = match buffer {
            Buffer::Input => self.job.accumulator.element.size(),
            Buffer::Scratch(_) => self.job.accumulator.size,
        };
        let windows = window::cut(offset, len, item, self.largest_window(item), self.align());
        let from = |offset, size| match buffer {
            _ if size == 0 => From::Nothing,
            Buffer::Input => From::Input { offset, size },
            Buffer::Scratch(buffer) => From::Scratch { buffer, offset, size },
        };
        let bound = |window: &window::Window| Window {
            from: from(window.start, window.size),
            first: window.first,
            len: window.len,
            index: window.index,
        };
        windows.iter().map(bound).collect()
    }

    /// The binding that holds `results` accumulators of a target, and where in it they start.
    fn bind(&self, target: Target, results: u64) -> (To, u64) {
        let acc = self.job.accumulator.size;
        let range = |store: u64| {
            let offset = store * acc / self.align() * self.align();
            (offset, (store + results) * acc - offset, store - offset / acc)
        };
        match target {
            Target::Scratch(buffer, store) => {
                let (offset, size, store) = range(store);
                (To::Scratch { buffer, offset, size }, store)
            }
            Target::Output(store) => {
                let (offset, size, store) = range(store);
                (To::Output { offset, size }, store)
            }
            Target::Result(slot) => (To::Output { offset: 0, size: acc }, slot),
        }
    }

    /// Items one workgroup takes in one go.
    fn per_workgroup(&self) -> u64 {
        let Tuning { workgroup_size, tile, .. } = self.job.tuning;
        match self.job.rung.coverage {
            Coverage::Pairs => 2 * u64::from(workgroup_size),
            Coverage::Block(items) | Coverage::Grid(items) => u64::from(items) * u64::from(workgroup_size),
            Coverage::Tiles(tiles) => u64::from(tiles) * u64::from(tile),
        }
    }

    /// How many results `len` items give, if a fixed grid has at most `most` workgroups.
    fn results(&self, len: u64, most: u64) -> u64 {
        let results = match self.job.rung.coverage {
            Coverage::Pairs => len.div_ceil(2),
            Coverage::Block(_) | Coverage::Tiles(_) => len.div_ceil(self.per_workgroup()),
            Coverage::Grid(_) => {
                let wanted = len.div_ceil(self.per_workgroup()).min(most);
                wanted.max(len.div_ceil(u64::from(self.job.tuning.workgroup_size) * MAX_ITERATIONS))
            }
        };
        results.max(1)
    }

    /// The grid for so many results: one row, or the fewest rows that hold them.
    fn grid(&self, results: u64) -> Result<[u32; 2], PlanError> {
        let groups = match self.job.rung.coverage {
            Coverage::Pairs => results.div_ceil(u64::from(self.job.tuning.workgroup_size)),
            _ => results,
        };
        let limit = pipeline::most_groups(self.limits);
        pipeline::folded(groups, self.limits).ok_or(PlanError::TooManyWorkgroups { needed: groups, limit })
    }

    /// Additions one element may go through in a dispatch that turns `len` items into `results`.
    fn steps(&self, len: u64, results: u64) -> u64 {
        let workgroup_size = u64::from(self.job.tuning.workgroup_size);
        match self.job.rung.coverage {
            Coverage::Pairs => 1,
            // In subgroups of 4, the narrowest, a lane walks over up to a sixteenth of the workgroup's partial results.
            _ => {
                let own = len.div_ceil(results * workgroup_size);
                let narrow = if self.job.rung.subgroups == Subgroups::Unused {
                    0
                } else {
                    workgroup_size.div_ceil(16)
                };
                own + u64::from(workgroup_size.ilog2()) + narrow + 4
            }
        }
    }

    fn push(&mut self, stage: Stage, window: Window, target: Target, results: u64) -> Result<(), PlanError> {
        let grid = self.grid(results)?;
        let (to, store) = self.bind(target, results);
        self.passes.push(Pass {
            stage,
            from: window.from,
            to,
            grid,
            params: Params {
                first: window.first,
                len: window.len,
                groups: results as u32,
                row: grid[0],
                store: store as u32,
                index: window.index,
                count: self.count,
                ..Params::default()
            },
        });
        Ok(())
    }

    /// How many results each window gives, if together they may give `most`; a fixed grid is shared out evenly.
    fn results_of(&self, windows: &[Window], most: u64) -> Vec<u64> {
        let most = (most / windows.len() as u64).max(1);
        windows.iter().map(|window| self.results(u64::from(window.len), most)).collect()
    }

    /// One dispatch a window, results side by side in what `target` makes of their place.
    fn over_windows(
        &mut self,
        stage: Stage,
        windows: &[Window],
        results: &[u64],
        target: impl Fn(u64) -> Target,
    ) -> Result<(), PlanError> {
        let mut store = 0;
        for (window, &results) in windows.iter().zip(results) {
            self.push(stage, *window, target(store), results)?;
            store += results;
        }
        let lengths = windows.iter().map(|window| u64::from(window.len));
        let steps = lengths.zip(results).map(|(len, &results)| self.steps(len, results));
        self.depth += steps.max().unwrap_or(0);
        Ok(())
    }

    /// Marks the last dispatch as the one that delivers.
    fn deliver(&mut self) {
        if let Some(pass) = self.passes.last_mut() {
            pass.params.last = 1;
        }
    }

    /// The most workgroups that the next level of partial results gets; `None` if they are to stay.
    fn next_grid(&self, left: u64) -> Option<u64> {
        let most = u64::from(self.job.tuning.max_workgroups);
        match self.job.finish {
            _ if left == 1 => None,
            Finish::Host => {
                (self.job.rung.coverage == Coverage::Pairs && left > PAIRS_LEFT_TO_HOST).then_some(most)
            }
            Finish::Repeat => (left > u64::from(self.job.tuning.leave)).then_some(most),
            // One workgroup, unless that would be too many iterations: then `results` asks for more.
            _ => Some(1),
        }
    }

    /// Workgroups leave their results in scratch memory, level after level; answers how many are left.
    fn through_scratch(&mut self, windows: &[Window]) -> Result<u64, PlanError> {
        let mut levels = vec![Level {
            stage: Stage::Elements,
            results: self.results_of(windows, u64::from(self.job.tuning.max_workgroups)),
            windows: windows.to_vec(),
        }];
        loop {
            let below = levels.len() - 1;
            let left = levels[below].left();
            let Some(most) = self.next_grid(left) else { break };
            let windows = self.windows(Buffer::Scratch(below % 2), 0, left);
            let level = Level { stage: Stage::Partials, results: self.results_of(&windows, most), windows };
            // A workgroup of one invocation that takes one item makes no progress: the host adds the rest.
            if level.left() >= left {
                break;
            }
            self.scratch[below % 2] = self.scratch[below % 2].max(left * self.job.accumulator.size);
            levels.push(level);
        }
        let top = levels.len() - 1;
        for (height, level) in levels.iter().enumerate() {
            self.over_windows(level.stage, &level.windows, &level.results, |store| {
                if height == top { Target::Output(store) } else { Target::Scratch(height % 2, store) }
            })?;
        }
        let left = levels[top].left();
        if left == 1 {
            self.deliver();
        }
        Ok(left)
    }

    /// Results go into one atomic word, which starts as the identity and may need a last touch.
    fn through_total(&mut self, windows: &[Window]) -> Result<u64, PlanError> {
        let results = self.results_of(windows, u64::from(self.job.tuning.max_workgroups));
        self.push(Stage::Seed, NOTHING, Target::Result(0), 1)?;
        self.over_windows(Stage::Elements, windows, &results, Target::Result)?;
        if self.job.accumulator.needs_finish() {
            self.push(Stage::Seal, NOTHING, Target::Result(0), 1)?;
        }
        // At worst every invocation has a subgroup of its own.
        self.depth += results.iter().sum::<u64>() * u64::from(self.job.tuning.workgroup_size);
        Ok(1)
    }

    /// Results go onto the notice board; answers how many are left, and the bytes of the board.
    fn through_board(&mut self, windows: &[Window]) -> Result<(u64, u64), PlanError> {
        // The board is one binding, and the last workgroup walks over all of it.
        let slots = self.limits.max_storage_buffer_binding_size.saturating_sub(4 * BOARD_HEAD)
            / self.job.accumulator.size;
        let most = slots.min(u64::from(self.job.tuning.workgroup_size) * (MAX_ITERATIONS - 4096));
        let mut results = self.results_of(windows, most.min(u64::from(self.job.tuning.max_workgroups)));
        // Whole rectangles: a workgroup too many would fold items a second time and draw a ticket.
        results.iter_mut().for_each(|results| *results = pipeline::whole_rows(*results, self.limits));
        let tickets = results.iter().sum::<u64>();
        if tickets > most {
            return Err(PlanError::TooManyTickets { needed: tickets, limit: most });
        }
        self.over_windows(Stage::Elements, windows, &results, Target::Result)?;
        for pass in &mut self.passes {
            pass.params.tickets = tickets as u32;
            pass.params.last = 1;
        }
        self.depth += self.steps(tickets, 1);
        Ok((1, 4 * BOARD_HEAD + tickets * self.job.accumulator.size))
    }
}
