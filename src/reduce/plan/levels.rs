//! A rung over a whole input: levels of partial results, and how they become one.
//!
//! A count on the GPU (`kernels/length.wgsl`) shortens every launch to that many items, launches over partial results
//! too. Nothing is lost: result `i` of a level holds no element before element `i`, so the results from the count on
//! hold none.

use crate::gpu::error::Error;
use crate::gpu::limits::{self, needs};
use crate::gpu::window;
use crate::gpu::{LimitError, SettingError};
use crate::reduce::kernel::{Coverage, Kernel, SEAL, SEED, VECTORIZED};
use crate::reduce::ladder::{Finish, Rung};
use crate::reduce::plan::whole::{Spread, items};
use crate::reduce::plan::{
    BufferRange, ByteRange, Dst, Launch, MAX_ITERATIONS, Own, Params, Plan, Reads, Request, Span, Src, Stage,
    WORD, Writes,
};
use crate::reduce::tuning::Tuning;

/// The number of partials that `Pairs` leaves to the host if the host finishes, as in the OpenCL tutorial.
const PAIRS_LEFT_TO_HOST: u64 = 64;

/// A window of the items that a level reads.
#[derive(Clone, Copy)]
struct Part {
    src: Src,
    reads: Reads,
    params: Params,
}

/// Launches that do not depend on one another: one per window of the previous level's partials.
struct Level {
    parts: Vec<Part>,
    results: Vec<u64>,
}

impl Level {
    /// The number of partials that it leaves.
    fn left(&self) -> u64 {
        self.results.iter().sum()
    }
}

/// A rung with its tuning, and the reduction for which it is planned.
struct Planner<'a> {
    request: &'a Request<'a>,
    kernel: &'static Kernel,
    finish: Finish,
    tuning: Tuning,
}

impl Request<'_> {
    /// All stages that plans in two launches may have: of elements that are read so, in workgroups of this size.
    pub(super) fn two_launch_stages(&self, reads: Reads, workgroup_size: u32) -> Vec<Stage> {
        let tuning = two_launches(workgroup_size, 0);
        let stages = self.rung_stages(&VECTORIZED, Finish::OneWorkgroup, tuning).into_iter();
        stages
            .map(|stage| if stage.reads == self.items() { Stage { reads, ..stage } } else { stage })
            .collect()
    }

    /// The plan of [`Request::spread`] in two launches, by the rung in front of the last one and its own finish: windows leave partials,
    /// and one workgroup reduces them. Windows, workgroups and the tree of combinations are the same.
    pub(super) fn in_two_launches(
        &self,
        spans: &[Span],
        stage: Stage,
        Spread { most, stride }: Spread,
    ) -> Result<Plan, Error> {
        let tuning = two_launches(stage.workgroup_size, most);
        let planner = Planner { request: self, kernel: &VECTORIZED, finish: Finish::OneWorkgroup, tuning };
        let own = if stage.reads == Reads::Strided { Own::Strided { stride } } else { Own::None };
        planner.through_scratch(&planner.over(spans, stage.reads, own))
    }

    /// All stages that plans of a rung may have.
    pub(super) fn rung_stages(&self, kernel: &'static Kernel, finish: Finish, tuning: Tuning) -> Vec<Stage> {
        let Tuning { workgroup_size, tile, .. } = tuning;
        let stage = |kernel, reads, writes| Stage { kernel, reads, writes, workgroup_size, tile };
        let (elements, last) = (self.items(), self.last());
        let mut stages = match finish {
            Finish::Atomic => {
                let one = |kernel| Stage { workgroup_size: 1, ..stage(kernel, Reads::Elements, last) };
                vec![one(&SEED), stage(kernel, elements, last), one(&SEAL)]
            }
            Finish::LastWorkgroup => vec![stage(kernel, elements, last)],
            Finish::Host if kernel.coverage != Coverage::Pairs => {
                vec![stage(kernel, elements, last), stage(kernel, elements, Writes::Partials)]
            }
            Finish::Host | Finish::Repeat | Finish::OneWorkgroup => vec![
                stage(kernel, elements, last),
                stage(kernel, elements, Writes::Partials),
                stage(kernel, Reads::Partials, Writes::Partials),
                stage(kernel, Reads::Partials, last),
            ],
        };
        stages.dedup();
        stages
    }

    /// Plans a rung.
    pub(super) fn rung(
        &self,
        rung: &'static Rung,
        finish: Finish,
        tuning: Tuning,
        parts: &[BufferRange],
        second: Option<BufferRange>,
    ) -> Result<Plan, Error> {
        check(self, rung, finish, tuning)?;
        let planner = Planner { request: self, kernel: rung.kernel, finish, tuning };
        match finish {
            Finish::LastWorkgroup => {
                let stage = planner.stage(self.items(), self.last());
                let spread = Spread { most: tuning.max_workgroups, stride: 1 };
                // An explicit rung and finish hold on every adapter.
                let request = Request { in_two_launches: false, ..*self };
                request.spread(&self.windows(parts, second), stage, spread)
            }
            Finish::Atomic => planner.through_total(&planner.windows(parts, second)),
            Finish::Host | Finish::Repeat | Finish::OneWorkgroup => {
                planner.through_scratch(&planner.windows(parts, second))
            }
        }
    }
}

