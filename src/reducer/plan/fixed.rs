//! Many results of equal parts: segments, and columns of an array.
//!
//! Both are rows, one after the other, of which `len` make a result or a row of results. A segment is the case of
//! rows of one element.

use crate::reduce::Params;
use crate::reducer::error::ReducerError;
use crate::reducer::plan::{
    Extent, From, MAX_ITERATIONS, PER_INVOCATION, Pass, Plan, Request, Step, To, WORD,
};

/// Workgroups that fill any GPU; with fewer, long segments are cut into chunks.
const ENOUGH_WORKGROUPS: u64 = 2048;

/// Elements of a chunk, at least: less would not be worth a second dispatch.
const SMALLEST_CHUNK: u64 = 1 << 14;

/// Columns that a team takes side by side if rows are long: several whole cache lines.
const USUAL_WIDTH: u64 = 64;

/// How parts are cut into chunks.
#[derive(Clone, Copy)]
struct Cut {
    /// Rows of a part, and of a chunk; chunks of a part. The last one may be shorter.
    len: u64,
    chunk: u64,
    chunks: u64,
    /// Elements of a row.
    inner: u64,
}

impl Cut {
    /// The row at which a chunk starts.
    fn row(self, number: u64) -> u64 {
        number / self.chunks * self.len + number % self.chunks * self.chunk
    }

    /// The number of the first chunk that does not end by this row.
    fn number(self, row: u64) -> u64 {
        row / self.len * self.chunks + row % self.len / self.chunk
    }
}

/// The kernels of one kind of parts.
struct Kind {
    /// Elements to results.
    all: Step,
    /// Elements to accumulators.
    chunks: Step,
    /// Accumulators to results.
    merge: Step,
}

/// How a dispatch over chunks is divided among workgroups.
struct Division {
    /// Teams for each chunk: strips of columns.
    strips: u64,
    /// Columns of a strip.
    width: u64,
    /// Invocations of a team, as a power of two.
    team: u32,
}

/// What a division makes of a dispatch.
struct Divided {
    grid: [u32; 2],
    params: Params,
}

/// Where elements come from.
#[derive(Clone, Copy)]
struct Inputs {
    part: Extent,
    second: Option<Extent>,
}

