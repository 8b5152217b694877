//! Results of parts of equal length: segments, and columns of an array.
//!
//! In both cases the input is a sequence of rows, and `len` rows make one result or one row of results. Segments are the case of rows with one element.

use crate::gpu::error::Error;
use crate::gpu::pass::{Binding, Pass};
use crate::reduce::kernel::{Coverage, Kernel};
use crate::reduce::plan::params::{Columns, Segments};
use crate::reduce::plan::{
    FIRST_SCRATCH, Inputs, MAX_ITERATIONS, PER_INVOCATION, Params, Plan, Reads, Request, Stage, WORD, Writes,
};

/// Workgroups that fill any GPU; twice as many of exact sums of segments, whose workgroups are small, and a quarter of those of exact sums of
/// columns, whose invocations have sixteen loads on their way. If there are fewer, long segments are cut into chunks.
const ENOUGH: u64 = 2048;

/// The fewest elements of a chunk. Smaller chunks would not be worth a second dispatch.
const SMALLEST_CHUNK: u64 = 1 << 14;

/// Below this number of segments, each exact sum has a workgroup of its own.
const FEW: u64 = 256;

/// Columns that a team takes side by side if rows are long: several complete cache lines.
const USUAL_WIDTH: u64 = 64;

/// The cut of parts into chunks.
#[derive(Clone, Copy)]
struct Cut {
    /// Rows of a part.
    len: u64,
    /// Rows of a chunk. The last chunk of a part may be shorter.
    chunk: u64,
    /// Chunks of a part.
    chunks: u64,
    /// Elements of a row.
    inner: u64,
}

impl Cut {
    /// The first row of a chunk.
    fn row(self, number: u64) -> u64 {
        number / self.chunks * self.len + number % self.chunks * self.chunk
    }

    /// The index of the first chunk that does not end at or before this row.
    fn number(self, row: u64) -> u64 {
        row / self.len * self.chunks + row % self.len / self.chunk
    }
}

/// Rows that a workgroup can cover in the most iterations that it may take.
fn reachable(stage: Stage, width: u64) -> u64 {
    u64::from(stage.workgroup_size) / width * MAX_ITERATIONS
}

