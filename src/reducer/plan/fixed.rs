//! Many results of equal parts: segments, and columns of an array.
//!
//! Both are rows, one after the other, of which `len` make a result or a row of results. A segment is the case of
//! rows of one element.

use crate::reduce::Params;
use crate::reducer::error::ReducerError;
use crate::reducer::plan::{
    Bytes, Extent, From, MAX_ITERATIONS, PER_INVOCATION, Pass, Plan, Request, Step, To,
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
        let chunk = self.chunk(count, len, inner);
        let cut = Cut { len, chunk, chunks: len.div_ceil(chunk), inner };
        let mut plan = Plan::empty(count * inner, self.monoid.out.stride);
        let is_cut = cut.chunks > 1;
        let step = if is_cut { kind.chunks } else { kind.all };
        let mut number = 0;
        while number < count * cut.chunks {
            let (pass, next) = self.slab(part, second, cut, step, number..count * cut.chunks)?;
            plan.passes.push(pass);
            number = next;
        }
        if is_cut {
            plan.scratch = self.scratch(count * cut.chunks * inner * self.monoid.acc.stride)?;
            self.merge(&mut plan, count, cut, kind.merge)?;
        }
        Ok(plan)
    }

    /// Rows of a chunk: all of a part's, or less if there are too few parts to fill a GPU.
    fn chunk(&self, count: u64, len: u64, inner: u64) -> u64 {
        let width = inner.min(USUAL_WIDTH).min(u64::from(self.workgroup_size()));
        let strips = count * inner.div_ceil(width);
        let wanted = ENOUGH_WORKGROUPS.div_ceil(strips.max(1));
        let filling = len.div_ceil(wanted).max(SMALLEST_CHUNK.div_ceil(width)).next_multiple_of(4);
        let reachable = u64::from(self.workgroup_size()) / width * MAX_ITERATIONS;
        // A window may start with nearly `align` bytes that are not the chunk's.
        let bound = self.room() / (inner * self.monoid.element().size());
        len.min(filling).min(reachable).min(bound.max(1))
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

    /// The dispatch over as many chunks from the first of `numbers` on as bindings hold, and the number after them.
    fn slab(
        &self,
        part: Extent,
        second: Option<Extent>,
        cut: Cut,
        step: Step,
        numbers: std::ops::Range<u64>,
    ) -> Result<(Pass, u64), ReducerError> {
        let begin = numbers.start;
        let leaves = step.leaves_partials();
        let stride = if leaves { self.monoid.acc.stride } else { self.monoid.out.stride };
        let row = cut.row(begin);
        let room = self.room_from(part, second, row * cut.inner) / self.monoid.element().size();
        let reachable = cut.number(row + room / cut.inner);
        let storable = begin + self.storable(stride) / cut.inner;
        let end = reachable.min(storable).min(numbers.end).max(begin + 1);
        let reads = self.reads(part, second, row * cut.inner..cut.row(end) * cut.inner);
        let (bytes, store) = self.store(begin * cut.inner, (end - begin) * cut.inner, stride);
        let pass = self.divide(cut, end - begin, cut.chunk)?;
        let params = Params { store, base: begin as u32, ..pass.params };
        let Params { first, len, index, other, .. } = reads.params();
        let pass = Pass {
            step,
            from: reads.from(),
            to: if leaves { To::Scratch(bytes) } else { To::Output(bytes) },
            params: Params { first, len, index, other, ..params },
            ..pass
        };
        Ok((pass, end))
    }

    /// The dispatches that reduce every part's accumulators.
    fn merge(&self, plan: &mut Plan, count: u64, cut: Cut, step: Step) -> Result<(), ReducerError> {
        let most = (self.storable(self.monoid.out.stride) / cut.inner).max(1);
        let whole = Cut { len: cut.chunks, chunk: cut.chunks, chunks: 1, inner: cut.inner };
        let mut begin = 0;
        while begin < count {
            let parts = most.min(count - begin);
            let (bytes, store) = self.store(begin * cut.inner, parts * cut.inner, self.monoid.out.stride);
            let pass = self.divide(whole, parts, cut.chunks)?;
            plan.passes.push(Pass {
                step,
                from: From::Scratch(Bytes { offset: 0, size: plan.scratch }),
                to: To::Output(bytes),
                params: Params {
                    len: (parts * cut.chunks * cut.inner) as u32,
                    count: cut.len as u32,
                    store,
                    base: begin as u32,
                    ..pass.params
                },
                ..pass
            });
            begin += parts;
        }
        Ok(())
    }

    /// A dispatch over so many chunks of so many rows: its grid, and the parameters that follow from it.
    fn divide(&self, cut: Cut, chunks: u64, rows: u64) -> Result<Pass, ReducerError> {
        let Division { strips, width, team } = self.division(rows, cut.inner);
        let grid = self.teams(chunks * strips, team)?;
        Ok(Pass {
            step: Step::Segments,
            from: From::Nothing,
            to: To::Scratch(Bytes { offset: 0, size: 0 }),
            offsets: None,
            grid,
            params: Params {
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
            },
        })
    }
}
