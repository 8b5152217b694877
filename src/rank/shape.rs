//! The rows in which elements are ranked. Short rows share a dispatch, in which each has a workgroup; so do short segments, of which a list tells the
//! places. Longer segments are searched one after the other, each as a whole input, in the same memory.

use wgpu::Limits;

use crate::gpu::Pass;
use crate::gpu::error::Error;
use crate::gpu::input;
use crate::gpu::operation::Memory;
use crate::gpu::range::{BufferRange, Cut};
use crate::rank::counted;
use crate::rank::rows::{self, MOST_ROWS};
use crate::rank::selection::{Part, Selection};

/// The rows of an input: all elements are one by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Rows {
    cut: Cut,
    /// The elements of a row, if their number is known; of short segments, those of the one that an element is in, on average.
    pub(super) len: Option<u64>,
    /// True if a count on the GPU says how many elements there are.
    pub(super) is_counted: bool,
}

impl Rows {
    pub(super) fn of(cut: Cut, is_counted: bool) -> Self {
        let mut all = Rows { cut, len: None, is_counted };
        let short = || all.lens(0).into_iter().filter(|len| *len <= rows::LONGEST_OF_MANY);
        all.len = match &all.cut {
            Cut::All => None,
            Cut::Rows(row) => Some(*row),
            Cut::Segments(_) => short().map(|len| len * len).sum::<u64>().checked_div(short().sum()),
        };
        all
    }

    /// The elements of each row, or of one if all have as many, of an input of `len`.
    pub(super) fn lens(&self, len: u64) -> Vec<u64> {
        match &self.cut {
            Cut::All => vec![len],
            Cut::Rows(row) => vec![*row],
            Cut::Segments(offsets) => {
                offsets.windows(2).map(|ends| ends[1].saturating_sub(ends[0]).into()).collect()
            }
        }
    }

    /// The number of rows that have results.
    pub(super) fn number(&self, len: u64) -> u64 {
        match &self.cut {
            Cut::All => 1,
            Cut::Rows(row) => len.checked_div(*row).unwrap_or(0),
            Cut::Segments(offsets) => (offsets.len() as u64).saturating_sub(1),
        }
    }

    /// True if they are segments between offsets.
    pub(super) fn is_segments(&self) -> bool {
        matches!(self.cut, Cut::Segments(_))
    }

    /// Plans the dispatches over an input, for what is selected in rows of a length. Short segments next to each other share one.
    pub(super) fn plan(
        &self,
        input: BufferRange,
        selection: impl Fn(u64) -> Selection,
        limits: &Limits,
    ) -> Result<Vec<Pass>, Error> {
        let any = selection(0);
        let bound = rows::bound(any.element, limits);
        let mut runs: Vec<(Part, bool)> = Vec::new();
        for (part, is_short) in self.parts(input, &any, limits)? {
            let with = |run: &Part| Part {
                input: BufferRange { len: run.input.len + part.input.len, ..run.input },
                number: run.number + 1,
                ..*run
            };
            let joined =
                runs.last().filter(|(_, was_short)| is_short && *was_short).map(|(run, _)| with(run));
            let joined = joined.filter(|run| run.input.len <= bound && run.number <= MOST_ROWS);
            runs.pop_if(|_| joined.is_some());
            runs.push((joined.unwrap_or(part), is_short));
        }
        let counted = self.is_counted.then(|| counted::pass(&selection(input.len)));
        let mut passes: Vec<_> = counted.into_iter().collect();
        for (part, is_short) in runs {
            passes.extend(selection(part.row()).plan(&part, is_short, limits)?);
        }
        Ok(passes)
    }

    /// The memory that a plan takes: the list has entries for rows of one length, or for each segment. A kernel makes it of the ranks that are
    /// `asked` for, if there is a count.
    pub(super) fn memory(
        &self,
        input: BufferRange,
        selection: impl Fn(u64) -> Selection,
        asked: &[[u32; 8]],
        limits: &Limits,
    ) -> Result<Vec<Memory>, Error> {
        let any = selection(0);
        let workgroup = rows::workgroup(self.len, any.top.unwrap_or(0), limits);
        let (mut memory, mut list) = (Vec::<Memory>::new(), Vec::new());
        for (part, is_short) in self.parts(input, &any, limits)? {
            let own = selection(part.row());
            let is_listed = is_short && self.is_segments();
            list.extend(if is_listed { own.entries(&part, workgroup) } else { own.list() });
            for own in if is_short { Vec::new() } else { own.memory(&part, limits)? } {
                match memory.iter_mut().find(|known| known.slot == own.slot) {
                    Some(known) => known.size = known.size.max(own.size),
                    None => memory.push(own),
                }
            }
        }
        if self.is_counted {
            memory.extend(counted::memory(asked));
        } else {
            let list = Memory::list(counted::LIST, list);
            memory.push(list.checked(limits, "the list of segments", "give fewer at a time")?);
        }
        Ok(memory)
    }

    /// The parts of an input, each with true if its rows are short: all rows of one length, or each segment.
    fn parts(
        &self,
        input: BufferRange,
        any: &Selection,
        limits: &Limits,
    ) -> Result<Vec<(Part, bool)>, Error> {
        let len = input.len;
        let Cut::Segments(offsets) = &self.cut else {
            let all = self.number(len);
            let part = Part { input, first: 0, number: all, list: 0 };
            let is_short = any.is_short(part.row(), all, false, limits);
            return Ok(if all > 0 { vec![(part, is_short)] } else { Vec::new() });
        };
        let elements = self.lens(0).iter().sum::<u64>();
        let part = |(ends, first): (&[u32], u64)| {
            let [from, to] = [ends[0], ends[1]].map(u64::from);
            if to > len {
                return Err(input::not_a_segment(first as usize, offsets, len));
            }
            // They are many if as many as long would be.
            let is_short = any.is_short(to - from, elements / (to - from).max(1), true, limits);
            let input = BufferRange { offset: input.offset + any.element.size() * from, len: to - from };
            Ok((Part { input, first, number: 1, list: first * any.ranks() }, is_short))
        };
        offsets.windows(2).zip(0..).map(part).collect()
    }
}