impl Request<'_> {
    /// Plans segments of one length.
    pub(super) fn segments(&self, inputs: Inputs, len: u64) -> Result<Plan, Error> {
        let total = inputs.first.len;
        if len == 0 || !total.is_multiple_of(len) {
            let remedy = "the length must be at least 1 and divide the input";
            return Err(Error::setting(
                "segments",
                format!("{total} elements in segments of {len}: {remedy}"),
            ));
        }
        self.parts(inputs, (total / len, len, 1), self.monoid.fold().segments)
    }

    /// Plans the middle axis of an array.
    pub(super) fn axis(&self, inputs: Inputs, [outer, len, inner]: [u64; 3]) -> Result<Plan, Error> {
        let total = inputs.first.len;
        let cells = outer.checked_mul(len).and_then(|rows| rows.checked_mul(inner));
        if len == 0 || inner == 0 || cells != Some(total) {
            let remedy = "the array must have as many, and its last two lengths must be at least 1";
            let array = format!("an array of {outer} × {len} × {inner}");
            return Err(Error::setting(
                "axis",
                format!("{array} for an input of {total} elements: {remedy}"),
            ));
        }
        let widest =
            [self.item_size(), self.monoid.acc.stride, self.out_stride()].into_iter().max().unwrap_or(1);
        let unit = self.unit(self.monoid.acc.stride).max(self.unit(self.out_stride()));
        // A binding holds a row at every offset.
        let limit = self.largest_binding();
        let lost = limit - self.room().min(limit.saturating_sub(unit));
        let needed = inner.saturating_mul(widest).saturating_add(lost);
        self.check_binding("a row", needed, "reduce ranges of its columns separately")?;
        self.parts(inputs, (outer, len, inner), self.monoid.fold().columns)
    }

    /// Plans one dispatch per window, and a second level if parts are cut into chunks.
    fn parts(
        &self,
        inputs: Inputs,
        (count, len, inner): (u64, u64, u64),
        kernel: &'static Kernel,
    ) -> Result<Plan, Error> {
        let mut plan = Plan::empty(count * inner, self.out_stride());
        let rows = if inner > 1 || count >= FEW { len } else { u64::MAX };
        let all = self.for_rows(self.stage(kernel, self.items(), self.last()), rows);
        let chunks = Stage { writes: Writes::Partials, ..all };
        let mut merges = true;
        // A window may start with nearly `align` bytes that do not belong to the part.
        let fitting = self.room() / (inner * self.item_size());
        let left = if len > fitting {
            self.over_windows(&mut plan, inputs, (count, len, inner), chunks)?
        } else {
            let chunk = self.chunk(all, (count, len, inner));
            let cut = Cut { len, chunk, chunks: len.div_ceil(chunk), inner };
            merges = cut.chunks > 1;
            let stage = if merges { chunks } else { all };
            let end = count * cut.chunks;
            let mut number = 0;
            while number < end {
                let to = self.reach(inputs, cut, merges, number..end);
                plan.work.passes.push(self.slab(inputs, cut, (stage, merges), number..to, number)?);
                number = to;
            }
            cut.chunks
        };
        if merges && !plan.launches().is_empty() {
            let accs = (count * left * inner * self.monoid.acc.stride).next_multiple_of(WORD);
            plan = plan.taking(FIRST_SCRATCH, accs);
            let merge = self.for_rows(self.stage(kernel, Reads::Partials, self.last()), left);
            self.merge(&mut plan, count, Cut { len, chunk: left, chunks: left, inner }, merge)?;
        }
        Ok(plan)
    }

    /// Rows of a chunk if a binding holds whole parts: all rows, or fewer if there are too few parts to fill a GPU.
    fn chunk(&self, stage: Stage, (count, len, inner): (u64, u64, u64)) -> u64 {
        let width = self.usual_width(stage, inner);
        let enough = self.enough(stage).div_ceil((count * inner.div_ceil(width)).max(1));
        let filling = len.div_ceil(enough).max(SMALLEST_CHUNK.div_ceil(width)).next_multiple_of(4);
        len.min(filling).min(reachable(stage, width))
    }

    fn enough(&self, stage: Stage) -> u64 {
        match stage.kernel.coverage {
            _ if self.monoid.exact.is_none() => ENOUGH,
            Coverage::Columns => ENOUGH / 4,
            _ => 2 * ENOUGH,
        }
    }

    fn usual_width(&self, stage: Stage, inner: u64) -> u64 {
        if self.monoid.exact.is_some() {
            // A power of two. Segments have one.
            return inner.next_power_of_two().min(u64::from(stage.tile.max(1)));
        }
        inner.min(USUAL_WIDTH).min(u64::from(self.workgroup_size()))
    }

    /// Plans parts that no binding holds, one after the other. Every window has the same number of chunks, and its accumulators are combined with
    /// those of the previous window. Returns the number of accumulators per part and column.
    fn over_windows(
        &self,
        plan: &mut Plan,
        inputs: Inputs,
        (count, len, inner): (u64, u64, u64),
        stage: Stage,
    ) -> Result<u64, Error> {
        let width = self.usual_width(stage, inner);
        let fitting = (self.room() / (inner * self.item_size())).max(1);
        let worthwhile = fitting / SMALLEST_CHUNK.div_ceil(width);
        let each = self.enough(stage).div_ceil(inner.div_ceil(width)).min(worthwhile).max(1);
        let chunk = (fitting / each).min(reachable(stage, width));
        let cut = Cut { len, chunk, chunks: len.div_ceil(chunk), inner };
        for number in 0..count {
            let end = (number + 1) * cut.chunks;
            for begin in (number * cut.chunks..end).step_by(each as usize) {
                let numbers = begin..end.min(begin + each);
                let mut launch = self.slab(inputs, cut, (stage, true), numbers, number * each)?;
                launch.change("onto", |_| u32::from(begin > number * cut.chunks));
                plan.work.passes.push(launch);
            }
        }
        Ok(each)
    }

    /// The division of chunks of `rows` rows among teams: strips of columns, with a team for each; columns of a strip; invocations of a
    /// team, as a power of two.
    fn division(&self, stage: Stage, rows: u64, inner: u64) -> (u64, u64, u32) {
        if inner == 1 || self.monoid.exact.is_some() {
            let width = self.usual_width(stage, inner);
            return (inner.div_ceil(width), width, self.team(stage, rows));
        }
        let most = u64::from(stage.workgroup_size);
        let high = rows.div_ceil(PER_INVOCATION);
        let enough = inner.min((most / high).max(USUAL_WIDTH)).min(most);
        let strips = inner.div_ceil(enough);
        // All strips are equally wide. They start at whole cache sectors if rows do.
        let width = inner.div_ceil(strips).next_multiple_of(8).min(enough);
        let team = (width * high).next_power_of_two().min(1 << most.ilog2());
        (inner.div_ceil(width), width, team.ilog2())
    }

    /// The end of the chunks of `numbers`, starting with the first, that bindings can hold.
    fn reach(&self, inputs: Inputs, cut: Cut, merges: bool, numbers: std::ops::Range<u64>) -> u64 {
        let row = cut.row(numbers.start);
        let room = self.room_from(inputs, row * cut.inner) / self.item_size();
        let readable = cut.number(row + room / cut.inner);
        let most = if merges { self.storable(self.monoid.acc.stride) } else { self.storable_results() };
        let storable = numbers.start + most / cut.inner;
        readable.min(storable).min(numbers.end).max(numbers.start + 1)
    }

    /// The dispatch over some chunks. Their values go to the positions of chunk number `to` and the following
    /// ones: in scratch memory if they are merged later, otherwise in the output.
    fn slab(
        &self,
        inputs: Inputs,
        cut: Cut,
        (stage, merges): (Stage, bool),
        numbers: std::ops::Range<u64>,
        to: u64,
    ) -> Result<Pass<Stage>, Error> {
        let some = numbers.end - numbers.start;
        let range = cut.row(numbers.start) * cut.inner..cut.row(numbers.end) * cut.inner;
        let span = self.span(inputs, range);
        let (begin, count) = (to * cut.inner, some * cut.inner);
        let (to, store) = if merges {
            let (bytes, store) = self.store(begin, count, self.monoid.acc.stride);
            (Some(Binding::Memory(FIRST_SCRATCH, bytes)), store)
        } else {
            self.results(begin, count)
        };
        let params = Params { store, count: cut.len as u32, ..span.params() };
        let pass = self.divided(stage, cut, (some, cut.chunk), numbers.start as u32, params)?;
        Ok(pass.between(span.bindings(), to))
    }

    /// The dispatches that reduce the accumulators of every part.
    fn merge(&self, plan: &mut Plan, count: u64, cut: Cut, stage: Stage) -> Result<(), Error> {
        let results = self.storable_results() / cut.inner;
        let readable = self.storable(self.monoid.acc.stride) / (cut.chunks * cut.inner);
        let most = results.min(readable).max(1);
        let whole = Cut { len: cut.chunks, chunks: 1, ..cut };
        let each = cut.chunks * cut.inner;
        let mut begin = 0;
        while begin < count {
            let parts = most.min(count - begin);
            let (from, first) = self.store(begin * each, parts * each, self.monoid.acc.stride);
            let (to, store) = self.results(begin * cut.inner, parts * cut.inner);
            let params = Params {
                first,
                len: (parts * each) as u32,
                index: (begin * each) as u32,
                count: cut.len as u32,
                store,
                ..Params::default()
            };
            let pass = self.divided(stage, whole, (parts, cut.chunks), begin as u32, params)?;
            let from = [Some(Binding::Memory(FIRST_SCRATCH, from)), None];
            plan.work.passes.push(pass.at(1).between(from, to));
            begin += parts;
        }
        Ok(())
    }

    /// The dispatch over a number of chunks, starting with number `base`, which teams share.
    fn divided(
        &self,
        stage: Stage,
        cut: Cut,
        (chunks, rows): (u64, u64),
        base: u32,
        params: Params,
    ) -> Result<Pass<Stage>, Error> {
        let (strips, width, team) = self.division(stage, rows, cut.inner);
        let grid = self.teams(stage, chunks * strips, team)?;
        let params = Params { groups: (chunks * strips) as u32, grid_row: grid[0], ..params };
        let pass = Pass::new(stage, grid, params);
        let [len, chunk, chunks] = [cut.len, cut.chunk, cut.chunks].map(|rows| rows as u32);
        if stage.kernel.coverage != Coverage::Columns {
            return Ok(pass.and(Segments { len, chunk, chunks, base, team, onto: 0 }));
        }
        let (inner, width) = (cut.inner as u32, width as u32);
        Ok(pass.and(Columns { len, chunk, chunks, base, team, inner, width, onto: 0 }))
    }
}