/// The tuning of a plan in two launches.
fn two_launches(workgroup_size: u32, max_workgroups: u32) -> Tuning {
    Tuning { workgroup_size, max_workgroups, tile: 0, leave: 1 }
}

/// Makes the checks that do not depend on the length.
pub(in crate::reduce) fn check(
    request: &Request<'_>,
    rung: &'static Rung,
    finish: Finish,
    Tuning { workgroup_size, tile, .. }: Tuning,
) -> Result<(), Error> {
    let named = |error: LimitError| error.of(format!("`{}`", rung.name())).or("use a smaller workgroup");
    limits::check_workgroup([workgroup_size, 1], request.limits).map_err(named)?;
    // The unrolled trees start at 1024.
    SettingError::unless_power("workgroup_size", workgroup_size, 1..=1024)?;
    if matches!(rung.kernel.coverage, Coverage::Tiles(_)) {
        // Sixteen items an invocation at most.
        SettingError::unless_power("tile", tile, workgroup_size..=(16 * workgroup_size).min(1024))?;
    }
    // The last workgroup also shares a flag.
    let flag = if finish == Finish::LastWorkgroup { 4 } else { 0 };
    let items = u64::from(rung.kernel.workgroup_memory(workgroup_size, tile));
    let exact = request.monoid.format().map_or(0, |format| format.workgroup_memory(workgroup_size));
    let needed = items * request.monoid.acc.stride + exact + flag;
    needs!(request.limits, max_compute_workgroup_storage_size, needed).map_err(named)?;
    if !rung.finishes.contains(&finish) {
        let offered: Vec<_> = rung.finishes.iter().map(|finish| finish.name()).collect();
        let (rung, offered) = (rung.name(), offered.join(", "));
        let message = format!("`{rung}` does not finish by `{finish}`; it can by {offered}");
        return Err(Error::setting("finish", message));
    }
    Ok(())
}

