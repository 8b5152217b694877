//! Segments between offsets on the GPU. The plan knows only the average of their lengths.

use crate::gpu::SettingError;
use crate::gpu::error::Error;
use crate::reduce::plan::{
    ByteRange, Dst, Inputs, Launch, Own, Params, Plan, Reads, Request, Src, WORD, Writes,
};

/// Elements of a tile, as a power of two, if a binding holds at least two tiles. Longer segments are cut at
/// tiles.
const TILE: u32 = 14;

/// The most elements of a segment per invocation of its team. The whole workgroup takes a longer segment.
const MOST_EACH: u64 = 128;

/// Invocations of a team that reads marks when tiles are reduced, as a power of two. A workgroup has eight
/// such teams.
const TILE_TEAM: u32 = 5;

/// The most tiles of a segment that one invocation combines.
const JOINED_ALONE: u32 = 32;

/// Bytes of a mark, and of an offset.
const MARK: u64 = 16;
const OFFSET: u64 = 4;

/// The division of the input into tiles, and of the tiles into windows.
#[derive(Clone, Copy)]
struct Tiles {
    inputs: Inputs,
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
        self.inputs.part.len.div_ceil(self.size())
    }

    /// The elements of each window; one window if there are none.
    fn windows(self) -> impl Iterator<Item = std::ops::Range<u64>> {
        let each = self.each << self.power;
        (0..self.count().div_ceil(self.each).max(1))
            .map(move |window| window * each..self.inputs.part.len.min((window + 1) * each))
    }
}

impl Request<'_> {
    /// Plans short and medium segments, window by window. If the input is longer than a tile, long segments
    /// follow.
    pub(super) fn offsets(&self, inputs: Inputs, count: u64) -> Result<Plan, Error> {
        // There is one more offset than segments.
        if count >= u64::from(u32::MAX) {
            return Err(SettingError::new("segments", count, "at most 4294967294: split the offsets").into());
        }
        let mut plan = Plan::empty(count, self.out_stride());
        if count == 0 {
            return Ok(plan);
        }
        let tiles = self.tiles(inputs);
        for segments in self.slabs(count) {
            for window in tiles.windows() {
                plan.launches.push(self.window(tiles, count, segments.clone(), window)?);
            }
        }
        plan.marks = self.scratch(tiles.count().max(1) * MARK)?;
        if tiles.count() > 1 {
            plan.scratch[0] =
                self.scratch((tiles.count() * self.monoid.acc.stride).next_multiple_of(WORD))?;
            for window in tiles.windows() {
                plan.launches.push(self.cut(tiles, window)?);
            }
            for segments in self.slabs(count) {
                plan.launches.push(self.join(tiles, plan.scratch[0], segments)?);
            }
        }
        Ok(plan)
    }

    /// Invocations for a tile, as a power of two: so many, if a workgroup has as many. Exact sums take all of a workgroup.
    fn tile_team(&self, usual: u32) -> u32 {
        let most = self.workgroup_size().ilog2();
        if self.monoid.fold().shares_memory { most } else { usual.min(most) }
    }

    /// A window binds its own tiles and one more.
    fn tiles(&self, inputs: Inputs) -> Tiles {
        let room = self.room() / self.item_size();
        let power = TILE.min((room / 2).max(1).ilog2());
        Tiles { inputs, power, each: ((room >> power) - 1).max(1) }
    }

    /// Ranges of segments whose offsets and results fit one binding. Their offsets start where a binding may
    /// start.
    fn slabs(&self, count: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
        let unit = self.align() / OFFSET;
        let fitting = (self.largest_binding() / OFFSET - 1).min(self.storable_results());
        let each = (fitting / unit).max(1) * unit;
        (0..count.div_ceil(each)).map(move |slab| slab * each..count.min((slab + 1) * each))
    }

    /// The launch over the segments of a range that start in a window.
    fn window(
        &self,
        tiles: Tiles,
        count: u64,
        segments: std::ops::Range<u64>,
        window: std::ops::Range<u64>,
    ) -> Result<Launch, Error> {
        let len = tiles.inputs.part.len;
        let some = segments.end - segments.start;
        let team = self.team(len.div_ceil(count));
        let grid = self.teams(some, team)?;
        let span = self.span(tiles.inputs, window.start..len.min(window.end + tiles.size()));
        let (dst, store) = self.results(segments.start, some);
        Ok(Launch {
            stage: self.stage(self.monoid.fold().offsets, Reads::Elements, self.last()),
            level: 0,
            src: span.src(),
            dst,
            offsets: Some(ByteRange { offset: segments.start * OFFSET, size: (some + 1) * OFFSET }),
            grid,
            params: Params {
                // Only segments that start here, although the binding is longer.
                len: (window.end - window.start) as u32,
                groups: some as u32,
                row: grid[0],
                store,
                count: len as u32,
                own: Own::Offsets {
                    power: tiles.power,
                    short: (MOST_EACH << team).min(tiles.size()) as u32,
                    base: segments.start as u32,
                    team,
                    segments: count as u32,
                    is_last: u32::from(window.end == len),
                },
                ..span.params()
            },
        })
    }

    /// The launch over the tiles of a window, including the part of their long segments in the previous tile.
    fn cut(&self, tiles: Tiles, window: std::ops::Range<u64>) -> Result<Launch, Error> {
        let begin = window.start >> tiles.power;
        let some = window.end.div_ceil(tiles.size()) - begin;
        let team = self.tile_team(TILE_TEAM);
        let grid = self.teams(some, team)?;
        let span = self.span(tiles.inputs, window.start.saturating_sub(tiles.size())..window.end);
        let (bytes, store) = self.store(begin, some, self.monoid.acc.stride);
        Ok(Launch {
            stage: self.stage(self.monoid.fold().offsets, Reads::Elements, Writes::Partials),
            level: 1,
            src: span.src(),
            dst: Dst::Scratch(0, bytes),
            offsets: None,
            grid,
            params: Params {
                groups: some as u32,
                row: grid[0],
                store,
                count: tiles.inputs.part.len as u32,
                own: Own::Offsets {
                    power: tiles.power,
                    // The whole workgroup takes every tile.
                    short: 0,
                    base: begin as u32,
                    team,
                    segments: 0,
                    is_last: 0,
                },
                ..span.params()
            },
        })
    }

    /// The launch over all marks, for a range of segments.
    fn join(&self, tiles: Tiles, scratch: u64, segments: std::ops::Range<u64>) -> Result<Launch, Error> {
        let some = segments.end - segments.start;
        let team = self.tile_team(0);
        let grid = self.teams(tiles.count(), team)?;
        let (dst, store) = self.results(segments.start, some);
        Ok(Launch {
            stage: self.stage(self.monoid.fold().offsets, Reads::Partials, self.last()),
            level: 2,
            src: Src::Scratch(0, ByteRange { offset: 0, size: scratch }),
            dst,
            offsets: None,
            grid,
            params: Params {
                len: some as u32,
                groups: tiles.count() as u32,
                row: grid[0],
                store,
                count: tiles.inputs.part.len as u32,
                own: Own::Offsets {
                    power: tiles.power,
                    short: JOINED_ALONE,
                    base: segments.start as u32,
                    team,
                    segments: 0,
                    is_last: 0,
                },
                ..Params::default()
            },
        })
    }
}
