//! One result from all elements, or from elements a stride apart: one dispatch per window. All workgroups publish to one partials buffer.

use crate::gpu::error::Error;
use crate::gpu::grid;
use crate::gpu::limits::SettingError;
use crate::gpu::pass::Pass;
use crate::gpu::window::{self, Window};
use crate::reduce::kernel::ACCUMULATE;
use crate::reduce::plan::params::LastWorkgroup;
use crate::reduce::plan::ranges::{Source, Span};
use crate::reduce::plan::request::{WHOLE_SIZES, step};
use crate::reduce::plan::{
    BufferRange, Inputs, MAX_ITERATIONS, PARTIALS, PER_INVOCATION, Params, Plan, Reads, Request, Stage,
};
use crate::reduce::refused::exact_in_one_launch;
use crate::reduce::tuning::Tuning;

/// Words before the first partial in the partials buffer: the cache line of the ticket counter.
const HEAD: u64 = 192;

/// Workgroups that keep a GPU busy with scattered loads.
const MOST_WORKGROUPS: u32 = 2112;

/// The most windows. With more, a binding would hold too few elements to be worth a dispatch.
const MOST_WINDOWS: u64 = 1 << 16;

impl Request<'_> {
    /// The inputs, cut into windows of at most `most` bytes, but at least one alignment: at least one window. It is empty only if all inputs are empty.
    pub(crate) fn windows(&self, parts: &[BufferRange], second: Option<BufferRange>, most: u64) -> Vec<Span> {
        let size = self.item_size();
        // A window of the second input may start at another distance from a multiple of the alignment.
        let largest = if second.is_some() { self.room() } else { self.largest_binding() };
        // Windows are cut between two items.
        let unit = self.unit(size);
        let largest = (largest.min(most) / unit).max(1) * unit;
        let mut spans = Vec::new();
        let mut before = 0;
        // No parts count as one empty part.
        let parts = if parts.is_empty() { &[BufferRange { offset: 0, len: 0 }] } else { parts };
        for (part, extent) in parts.iter().enumerate() {
            for window in window::cut(extent.offset, extent.len, size, largest, unit) {
                let from = u64::from(window.index);
                let range = from..from + u64::from(window.len);
                let second = second.map(|second| self.binding(second, range));
                let window = Window { index: before + window.index, ..window };
                spans.push(Span { source: Source::Input(part), window, next: None, second });
            }
            before += extent.len as u32;
        }
        if spans.iter().any(|span| span.window.len > 0) {
            spans.retain(|span| span.window.len > 0);
        }
        spans.truncate(if before == 0 { 1 } else { spans.len() });
        spans
    }

    /// Plans the reduction of all elements of some windows.
    pub(super) fn whole(&self, windows: Vec<Span>) -> Result<Plan, Error> {
        let bytes = items(&windows).saturating_mul(self.item_size());
        let mut tuning = Tuning::for_operator(self.monoid.fold().whole, self.monoid, self.limits, bytes);
        // Combining accumulators that are wider than items also keeps the cores busy: fewer workgroups are faster.
        if 4 * self.monoid.acc.words() as u64 > self.item_size().max(4) {
            tuning.max_workgroups = tuning.max_workgroups.min(396);
        }
        let (workgroup_size, most) = self.fitting(tuning);
        let adjoining = self.adjoining();
        let spans = if adjoining.is_some() { in_twos(windows) } else { windows };
        let stage = self.stage(self.monoid.fold().whole, self.items(), self.last());
        let stage = match adjoining {
            Some(adjoining) if spans.iter().any(|span| span.next.is_some()) => {
                Stage { workgroup_size: adjoining.workgroup_size, ..stage }
            }
            _ => Stage { workgroup_size, ..stage },
        };
        self.spread(&spans, stage, (most, 1))
    }

    /// Plans the reduction of all elements of some windows, added to the value in the output.
    pub(super) fn accumulate(&self, windows: &[Span]) -> Result<Plan, Error> {
        let tuning = Tuning::of(&ACCUMULATE, self.limits, items(windows).saturating_mul(self.item_size()));
        let (workgroup_size, most) = self.fitting(tuning);
        let stage = self.stage(&ACCUMULATE, Reads::Elements, self.last());
        self.spread(windows, Stage { workgroup_size, ..stage }, (most, 1))
    }

    /// Plans the reduction of `len` elements, each `stride` apart: one dispatch per window.
    pub(super) fn strided(&self, inputs: Inputs, stride: u64) -> Result<Plan, Error> {
        let len = inputs.first.len;
        let step = step(stride)?;
        let span = self.room() / self.item_size();
        // Elements of one window. The last one needs no stride after it.
        let most = span.saturating_sub(1) / stride + 1;
        // Bytes of as many elements as each window must hold.
        let least = (len.div_ceil(MOST_WINDOWS).saturating_sub(1) * stride + 1) * self.item_size();
        let lost = self.largest_binding() - self.room();
        self.check_binding("a window of the input", least.saturating_add(lost), "split the input")?;
        let windows = (0..len.div_ceil(most).max(1)).map(|number| {
            let begin = number * most;
            self.apart(inputs, begin..len.min(begin + most), stride)
        });
        let kernel = self.monoid.fold().whole;
        // Exact sums have few workgroups: of usual size, as on a device that has no larger ones.
        let most = if self.monoid.exact.is_some() {
            let usual = wgpu::Limits {
                max_compute_invocations_per_workgroup: self.workgroup_size(),
                ..self.limits.clone()
            };
            Tuning::of(kernel, &usual, len.saturating_mul(self.item_size())).max_workgroups
        } else {
            MOST_WORKGROUPS
        };
        let stage = self.stage(kernel, Reads::Strided, self.last());
        self.spread(&windows.collect::<Vec<_>>(), stage, (most, step))
    }

    /// The window that holds the elements `range`, counted in strides.
    fn apart(&self, inputs: Inputs, range: std::ops::Range<u64>, stride: u64) -> Span {
        if range.is_empty() {
            return self.span(inputs, range);
        }
        let spanned = range.start * stride..(range.end - 1) * stride + 1;
        let span = self.span(inputs, spanned);
        let window =
            Window { len: (range.end - range.start) as u32, index: range.start as u32, ..span.window };
        Span { window, ..span }
    }

    /// Plans one dispatch of a stage per window, or per two adjoining windows, with at most `most` workgroups together, unless loops would
    /// take too many iterations, over items a stride apart. If workgroups synchronize, they all publish to one partials buffer, or take one dispatch more.
    pub(crate) fn spread(
        &self,
        spans: &[Span],
        stage: Stage,
        (most, stride): (u32, u32),
    ) -> Result<Plan, Error> {
        let meets = stage.kernel.collects_partials();
        if meets && self.meets_twice() {
            return self.two_launches(stage, (most, stride)).through_scratch(spans);
        }
        let size = u64::from(stage.workgroup_size);
        let len = items(spans);
        let acc = 4 * self.monoid.acc.words() as u64;
        let slots = self.largest_binding().saturating_sub(4 * HEAD) / acc;
        let limit = slots.min(size * (MAX_ITERATIONS - 4096));
        let share = (u64::from(most) / spans.len() as u64).max(1);
        let groups: Vec<u64> = spans
            .iter()
            .map(|span| {
                let len = u64::from(span.len());
                let needed =
                    len.div_ceil(PER_INVOCATION * size).min(share).max(len.div_ceil(size * MAX_ITERATIONS));
                // Only complete rows: an extra workgroup would combine items a second time and take a ticket.
                grid::whole_rows(needed, self.limits)
            })
            .collect();
        let tickets = groups.iter().sum::<u64>();
        // All others meet twice by now.
        if meets && self.in_two_launches && tickets > 1 {
            return Err(exact_in_one_launch());
        }
        if meets && tickets > limit {
            let limits = "max_storage_buffer_binding_size, max_compute_invocations_per_workgroup";
            let message = format!(
                "{tickets} workgroups: the last one adds at most {limit} partial results ({limits}); use a larger workgroup, or split the input"
            );
            return Err(SettingError::of("workgroups", message).valued(tickets).into());
        }
        let partials = if meets { 4 * HEAD + tickets * acc } else { 0 };
        let mut plan = Plan::empty(1, self.out_stride()).taking(PARTIALS, partials);
        let mut slot = 0;
        for (span, groups) in spans.iter().zip(groups) {
            let grid = self.grid(groups)?;
            let reads = if span.next.is_some() { Reads::Adjoining } else { stage.reads };
            let params =
                Params { groups: groups as u32, grid_row: grid[0], count: len as u32, ..span.params() };
            // All are on one level: the last workgroup waits for those of all dispatches that share the ticket counter.
            let pass = Pass::new(Stage { reads, ..stage }, grid, params);
            let own = LastWorkgroup {
                slot: slot as u32,
                tickets: tickets as u32,
                stride,
                ..LastWorkgroup::default()
            };
            let pass = if meets { pass.and(own) } else { pass };
            plan.work.passes.push(pass.between(span.bindings(), self.results(0, 1).0));
            slot += groups;
        }
        Ok(plan)
    }

    /// The compiled workgroup size nearest to the one requested, and the number of workgroups.
    fn fitting(&self, Tuning { workgroup_size: requested, max_workgroups: most, .. }: Tuning) -> (u32, u32) {
        let sizes = self.whole_sizes().into_iter();
        let size = sizes.filter(|size| *size <= requested.max(WHOLE_SIZES[0])).max();
        let size = size.unwrap_or_else(|| self.largest_workgroup());
        // If workgroups are smaller than requested, take more of them, unless a single workgroup is requested.
        (size, if most == 1 { 1 } else { most * requested.div_ceil(size) })
    }
}

/// The number of elements of some windows.
pub(crate) fn items(spans: &[Span]) -> u64 {
    spans.iter().map(|span| u64::from(span.len())).sum()
}

/// Pairs of windows where the second starts at the end of the first. Each pair saves a dispatch and a wait.
fn in_twos(windows: Vec<Span>) -> Vec<Span> {
    let mut twos: Vec<Span> = Vec::new();
    for span in windows {
        match twos.last_mut() {
            Some(before) if before.next.is_none() && before.source == span.source => {
                before.next = Some(span.window);
            }
            _ => twos.push(span),
        }
    }
    twos
}
