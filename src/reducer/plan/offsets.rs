//! Segments between offsets that lie on the GPU: nothing is known of their lengths but the average.

use crate::reduce::Params;
use crate::reducer::error::ReducerError;
use crate::reducer::plan::{Bytes, Extent, From, Pass, Plan, Request, Step, To, WORD};

/// Elements of a tile, as a power of two, if a binding holds at least two of them: longer segments are cut.
const TILE: u32 = 14;

/// Elements of a segment for each invocation of its team; if it has more, the whole workgroup takes it.
const MOST_EACH: u64 = 128;

/// Invocations that share the marks they look at in [`Step::Tiles`], as a power of two: a workgroup has eight.
const TILE_TEAM: u32 = 5;

/// Tiles of a segment that one invocation joins.
const JOINED_ALONE: u32 = 32;

/// Bytes of a mark, and of an offset.
const MARK: u64 = 16;
const OFFSET: u64 = 4;

/// The input in tiles, and the tiles in windows.
#[derive(Clone, Copy)]
struct Tiles {
    part: Extent,
    second: Option<Extent>,
    /// Elements of a tile, as a power of two.
    power: u32,
    /// Tiles of a window.
    each: u64,
}

impl Tiles {
    fn size(&self) -> u64 {
        1 << self.power
    }

    fn count(&self) -> u64 {
        self.part.len.div_ceil(self.size())
    }

    /// The elements of each window; one window if there are none.
    fn windows(self) -> impl Iterator<Item = std::ops::Range<u64>> {
        let each = self.each << self.power;
        (0..self.count().div_ceil(self.each).max(1))
            .map(move |window| window * each..self.part.len.min((window + 1) * each))
    }
}

impl Request<'_> {
    /// Short and medium segments by window; then, if the input is longer than a tile, long ones.
    pub(super) fn offsets(
        &self,
        part: Extent,
        second: Option<Extent>,
        count: u64,
    ) -> Result<Plan, ReducerError> {
        // There is one offset more than there are segments.
        if count >= u64::from(u32::MAX) {
            return Err(ReducerError::TooManySegments(count));
        }
        let mut plan = Plan::empty(count, self.monoid.out.stride);
        if count == 0 {
            return Ok(plan);
        }
        let tiles = self.tiles(part, second);
        for segments in self.slabs(count) {
            for window in tiles.windows() {
                plan.passes.push(self.window(tiles, count, segments.clone(), window)?);
            }
        }
        plan.marks = self.scratch(tiles.count().max(1) * MARK)?;
        if tiles.count() > 1 {
            plan.scratch = self.scratch((tiles.count() * self.monoid.acc.stride).next_multiple_of(WORD))?;
            for window in tiles.windows() {
                plan.passes.push(self.cut(tiles, window)?);
            }
            for segments in self.slabs(count) {
                plan.passes.push(self.join(tiles, plan.scratch, segments)?);
            }
        }
        Ok(plan)
    }

    /// A window binds its own tiles and one more.
    fn tiles(&self, part: Extent, second: Option<Extent>) -> Tiles {
        let room = self.room() / self.monoid.element().size();
        let power = TILE.min((room / 2).max(1).ilog2());
        Tiles { part, second, power, each: ((room >> power) - 1).max(1) }
    }

    /// Segments whose offsets and results one binding holds. Their offsets start where a binding may.
    fn slabs(&self, count: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
        let unit = self.align() / OFFSET;
        let fitting = (self.largest_binding() / OFFSET - 1).min(self.storable(self.monoid.out.stride));
        let each = (fitting / unit).max(1) * unit;
        (0..count.div_ceil(each)).map(move |slab| slab * each..count.min((slab + 1) * each))
    }

    /// The dispatch over some segments that start in a window.
    fn window(
        &self,
        tiles: Tiles,
        count: u64,
        segments: std::ops::Range<u64>,
        window: std::ops::Range<u64>,
    ) -> Result<Pass, ReducerError> {
        let len = tiles.part.len;
        let some = segments.end - segments.start;
        let team = self.team(len.div_ceil(count));
        let grid = self.teams(some, team)?;
        let reads = self.reads(tiles.part, tiles.second, window.start..len.min(window.end + tiles.size()));
        let (bytes, store) = self.store(segments.start, some, self.monoid.out.stride);
        Ok(Pass {
            step: Step::Offsets,
            from: reads.from(),
            to: To::Output(bytes),
            offsets: Some(Bytes { offset: segments.start * OFFSET, size: (some + 1) * OFFSET }),
            grid,
            workgroup_size: self.workgroup_size(),
            params: Params {
                // Segments that start here, though the binding reaches further.
                len: (window.end - window.start) as u32,
                groups: some as u32,
                row: grid[0],
                store,
                count: len as u32,
                last: u32::from(window.end == len),
                segment: tiles.power,
                chunk: (MOST_EACH << team).min(tiles.size()) as u32,
                chunks: count as u32,
                base: segments.start as u32,
                team,
                ..reads.params()
            },
        })
    }

    /// The dispatch over the tiles of a window, and what their long segments have in the tile before.
    fn cut(&self, tiles: Tiles, window: std::ops::Range<u64>) -> Result<Pass, ReducerError> {
        let begin = window.start >> tiles.power;
        let some = window.end.div_ceil(tiles.size()) - begin;
        let team = TILE_TEAM.min(self.workgroup_size().ilog2());
        let grid = self.teams(some, team)?;
        let reads =
            self.reads(tiles.part, tiles.second, window.start.saturating_sub(tiles.size())..window.end);
        let (bytes, store) = self.store(begin, some, self.monoid.acc.stride);
        Ok(Pass {
            step: Step::Tiles,
            from: reads.from(),
            to: To::Scratch(bytes),
            offsets: None,
            grid,
            workgroup_size: self.workgroup_size(),
            params: Params {
                groups: some as u32,
                row: grid[0],
                store,
                count: tiles.part.len as u32,
                segment: tiles.power,
                base: begin as u32,
                team,
                ..reads.params()
            },
        })
    }

    /// The dispatch over all marks, for those of some segments.
    fn join(&self, tiles: Tiles, scratch: u64, segments: std::ops::Range<u64>) -> Result<Pass, ReducerError> {
        let some = segments.end - segments.start;
        let grid = self.teams(tiles.count(), 0)?;
        let (bytes, store) = self.store(segments.start, some, self.monoid.out.stride);
        Ok(Pass {
            step: Step::Join,
            from: From::Scratch(Bytes { offset: 0, size: scratch }),
            to: To::Output(bytes),
            offsets: None,
            grid,
            workgroup_size: self.workgroup_size(),
            params: Params {
                len: some as u32,
                groups: tiles.count() as u32,
                row: grid[0],
                store,
                count: tiles.part.len as u32,
                segment: tiles.power,
                chunk: JOINED_ALONE,
                base: segments.start as u32,
                ..Params::default()
            },
        })
    }
}
