//! Levels of partial results over a whole input, and how they become one.
//!
//! A count on the GPU (`kernels/length.wgsl`) shortens every dispatch to that many items, dispatches over partial results too. Nothing is lost:
//! result `i` of a level holds no element before element `i`, so the results from the count on hold none.

use crate::gpu::error::Error;
use crate::gpu::pass::{Binding, Pass};
use crate::gpu::window;
use crate::reduce::kernel::{Coverage, Kernel, VECTORIZED};
use crate::reduce::plan::params::Strided;
use crate::reduce::plan::ranges::{Source, Span};
use crate::reduce::plan::whole::items;
use crate::reduce::plan::{BufferRange, MAX_ITERATIONS, Params, Plan, Reads, Request, Stage, WORD, Writes};
use crate::reduce::tuning::Tuning;

/// A kernel with its tuning, and the reduction for which levels are planned.
pub(crate) struct Levels<'a> {
    pub(crate) request: &'a Request<'a>,
    pub(crate) kernel: &'static Kernel,
    pub(crate) tuning: Tuning,
    /// True if each level after the first one has one workgroup.
    pub(crate) is_alone: bool,
    /// The partials that need no further level.
    pub(crate) leaves: u64,
    /// The items that the first level reads, and the distance of those of [`Reads::Strided`].
    pub(crate) reads: Reads,
    pub(crate) stride: u32,
}

impl Request<'_> {
    /// The levels of [`Request::spread`] in two dispatches, by the kernel `vectorized`: windows leave partials,
    /// and one workgroup reduces them. Windows, workgroups and the tree of combinations are the same.
    pub(super) fn two_launches(&self, stage: Stage, (most, stride): (u32, u32)) -> Levels<'_> {
        let Stage { reads, workgroup_size, .. } = stage;
        let tuning = Tuning { workgroup_size, max_workgroups: most, tile: 0, leave: 1 };
        Levels { request: self, kernel: &VECTORIZED, tuning, reads, stride, is_alone: true, leaves: 1 }
    }
}