impl Planner<'_> {
    fn stage(&self, reads: Reads, writes: Writes) -> Stage {
        let Tuning { workgroup_size, tile, .. } = self.tuning;
        Stage { kernel: self.kernel, reads, writes, workgroup_size, tile }
    }

    fn acc(&self) -> u64 {
        self.request.monoid.acc.stride
    }

    /// The most bytes that a launch may read through one binding, such that its output also fits a binding.
    fn largest_window(&self, item: u64) -> u64 {
        let results = self.request.storable(self.acc());
        results.saturating_mul(self.per_result() * item)
    }

    /// The smallest number of items per result.
    fn per_result(&self) -> u64 {
        if self.kernel.coverage == Coverage::Pairs { 2 } else { self.per_workgroup() }
    }

    /// The caller's inputs, cut into windows that fit a binding.
    fn windows(&self, parts: &[BufferRange], second: Option<BufferRange>) -> Vec<Part> {
        let most = self.largest_window(self.request.item_size());
        self.over(&self.request.windows_of(parts, second, most), self.request.items(), Own::None)
    }

    /// Windows of the caller's inputs that are read so.
    fn over(&self, spans: &[Span], reads: Reads, own: Own) -> Vec<Part> {
        let count = items(spans) as u32;
        let part = |span: &Span| Part {
            src: span.src(),
            reads: if span.next.is_some() { Reads::Adjoining } else { reads },
            params: Params { count, own, ..span.params() },
        };
        spans.iter().map(part).collect()
    }

    /// `len` accumulators in a scratch buffer, cut into windows.
    fn partials(&self, buffer: usize, len: u64, count: u32) -> Vec<Part> {
        let (align, acc) = (self.request.align(), self.acc());
        // A window also holds a whole number of accumulators.
        let unit = self.request.unit(acc);
        let most = self.request.largest_binding().min(self.largest_window(acc));
        let windows = window::cut(0, len, acc, (most / unit).max(1) * unit, align);
        let part = |window: &window::Window| Part {
            src: Src::Scratch(buffer, ByteRange { offset: window.start, size: window.size }),
            reads: Reads::Partials,
            params: Params {
                first: window.first,
                len: window.len,
                index: window.index,
                count,
                ..Params::default()
            },
        };
        windows.iter().map(part).collect()
    }

    /// Items that one workgroup takes per iteration.
    fn per_workgroup(&self) -> u64 {
        let size = u64::from(self.tuning.workgroup_size);
        match self.kernel.coverage {
            Coverage::Pairs => 2 * size,
            Coverage::Block(items) | Coverage::Grid(items) => u64::from(items) * size,
            Coverage::Tiles(tiles) => u64::from(tiles) * u64::from(self.tuning.tile),
            Coverage::Teams | Coverage::Columns | Coverage::One => size,
        }
    }

    /// The number of results of `len` items, if a fixed grid has at most `most` workgroups.
    fn results(&self, len: u64, most: u64) -> u64 {
        let results = match self.kernel.coverage {
            Coverage::Pairs => len.div_ceil(2),
            Coverage::Grid(_) => {
                let wanted = len.div_ceil(self.per_workgroup()).min(most);
                wanted.max(len.div_ceil(u64::from(self.tuning.workgroup_size) * MAX_ITERATIONS))
            }
            _ => len.div_ceil(self.per_workgroup()),
        };
        results.max(1)
    }

    /// The number of results of each window, if all windows together may give `most`. A fixed grid is divided
    /// evenly, and the results of one launch fit one binding.
    fn results_of(&self, parts: &[Part], most: u64) -> Vec<u64> {
        let most = (most / parts.len() as u64).max(1).min(self.request.storable(self.acc()));
        parts.iter().map(|part| self.results(u64::from(part.params.len), most)).collect()
    }

    /// The grid for `results` results: one row, or the fewest rows that hold them.
    fn grid(&self, results: u64) -> Result<[u32; 2], Error> {
        let groups = match self.kernel.coverage {
            Coverage::Pairs => results.div_ceil(u64::from(self.tuning.workgroup_size)),
            _ => results,
        };
        self.request.grid(groups)
    }

    /// The launch over a window.
    fn launch(
        &self,
        stage: Stage,
        level: u32,
        part: Part,
        results: u64,
        (dst, store): (Dst, u32),
    ) -> Result<Launch, Error> {
        let grid = self.grid(results)?;
        let params = Params { groups: results as u32, row: grid[0], store, ..part.params };
        Ok(Launch { stage, level, src: part.src, dst, offsets: None, grid, params })
    }

    /// The most workgroups of the next level; `None` if there is no next level.
    fn next_grid(&self, left: u64) -> Option<u64> {
        let most = u64::from(self.tuning.max_workgroups);
        match self.finish {
            _ if left == 1 => None,
            Finish::Host => {
                (self.kernel.coverage == Coverage::Pairs && left > PAIRS_LEFT_TO_HOST).then_some(most)
            }
            Finish::Repeat => (left > u64::from(self.tuning.leave)).then_some(most),
            // One workgroup, unless that would be too many iterations: then `results` asks for more.
            _ => Some(1),
        }
    }

    /// Plans a rung whose workgroups store partials in scratch memory, level after level.
    fn through_scratch(&self, windows: &[Part]) -> Result<Plan, Error> {
        let count = windows.first().map_or(0, |part| part.params.count);
        let mut scratch = [0; 2];
        let mut levels = vec![Level {
            results: self.results_of(windows, u64::from(self.tuning.max_workgroups)),
            parts: windows.to_vec(),
        }];
        loop {
            let below = levels.len() - 1;
            let left = levels[below].left();
            let Some(most) = self.next_grid(left) else { break };
            let parts = self.partials(below % 2, left, count);
            let level = Level { results: self.results_of(&parts, most), parts };
            // A workgroup of one invocation that takes one item makes no progress: the host combines the
            // rest.
            if level.left() >= left {
                break;
            }
            scratch[below % 2] = scratch[below % 2].max((left * self.acc()).next_multiple_of(WORD));
            levels.push(level);
        }
        let top = levels.len() - 1;
        let left = levels[top].left();
        let last = if left == 1 { self.request.last() } else { Writes::Partials };
        let stride = if last == Writes::Partials { self.acc() } else { self.request.out_stride() };
        let mut plan = Plan { scratch, ..Plan::empty(left, stride) };
        for (height, level) in levels.iter().enumerate() {
            let writes = if height == top { last } else { Writes::Partials };
            let mut at = 0;
            for (part, &results) in level.parts.iter().zip(&level.results) {
                let (dst, store) = if writes == Writes::Partials {
                    let (bytes, store) = self.request.store(at, results, self.acc());
                    (if height == top { Dst::Output(bytes) } else { Dst::Scratch(height % 2, bytes) }, store)
                } else {
                    self.request.results(at, results)
                };
                let stage = self.stage(part.reads, writes);
                plan.launches.push(self.launch(stage, height as u32, *part, results, (dst, store))?);
                at += results;
            }
        }
        Ok(plan)
    }

    /// Plans a rung that adds to one atomic word. The word starts as the identity, and a last launch may
    /// convert it to a result.
    fn through_total(&self, windows: &[Part]) -> Result<Plan, Error> {
        let mut plan = Plan::empty(1, self.request.out_stride());
        let total = (Dst::Output(ByteRange { offset: 0, size: plan.output() }), 0);
        let count = windows.first().map_or(0, |part| part.params.count);
        let last = self.request.last();
        let alone = |kernel, level| Launch {
            stage: Stage { kernel, workgroup_size: 1, ..self.stage(Reads::Elements, last) },
            level,
            src: Src::Nothing,
            dst: total.0,
            offsets: None,
            grid: [1, 1],
            params: Params { groups: 1, row: 1, count, ..Params::default() },
        };
        plan.launches.push(alone(&SEED, 0));
        let stage = self.stage(self.request.items(), last);
        let results = self.results_of(windows, u64::from(self.tuning.max_workgroups));
        for (part, results) in windows.iter().zip(results) {
            plan.launches.push(self.launch(stage, 1, *part, results, total)?);
        }
        // A state is the unchanged total.
        if last == Writes::Results && !self.request.monoid.is_finished {
            plan.launches.push(alone(&SEAL, 2));
        }
        Ok(plan)
    }
}
