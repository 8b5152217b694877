//! Segments between offsets on the GPU. The plan knows only the average of their lengths.

use crate::gpu::SettingError;
use crate::gpu::error::Error;
use crate::gpu::pass::{Binding, Pass};
use crate::reduce::plan::params;
use crate::reduce::plan::{
    ByteRange, FIRST_SCRATCH, Inputs, MARKS, Params, Plan, Reads, Request, Stage, WORD, Writes,
};

/// Elements of a tile, as a power of two, if a binding holds at least two tiles. Longer segments are cut at tiles.
const TILE: u32 = 14;

/// The most elements of a segment per invocation of its team. The whole workgroup takes a longer segment.
const MOST_EACH: u64 = 128;

/// Invocations of a team that reads marks when tiles are reduced, as a power of two. A workgroup has eight such teams.
const TILE_TEAM: u32 = 5;

/// The most tiles of a segment that one invocation combines.
const JOINED_ALONE: u32 = 32;

/// The binding with the list of offsets; of dispatches that read no offsets, with the marks.
const LIST: u32 = 7;

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
        self.inputs.first.len.div_ceil(self.size())
    }

    /// The elements of each window; one window if there are none.
    fn windows(self) -> impl Iterator<Item = std::ops::Range<u64>> {
        let each = self.each << self.power;
        (0..self.count().div_ceil(self.each).max(1))
            .map(move |window| window * each..self.inputs.first.len.min((window + 1) * each))
    }
}

impl Request<'_> {
    /// Plans short and medium segments, window by window. If the input is longer than a tile, long segments follow.
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
                plan.work.passes.push(self.window(tiles, count, segments.clone(), window)?);
            }
        }
        let marks = self.scratch(tiles.count().max(1) * MARK)?;
        let mut plan = plan.taking(MARKS, marks);
        if tiles.count() > 1 {
            let accs = self.scratch((tiles.count() * self.monoid.acc.stride).next_multiple_of(WORD))?;
            plan = plan.taking(FIRST_SCRATCH, accs);
            let marks = Some(Binding::Memory(MARKS, ByteRange { offset: 0, size: marks }));
            for window in tiles.windows() {
                plan.work.passes.push(self.cut(tiles, window)?.bind(LIST, marks));
            }
            for segments in self.slabs(count) {
                plan.work.passes.push(self.join(tiles, accs, segments)?.bind(LIST, marks));
            }
        }
        Ok(plan)
    }

    /// A window binds its own tiles and one more.
    fn tiles(&self, inputs: Inputs) -> Tiles {
        let room = self.room() / self.item_size();
        let power = TILE.min((room / 2).max(1).ilog2());
        Tiles { inputs, power, each: ((room >> power) - 1).max(1) }
    }

    /// Ranges of segments whose offsets and results fit one binding. Their offsets start where a binding may start.
    fn slabs(&self, count: u64) -> impl Iterator<Item = std::ops::Range<u64>> {
        let unit = self.align() / OFFSET;
        let fitting = (self.largest_binding() / OFFSET - 1).min(self.storable_results());
        let each = (fitting / unit).max(1) * unit;
        (0..count.div_ceil(each)).map(move |slab| slab * each..count.min((slab + 1) * each))
    }

    /// The dispatch over the segments of a range that start in a window.
    fn window(
        &self,
        tiles: Tiles,
        count: u64,
        segments: std::ops::Range<u64>,
        window: std::ops::Range<u64>,
    ) -> Result<Pass<Stage>, Error> {
        let len = tiles.inputs.first.len;
        let some = segments.end - segments.start;
        let span = self.span(tiles.inputs, window.start..len.min(window.end + tiles.size()));
        let (to, store) = self.results(segments.start, some);
        let stage = self.stage(self.monoid.fold().offsets, Reads::Elements, self.last());
        let team = self.team(stage, len.div_ceil(count));
        let params = Params {
            // Only segments that start here, although the binding is longer.
            len: (window.end - window.start) as u32,
            store,
            ..span.params()
        };
        let own = params::Tiles {
            short: (MOST_EACH << team).min(tiles.size()) as u32,
            base: segments.start as u32,
            segments: count as u32,
            is_last: u32::from(window.end == len),
            ..params::Tiles::default()
        };
        let list = ByteRange { offset: segments.start * OFFSET, size: (some + 1) * OFFSET };
        // The list is the last input.
        let number = 1 + usize::from(tiles.inputs.second.is_some());
        let pass = self.over_tiles(tiles, stage, (some, team), params, own)?.between(span.bindings(), to);
        Ok(pass.bind(LIST, Some(Binding::Input(number, list))))
    }

    /// The dispatch over the tiles of a window, including the part of their long segments in the previous tile.
    fn cut(&self, tiles: Tiles, window: std::ops::Range<u64>) -> Result<Pass<Stage>, Error> {
        let begin = window.start >> tiles.power;
        let some = window.end.div_ceil(tiles.size()) - begin;
        let span = self.span(tiles.inputs, window.start.saturating_sub(tiles.size())..window.end);
        let (bytes, store) = self.store(begin, some, self.monoid.acc.stride);
        let stage = self.stage(self.monoid.fold().offsets, Reads::Elements, Writes::Partials);
        let team = self.fitting_team(stage, TILE_TEAM);
        let params = Params { store, ..span.params() };
        // The whole workgroup takes every tile.
        let own = params::Tiles { base: begin as u32, ..params::Tiles::default() };
        let to = Some(Binding::Memory(FIRST_SCRATCH, bytes));
        let pass = self.over_tiles(tiles, stage, (some, team), params, own)?;
        Ok(pass.at(1).between(span.bindings(), to))
    }

    /// The dispatch over all marks, for a range of segments.
    fn join(&self, tiles: Tiles, scratch: u64, segments: std::ops::Range<u64>) -> Result<Pass<Stage>, Error> {
        let some = segments.end - segments.start;
        let (to, store) = self.results(segments.start, some);
        let stage = self.stage(self.monoid.fold().offsets, Reads::Partials, self.last());
        let team = self.fitting_team(stage, 0);
        let params = Params { len: some as u32, store, ..Params::default() };
        let (short, base) = (JOINED_ALONE, segments.start as u32);
        let own = params::Tiles { short, base, ..params::Tiles::default() };
        let from = Binding::Memory(FIRST_SCRATCH, ByteRange { offset: 0, size: scratch });
        let pass = self.over_tiles(tiles, stage, (tiles.count(), team), params, own)?;
        Ok(pass.at(2).between([Some(from), None], to))
    }

    /// A dispatch over tiles, each by a team of 2^`team` invocations.
    fn over_tiles(
        &self,
        tiles: Tiles,
        stage: Stage,
        (teams, team): (u64, u32),
        params: Params,
        own: params::Tiles,
    ) -> Result<Pass<Stage>, Error> {
        let grid = self.teams(stage, teams, team)?;
        let count = tiles.inputs.first.len as u32;
        let params = Params { groups: teams as u32, grid_row: grid[0], count, ..params };
        Ok(Pass::new(stage, grid, params).and(params::Tiles { power: tiles.power, team, ..own }))
    }
}
