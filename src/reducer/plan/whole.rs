//! One result of everything: one dispatch a window, and all workgroups meet on the notice board.

use crate::pipeline;
use crate::reduce::Params;
use crate::reducer::error::ReducerError;
use crate::reducer::plan::{Extent, MAX_ITERATIONS, PER_INVOCATION, Pass, Plan, Reads, Request, Step, To};
use crate::window::{self, Window};

/// Words in front of the first partial on the notice board: the ticket counter's cache line.
const BOARD_HEAD: u64 = 32;

/// How items are spread over workgroups.
pub(super) struct Spread {
    /// Workgroups, unless loops would turn too often.
    pub(super) most: u32,
    /// From an item to the next one.
    pub(super) inner: u32,
}

impl Request<'_> {
    /// The inputs, cut into windows: at least one, and no empty one unless there is nothing else.
    pub(super) fn windows(&self, parts: &[Extent], second: Option<Extent>) -> Vec<Reads> {
        let size = self.monoid.element().size();
        // A window of the second input starts elsewhere between two multiples of the alignment.
        let largest = if second.is_some() { self.room() } else { self.largest_binding() };
        let mut reads = Vec::new();
        let mut before = 0;
        // No parts are an empty one.
        let parts = if parts.is_empty() { &[Extent { offset: 0, len: 0 }] } else { parts };
        for (part, extent) in parts.iter().enumerate() {
            for window in window::cut(extent.offset, extent.len, size, largest, self.align()) {
                let from = u64::from(window.index);
                let range = from..from + u64::from(window.len);
                let second = second.map(|second| self.binding(second, range));
                let window = Window { index: before + window.index, ..window };
                reads.push(Reads { part, window, next: None, second });
            }
            before += extent.len as u32;
        }
        if reads.iter().any(|read| read.window.len > 0) {
            reads.retain(|read| read.window.len > 0);
        }
        reads.truncate(if before == 0 { 1 } else { reads.len() });
        reads
    }

    /// Everything that some windows hold.
    pub(super) fn whole(&self, windows: Vec<Reads>) -> Result<Plan, ReducerError> {
        let (tuned, most) = self.whole_tuning(items(&windows));
        let two = self.adjoining_size();
        let reads = if two.is_some() { in_twos(windows) } else { windows };
        let workgroup_size = two.filter(|_| reads.iter().any(|read| read.next.is_some())).unwrap_or(tuned);
        self.spread(&reads, Step::Whole { workgroup_size }, Spread { most, inner: 1 })
    }

    /// The same into what the output holds.
    pub(super) fn accumulate(&self, windows: &[Reads]) -> Result<Plan, ReducerError> {
        let (workgroup_size, most) = self.accumulate_tuning(items(windows));
        self.spread(windows, Step::Accumulate { workgroup_size }, Spread { most, inner: 1 })
    }

    /// One dispatch of a step a window, or two adjoining ones, of at most so many workgroups in all. If they meet, then all of
    /// them on one notice board.
    pub(super) fn spread(
        &self,
        reads: &[Reads],
        step: Step,
        Spread { most, inner }: Spread,
    ) -> Result<Plan, ReducerError> {
        let workgroup_size = self.invocations(step);
        let len = items(reads);
        let acc = self.monoid.acc.words() as u64 * 4;
        let slots = self.largest_binding().saturating_sub(4 * BOARD_HEAD) / acc;
        let limit = slots.min(u64::from(workgroup_size) * (MAX_ITERATIONS - 4096));
        let share = (u64::from(most) / reads.len() as u64).max(1);
        let groups: Vec<u64> = reads
            .iter()
            .map(|read| {
                let len = u64::from(read.len());
                let each = u64::from(workgroup_size);
                let wanted =
                    len.div_ceil(PER_INVOCATION * each).min(share).max(len.div_ceil(each * MAX_ITERATIONS));
                // Whole rectangles: a workgroup too many would fold items a second time and draw a ticket.
                pipeline::whole_rows(wanted, self.limits)
            })
            .collect();
        let tickets = groups.iter().sum::<u64>();
        if tickets > limit {
            return Err(ReducerError::TooManyWorkgroups { needed: tickets, limit });
        }
        let mut store = 0;
        let board = if step.meets() { 4 * BOARD_HEAD + tickets * acc } else { 0 };
        let mut plan = Plan { board, ..Plan::empty(1, self.monoid.out.stride) };
        for (read, groups) in reads.iter().zip(groups) {
            let grid = self.grid(groups)?;
            let step = match step {
                Step::Whole { workgroup_size } if read.next.is_some() => Step::Adjoining { workgroup_size },
                step => step,
            };
            plan.passes.push(Pass {
                step,
                from: read.from(),
                to: To::Output(self.store(0, 1, self.monoid.out.stride).0),
                offsets: None,
                grid,
                workgroup_size,
                params: Params {
                    groups: groups as u32,
                    row: grid[0],
                    store: store as u32,
                    count: len as u32,
                    tickets: tickets as u32,
                    last: 1,
                    inner,
                    ..read.params()
                },
            });
            store += groups;
        }
        Ok(plan)
    }

    /// Workgroup size and workgroups by bytes: measured on an NVIDIA H200, as [`crate::reduce::Tuning::of`] is.
    ///
    /// Up to 256 KiB one workgroup alone is quicker than several that have to meet. Beyond half a gigabyte the most loads in
    /// flight win, unless combining accumulators that are wider than an element keeps the cores busy besides: then fewer
    /// invocations disturb each other less.
    fn whole_tuning(&self, len: u64) -> (u32, u32) {
        let element = self.monoid.element().size();
        let is_heavy = 4 * self.monoid.acc.words() as u64 > element.max(4);
        let (wanted, most) = match len.saturating_mul(element) {
            0..=0x4000 => (256, 1),
            0x4001..=0x4_0000 => (1024, 1),
            0x4_0001..=0x40_0000 => (256, 396),
            0x40_0001..=0x2000_0000 => (512, 396),
            _ if is_heavy => (512, 396),
            _ => (512, 1056),
        };
        self.fitting(wanted, most)
    }

    /// The same where workgroups need not meet: more of them pay from fewer elements on.
    fn accumulate_tuning(&self, len: u64) -> (u32, u32) {
        let (wanted, most) = match len.saturating_mul(self.monoid.element().size()) {
            0..=0x4000 => (256, 1),
            0x4001..=0x40_0000 => (256, 396),
            0x40_0001..=0x2000_0000 => (512, 396),
            _ => (512, 1056),
        };
        self.fitting(wanted, most)
    }

    /// The compiled size next to the one wanted, and how many workgroups.
    fn fitting(&self, wanted: u32, most: u32) -> (u32, u32) {
        let sizes = self.whole_sizes().into_iter();
        let size = sizes.filter(|size| *size <= wanted).max().unwrap_or_else(|| self.largest_workgroup());
        // Smaller workgroups than wanted: as many invocations, unless one workgroup was the point.
        (size, if most == 1 { 1 } else { most * wanted.div_ceil(size) })
    }
}

/// Elements of some windows.
fn items(reads: &[Reads]) -> u64 {
    reads.iter().map(|read| u64::from(read.len())).sum()
}

/// Windows two by two, where one goes on where the one before ends: a dispatch less, and a wait less, for every two.
fn in_twos(windows: Vec<Reads>) -> Vec<Reads> {
    let mut twos: Vec<Reads> = Vec::new();
    for read in windows {
        match twos.last_mut() {
            Some(before) if before.next.is_none() && before.part == read.part => {
                before.next = Some(read.window);
            }
            _ => twos.push(read),
        }
    }
    twos
}
