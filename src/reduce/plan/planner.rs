//! How one reduction becomes dispatches: windows, levels of partial results, and where each leaves its own.

use wgpu::Limits;

use crate::pipeline;
use crate::reduce::catalogue::{Coverage, Finish, Subgroups};
use crate::reduce::error::PlanError;
use crate::reduce::plan::{From, Job, Params, Pass, Plan, Stage, To};
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

/// The dispatches of a job over `count` elements from byte `offset` on.
pub(super) fn plan(job: &Job, limits: &Limits, offset: u64, count: u32) -> Result<Plan, PlanError> {
    let mut planner = Planner { job, limits, count, passes: Vec::new(), scratch: [0; 2], depth: 0 };
    let windows = planner.windows(Buffer::Input, offset, u64::from(count));
    let (left, board) = match job.finish {
        Finish::Atomic => (planner.through_total(&windows)?, 0),
        Finish::LastWorkgroup => planner.through_board(&windows)?,
        Finish::Host | Finish::Repeat | Finish::OneWorkgroup => (planner.through_scratch(&windows)?, 0),
    };
    Ok(Plan {
        passes: planner.passes,
        left,
        scratch: planner.scratch,
        board,
        output: left * job.accumulator.size,
        depth: planner.depth,
    })
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