impl Request<'_> {
    /// Segments of one length.
    pub(super) fn segments(
        &self,
        part: Extent,
        second: Option<Extent>,
        len: u64,
    ) -> Result<Plan, ReducerError> {
        if len == 0 || !part.len.is_multiple_of(len) {
            return Err(ReducerError::Segments { total: part.len, len });
        }
        let kind = Kind { all: Step::Segments, chunks: Step::Chunks, merge: Step::Merge };
        self.parts(part, second, (part.len / len, len, 1), &kind)
    }

    /// The middle axis of an array.
    pub(super) fn axis(
        &self,
        part: Extent,
        second: Option<Extent>,
        [outer, len, inner]: [u64; 3],
    ) -> Result<Plan, ReducerError> {
        let total = outer.checked_mul(len).and_then(|rows| rows.checked_mul(inner));
        if len == 0 || inner == 0 || total != Some(part.len) {
            return Err(ReducerError::Axis { total: part.len, outer, len, inner });
        }
        let widest = [self.monoid.element().size(), self.monoid.acc.stride, self.monoid.out.stride]
            .into_iter()
            .max()
            .unwrap_or(1);
        let unit = self.unit(self.monoid.acc.stride).max(self.unit(self.monoid.out.stride));
        let limit = self.room().min(self.largest_binding().saturating_sub(unit));
        let needed = inner.saturating_mul(widest);
        if needed > limit {
            return Err(ReducerError::Row { needed, limit });
        }
        let kind = Kind { all: Step::Columns, chunks: Step::ColumnChunks, merge: Step::ColumnMerge };
        self.parts(part, second, (outer, len, inner), &kind)
    }

    /// One dispatch a window, and a second level where parts were cut into chunks.
    fn parts(
        &self,
        part: Extent,
        second: Option<Extent>,
        (count, len, inner): (u64, u64, u64),
        kind: &Kind,
    ) -> Result<Plan, ReducerError> {
        let mut plan = Plan::empty(count * inner, self.monoid.out.stride);
        let inputs = Inputs { part, second };
        // A window may start with nearly `align` bytes that are not the part's.
        let fitting = self.room() / (inner * self.monoid.element().size());
        let left = if len > fitting {
            self.over_windows(&mut plan, inputs, (count, len, inner), kind)?
        } else {
            let chunk = self.chunk(count, len, inner);
            let cut = Cut { len, chunk, chunks: len.div_ceil(chunk), inner };
            let step = if cut.chunks > 1 { kind.chunks } else { kind.all };
            let all = count * cut.chunks;
            let mut number = 0;
            while number < all {
                let end = self.reach(inputs, cut, step, number..all);
                plan.passes.push(self.slab(inputs, cut, step, number..end, number)?);
                number = end;
            }
            cut.chunks
        };
        if plan.passes.iter().any(|pass| pass.step.leaves_partials()) {
            plan.scratch = (count * left * inner * self.monoid.acc.stride).next_multiple_of(WORD);
            self.merge(&mut plan, count, Cut { len, chunk: left, chunks: left, inner }, kind.merge)?;
        }
        Ok(plan)
    }

    /// Rows of a chunk where a binding holds whole parts: all, or less if there are too few parts to fill a GPU.
    fn chunk(&self, count: u64, len: u64, inner: u64) -> u64 {
        let width = self.usual_width(inner);
        let wanted = ENOUGH_WORKGROUPS.div_ceil((count * inner.div_ceil(width)).max(1));
        let filling = len.div_ceil(wanted).max(SMALLEST_CHUNK.div_ceil(width)).next_multiple_of(4);
        len.min(filling).min(self.reachable(width))
    }

    fn usual_width(&self, inner: u64) -> u64 {
        inner.min(USUAL_WIDTH).min(u64::from(self.workgroup_size()))
    }

    /// Rows that a workgroup walks down in as many turns as it may.
    fn reachable(&self, width: u64) -> u64 {
        u64::from(self.workgroup_size()) / width * MAX_ITERATIONS
    }

    /// Parts that no binding holds, one after the other: as many chunks in each window, every window's accumulators added
    /// to those of the one before. Answers the accumulators that each part leaves for each column.
    fn over_windows(
        &self,
        plan: &mut Plan,
        inputs: Inputs,
        (count, len, inner): (u64, u64, u64),
        kind: &Kind,
    ) -> Result<u64, ReducerError> {
        let width = self.usual_width(inner);
        let fitting = (self.room() / (inner * self.monoid.element().size())).max(1);
        let worthwhile = fitting / SMALLEST_CHUNK.div_ceil(width);
        let each = ENOUGH_WORKGROUPS.div_ceil(inner.div_ceil(width)).min(worthwhile).max(1);
        let chunk = (fitting / each).min(self.reachable(width));
        let cut = Cut { len, chunk, chunks: len.div_ceil(chunk), inner };
        for number in 0..count {
            let end = (number + 1) * cut.chunks;
            for begin in (number * cut.chunks..end).step_by(each as usize) {
                let mut pass =
                    self.slab(inputs, cut, kind.chunks, begin..end.min(begin + each), number * each)?;
                pass.params.onto = u32::from(begin > number * cut.chunks);
                plan.passes.push(pass);
            }
        }
        Ok(each)
    }

    /// Teams for chunks of so many rows.
    fn division(&self, rows: u64, inner: u64) -> Division {
        if inner == 1 {
            return Division { strips: 1, width: 1, team: self.team(rows) };
        }
        let most = u64::from(self.workgroup_size());
        let high = rows.div_ceil(PER_INVOCATION);
        let wanted = inner.min((most / high).max(USUAL_WIDTH)).min(most);
        let strips = inner.div_ceil(wanted);
        // As wide as the others; strips start at whole sectors if rows do.
        let width = inner.div_ceil(strips).next_multiple_of(8).min(wanted);
        let team = (width * high).next_power_of_two().min(1 << most.ilog2());
        Division { strips: inner.div_ceil(width), width, team: team.ilog2() }
    }

    /// The end of as many chunks from the first of `numbers` on as bindings hold.
    fn reach(&self, inputs: Inputs, cut: Cut, step: Step, numbers: std::ops::Range<u64>) -> u64 {
        let row = cut.row(numbers.start);
        let room = self.room_from(inputs.part, inputs.second, row * cut.inner) / self.monoid.element().size();
        let readable = cut.number(row + room / cut.inner);
        let storable = numbers.start + self.storable(self.stride(step)) / cut.inner;
        readable.min(storable).min(numbers.end).max(numbers.start + 1)
    }

    /// From one value that a step leaves to the next.
    fn stride(&self, step: Step) -> u64 {
        if step.leaves_partials() { self.monoid.acc.stride } else { self.monoid.out.stride }
    }

    /// The dispatch over some chunks, whose values go where those of the chunk number `to` belong, and behind.
    fn slab(
        &self,
        inputs: Inputs,
        cut: Cut,
        step: Step,
        numbers: std::ops::Range<u64>,
        to: u64,
    ) -> Result<Pass, ReducerError> {
        let some = numbers.end - numbers.start;
        let range = cut.row(numbers.start) * cut.inner..cut.row(numbers.end) * cut.inner;
        let reads = self.reads(inputs.part, inputs.second, range);
        let (bytes, store) = self.store(to * cut.inner, some * cut.inner, self.stride(step));
        let Divided { grid, params } = self.divide(cut, some, cut.chunk)?;
        let Params { first, len, index, other, .. } = reads.params();
        let base = numbers.start as u32;
        Ok(Pass {
            step,
            from: reads.from(),
            to: if step.leaves_partials() { To::Scratch(bytes) } else { To::Output(bytes) },
            offsets: None,
            grid,
            workgroup_size: self.workgroup_size(),
            params: Params { first, len, index, other, store, base, ..params },
        })
    }

    /// The dispatches that reduce every part's accumulators.
    fn merge(&self, plan: &mut Plan, count: u64, cut: Cut, step: Step) -> Result<(), ReducerError> {
        let results = self.storable(self.monoid.out.stride) / cut.inner;
        let readable = self.storable(self.monoid.acc.stride) / (cut.chunks * cut.inner);
        let most = results.min(readable).max(1);
        let whole = Cut { len: cut.chunks, chunks: 1, ..cut };
        let each = cut.chunks * cut.inner;
        let mut begin = 0;
        while begin < count {
            let parts = most.min(count - begin);
            let (from, first) = self.store(begin * each, parts * each, self.monoid.acc.stride);
            let (to, store) = self.store(begin * cut.inner, parts * cut.inner, self.monoid.out.stride);
            let Divided { grid, params } = self.divide(whole, parts, cut.chunks)?;
            plan.passes.push(Pass {
                step,
                from: From::Scratch(from),
                to: To::Output(to),
                offsets: None,
                grid,
                workgroup_size: self.workgroup_size(),
                params: Params {
                    first,
                    len: (parts * each) as u32,
                    index: (begin * each) as u32,
                    count: cut.len as u32,
                    store,
                    base: begin as u32,
                    ..params
                },
            });
            begin += parts;
        }
        Ok(())
    }

    /// The grid for so many chunks of so many rows, and the parameters that follow from it.
    fn divide(&self, cut: Cut, chunks: u64, rows: u64) -> Result<Divided, ReducerError> {
        let Division { strips, width, team } = self.division(rows, cut.inner);
        let grid = self.teams(chunks * strips, team)?;
        let params = Params {
            groups: (chunks * strips) as u32,
            row: grid[0],
            count: cut.len as u32,
            segment: cut.len as u32,
            chunk: cut.chunk as u32,
            chunks: cut.chunks as u32,
            team,
            inner: cut.inner as u32,
            width: width as u32,
            ..Params::default()
        };
        Ok(Divided { grid, params })
    }
}