impl Levels<'_> {
    pub(crate) fn stage(&self, reads: Reads, writes: Writes) -> Stage {
        let Tuning { workgroup_size, tile, .. } = self.tuning;
        Stage { kernel: self.kernel, reads, writes, workgroup_size, tile }
    }

    fn acc(&self) -> u64 {
        self.request.monoid.acc.stride
    }

    /// The most bytes that a dispatch may read through one binding, such that its output also fits a binding.
    fn largest_window(&self, item: u64) -> u64 {
        let results = self.request.storable(self.acc());
        let items = if self.kernel.coverage == Coverage::Pairs { 2 } else { self.per_workgroup() };
        results.saturating_mul(items * item)
    }

    /// The caller's inputs, cut into windows that fit a binding.
    pub(crate) fn windows(&self, parts: &[BufferRange], second: Option<BufferRange>) -> Vec<Span> {
        self.request.windows(parts, second, self.largest_window(self.request.item_size()))
    }

    /// `len` accumulators in a scratch buffer, cut into windows.
    fn partials(&self, buffer: usize, len: u64) -> Vec<Span> {
        let (align, acc) = (self.request.align(), self.acc());
        // A window also holds a whole number of accumulators.
        let unit = self.request.unit(acc);
        let most = self.request.largest_binding().min(self.largest_window(acc));
        let windows = window::cut(0, len, acc, (most / unit).max(1) * unit, align);
        let span = |window| Span { source: Source::Memory(buffer), window, next: None, second: None };
        windows.into_iter().map(span).collect()
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
                let needed = len.div_ceil(self.per_workgroup()).min(most);
                needed.max(len.div_ceil(u64::from(self.tuning.workgroup_size) * MAX_ITERATIONS))
            }
            _ => len.div_ceil(self.per_workgroup()),
        };
        results.max(1)
    }

    /// The number of results of each window, if all windows together may give `most`. A fixed grid is divided
    /// evenly, and the results of one dispatch fit one binding.
    pub(crate) fn results_of(&self, spans: &[Span], most: u64) -> Vec<u64> {
        let most = (most / spans.len() as u64).max(1).min(self.request.storable(self.acc()));
        spans.iter().map(|span| self.results(u64::from(span.len()), most)).collect()
    }

    /// The dispatch over a window of an input with `count` elements.
    pub(crate) fn launch(
        &self,
        stage: Stage,
        level: u32,
        (span, count): (&Span, u32),
        results: u64,
        (to, store): (Option<Binding>, u32),
    ) -> Result<Pass<Stage>, Error> {
        let groups = match self.kernel.coverage {
            Coverage::Pairs => results.div_ceil(u64::from(self.tuning.workgroup_size)),
            _ => results,
        };
        let grid = self.request.grid(groups)?;
        let params = Params { count, groups: results as u32, grid_row: grid[0], store, ..span.params() };
        let stage = if span.next.is_some() { Stage { reads: Reads::Adjoining, ..stage } } else { stage };
        let pass = Pass::new(stage, grid, params).at(level).between(span.bindings(), to);
        Ok(if stage.reads == Reads::Strided { pass.and(Strided { stride: self.stride }) } else { pass })
    }

    /// All stages that it may have.
    pub(crate) fn stages(&self) -> Vec<Stage> {
        let (elements, last) = (self.reads, self.request.last());
        let mut stages = vec![
            self.stage(elements, last),
            self.stage(elements, Writes::Partials),
            self.stage(Reads::Partials, Writes::Partials),
            self.stage(Reads::Partials, last),
        ];
        stages.dedup();
        stages
    }

    /// Plans a kernel whose workgroups store partials in scratch memory, level after level.
    pub(crate) fn through_scratch(&self, windows: &[Span]) -> Result<Plan, Error> {
        let count = items(windows) as u32;
        let most = u64::from(self.tuning.max_workgroups);
        // One workgroup, unless that would be too many iterations: then `results` asks for more.
        let most_later = if self.is_alone { 1 } else { most };
        let mut scratch = [0; 2];
        // The windows of each level, and the number of partials that each leaves.
        let mut levels = vec![(windows.to_vec(), self.results_of(windows, most))];
        let mut left: u64 = levels[0].1.iter().sum();
        while left > self.leaves.max(1) {
            let below = (levels.len() - 1) % 2;
            let spans = self.partials(below, left);
            let results = self.results_of(&spans, most_later);
            let remains: u64 = results.iter().sum();
            // A workgroup of one invocation that takes one item makes no progress: the host combines the rest.
            if remains >= left {
                break;
            }
            scratch[below] = scratch[below].max((left * self.acc()).next_multiple_of(WORD));
            levels.push((spans, results));
            left = remains;
        }
        let top = levels.len() - 1;
        let last = if left == 1 { self.request.last() } else { Writes::Partials };
        let stride = if last == Writes::Partials { self.acc() } else { self.request.out_stride() };
        let mut plan = Plan::empty(left, stride).taking(0, scratch[0]).taking(1, scratch[1]);
        for (height, (spans, results)) in levels.iter().enumerate() {
            let reads = if height == 0 { self.reads } else { Reads::Partials };
            let writes = if height == top { last } else { Writes::Partials };
            let mut at = 0;
            for (span, &results) in spans.iter().zip(results) {
                let stride = if height == top { stride } else { self.acc() };
                let (bytes, store) = self.request.store(at, results, stride);
                let to =
                    if height == top { Binding::Output(bytes) } else { Binding::Memory(height % 2, bytes) };
                let (stage, level) = (self.stage(reads, writes), height as u32);
                plan.work.passes.push(self.launch(
                    stage,
                    level,
                    (span, count),
                    results,
                    (Some(to), store),
                )?);
                at += results;
            }
        }
        Ok(plan)
    }
}
