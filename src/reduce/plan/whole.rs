//! One result of everything: one launch a window, and all workgroups meet in the partials buffer.

use crate::pipeline;
use crate::reduce::error::{PlanError, ReduceError};
use crate::reduce::ladder::{ACCUMULATE, Delivery, SINGLE_PASS};
use crate::reduce::plan::{
    Dst, Extent, Launch, MAX_ITERATIONS, Own, PER_INVOCATION, Params, Plan, Reads, Request, Span, Stage,
    WHOLE_SIZES,
};
use crate::reduce::tuning::Tuning;
use crate::window::{self, Window};

/// Words in front of the first partial in the partials buffer: the ticket counter's cache line.
const HEAD: u64 = 32;

/// How items are spread over workgroups.
pub(super) struct Spread {
    /// Workgroups, unless loops would turn too often.
    pub(super) most: u32,
    /// From an item to the next one.
    pub(super) stride: u32,
}

impl Request<'_> {
    /// The inputs, cut into windows: at least one, and no empty one unless there is nothing else.
    pub(super) fn windows(&self, parts: &[Extent], second: Option<Extent>) -> Vec<Span> {
        self.windows_of(parts, second, u64::MAX)
    }

    /// The same in windows of at most so many bytes, or one alignment.
    pub(super) fn windows_of(&self, parts: &[Extent], second: Option<Extent>, most: u64) -> Vec<Span> {
        let size = self.item_size();
        // A window of the second input starts elsewhere between two multiples of the alignment.
        let largest = if second.is_some() { self.room() } else { self.largest_binding() };
        // Windows meet between two items.
        let unit = self.unit(size);
        let largest = (largest.min(most) / unit).max(1) * unit;
        let mut spans = Vec::new();
        let mut before = 0;
        // No parts are an empty one.
        let parts = if parts.is_empty() { &[Extent { offset: 0, len: 0 }] } else { parts };
        for (part, extent) in parts.iter().enumerate() {
            for window in window::cut(extent.offset, extent.len, size, largest, unit) {
                let from = u64::from(window.index);
                let range = from..from + u64::from(window.len);
                let second = second.map(|second| self.binding(second, range));
                let window = Window { index: before + window.index, ..window };
                spans.push(Span { part, window, next: None, second });
            }
            before += extent.len as u32;
        }
        if spans.iter().any(|span| span.window.len > 0) {
            spans.retain(|span| span.window.len > 0);
        }
        spans.truncate(if before == 0 { 1 } else { spans.len() });
        spans
    }

    /// Everything that some windows hold.
    pub(super) fn whole(&self, windows: Vec<Span>) -> Result<Plan, ReduceError> {
        let tuning = Tuning::of(&SINGLE_PASS, self.limits, items(&windows).saturating_mul(self.item_size()));
        let tuning = tuning.for_accumulators(self.item_size(), 4 * self.monoid.acc.words() as u64);
        let (workgroup_size, most) = self.fitting(tuning);
        let adjoining = self.adjoining();
        let spans = if adjoining.is_some() { in_twos(windows) } else { windows };
        let stage = self.stage(&SINGLE_PASS, self.items(), self.last());
        let stage = match adjoining {
            Some(adjoining) if spans.iter().any(|span| span.next.is_some()) => {
                Stage { workgroup_size: adjoining.workgroup_size, ..stage }
            }
            _ => Stage { workgroup_size, ..stage },
        };
        self.spread(&spans, stage, Spread { most, stride: 1 })
    }

    /// The same into what the output holds.
    pub(super) fn accumulate(&self, windows: &[Span]) -> Result<Plan, ReduceError> {
        let tuning = Tuning::of(&ACCUMULATE, self.limits, items(windows).saturating_mul(self.item_size()));
        let (workgroup_size, most) = self.fitting(tuning);
        let stage = self.stage(&ACCUMULATE, Reads::Elements, self.last());
        self.spread(windows, Stage { workgroup_size, ..stage }, Spread { most, stride: 1 })
    }

    /// One launch of a stage a window, or two adjoining ones, of at most so many workgroups in all. If they meet, then all of
    /// them in one partials buffer, or in one launch more.
    pub(super) fn spread(&self, spans: &[Span], stage: Stage, spread: Spread) -> Result<Plan, ReduceError> {
        let meets = stage.kernel.delivery == Delivery::Meeting;
        if meets && self.in_two_launches {
            return self.in_two_launches(spans, stage, spread);
        }
        let Spread { most, stride } = spread;
        let size = u64::from(stage.workgroup_size);
        let len = items(spans);
        let acc = self.monoid.acc.words() as u64 * 4;
        let slots = self.largest_binding().saturating_sub(4 * HEAD) / acc;
        let limit = slots.min(size * (MAX_ITERATIONS - 4096));
        let share = (u64::from(most) / spans.len() as u64).max(1);
        let groups: Vec<u64> = spans
            .iter()
            .map(|span| {
                let len = u64::from(span.len());
                let wanted =
                    len.div_ceil(PER_INVOCATION * size).min(share).max(len.div_ceil(size * MAX_ITERATIONS));
                // Whole rectangles: a workgroup too many would fold items a second time and draw a ticket.
                pipeline::whole_rows(wanted, self.limits)
            })
            .collect();
        let tickets = groups.iter().sum::<u64>();
        if meets && tickets > limit {
            return Err(PlanError::TooManyTickets { needed: tickets, limit }.into());
        }
        let partials = if meets { 4 * HEAD + tickets * acc } else { 0 };
        let mut plan = Plan { partials, ..Plan::empty(1, self.out_stride()) };
        let mut slot = 0;
        for (span, groups) in spans.iter().zip(groups) {
            let grid = self.grid(groups)?;
            let reads = if span.next.is_some() { Reads::Adjoining } else { stage.reads };
            let own = if meets {
                Own::Meeting { slot: slot as u32, tickets: tickets as u32, stride }
            } else {
                Own::None
            };
            plan.launches.push(Launch {
                stage: Stage { reads, ..stage },
                // Those that meet share the ticket counter: one waits for the other.
                level: 0,
                src: span.src(),
                dst: Dst::Output(self.store(0, 1, self.out_stride()).0),
                offsets: None,
                grid,
                params: Params {
                    groups: groups as u32,
                    row: grid[0],
                    count: len as u32,
                    own,
                    ..span.params()
                },
            });
            slot += groups;
        }
        Ok(plan)
    }

    /// The compiled size next to the one wanted, and how many workgroups.
    fn fitting(&self, Tuning { workgroup_size: wanted, max_workgroups: most, .. }: Tuning) -> (u32, u32) {
        let sizes = self.whole_sizes().into_iter();
        let size = sizes.filter(|size| *size <= wanted.max(WHOLE_SIZES[0])).max();
        let size = size.unwrap_or_else(|| self.largest_workgroup());
        // Smaller workgroups than wanted: as many invocations, unless one workgroup was the point.
        (size, if most == 1 { 1 } else { most * wanted.div_ceil(size) })
    }
}

/// Elements of some windows.
pub(super) fn items(spans: &[Span]) -> u64 {
    spans.iter().map(|span| u64::from(span.len())).sum()
}

/// Windows two by two, where one goes on where the one before ends: a launch less, and a wait less, for every two.
fn in_twos(windows: Vec<Span>) -> Vec<Span> {
    let mut twos: Vec<Span> = Vec::new();
    for span in windows {
        match twos.last_mut() {
            Some(before) if before.next.is_none() && before.part == span.part => {
                before.next = Some(span.window);
            }
            _ => twos.push(span),
        }
    }
    twos
}
