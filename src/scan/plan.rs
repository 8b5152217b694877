//! Plans: from lengths and limits to dispatches over tiles.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::LimitError;
use crate::gpu::operation::Step;
use crate::gpu::params::parameters;
use crate::gpu::range::{BufferRange, ByteRange, Cut};
use crate::gpu::window;
use crate::gpu::{Pass, grid, input};
use crate::scan::kernels::{CARRY, REDUCE, REDUCE_STATES, SCAN, SCAN_LAST, SCAN_STATES};

parameters! {
    /// `Params` of `shaders/scan/shared/io.wgsl`.
    pub(crate) struct Params {
        first: u32,
        index: u32,
        len: u32,
        count: u32,
        row: u32,
        power: u32,
        store: u32,
        before: u32,
        skipped: u32,
        tiles: u32,
        groups: u32,
        count_at: u32,
    }
}

/// The remedy for too many workgroups.
const SPLIT: &str = "split the input";

/// The sizes that a plan needs to know.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    /// Bytes of an element, and of its result; `None` if only some elements have one, at places that the GPU finds.
    pub(crate) item: u64,
    pub(crate) result: Option<u64>,
    /// Elements of a tile: a power of two.
    pub(crate) tile: u64,
    /// True if tiles that are not full take another kernel.
    pub(crate) has_last: bool,
    pub(crate) rows: &'a Cut,
    /// True if other inputs come before: two states are theirs, and that of all.
    pub(crate) continues: bool,
}

/// States of tiles: their position, their number, and the elements of each as a power of two.
#[derive(Clone, Copy, Debug)]
struct Level {
    at: u64,
    len: u64,
    power: u32,
}

/// A part of the input that a binding can hold: whole tiles, but for the last part.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// The first element.
    index: u64,
    len: u64,
    /// The range of the input's buffer, if it is not empty, and the position of the first element there.
    from: Option<ByteRange>,
    first: u64,
    /// The range of the output.
    to: Option<ByteRange>,
}

impl Level {
    /// The parameters of a dispatch that reads its states.
    fn params(&self) -> Params {
        Params { first: self.at as u32, len: self.len as u32, power: self.power, ..Params::default() }
    }
}

impl Layout<'_> {
    /// The states that lead to those before each tile: of all tiles but the last, then of tiles of these states, and so on.
    fn levels(&self, len: u64) -> Vec<Level> {
        let mut levels = Vec::new();
        let (mut at, mut items, mut power) = (self.carried(), len, 0);
        loop {
            items = items.div_ceil(self.tile).saturating_sub(1);
            if items == 0 {
                return levels;
            }
            power += self.tile.ilog2();
            levels.push(Level { at, len: items, power });
            at += items;
        }
    }

    /// The number of states that are not of tiles.
    fn carried(&self) -> u64 {
        if self.continues { 2 } else { 0 }
    }

    /// The number of states over so many elements.
    pub(crate) fn states(&self, len: u64) -> u64 {
        self.levels(len).iter().map(|level| level.len).sum::<u64>() + self.carried()
    }

    /// Combinations on the longest way from an element to a result: the ways to the state of its tile, to that of the tile's tile, and so
    /// on, and back.
    pub(crate) fn depth(&self, len: u64) -> u64 {
        // Those of four items, of four totals, and of four invocations in each step; then from the state before the tile.
        let steps = (self.tile.ilog2() - 4).div_ceil(2);
        let in_tile = u64::from(3 + 3 + 3 * steps);
        let onward = 1 + 3 + 4;
        (2 * self.levels(len).len() as u64 + 1) * (in_tile + onward)
    }

    /// Plans the dispatches over a range of a buffer.
    pub(crate) fn plan(&self, range: BufferRange, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let len = range.len;
        let row = match self.rows {
            Cut::All => len.max(1),
            Cut::Rows(row) => *row,
            Cut::Segments(starts) => starts.len() as u64,
        };
        let parts = self.parts(range, limits)?;
        let dispatches = Dispatches { layout: self, count: len, row, limits };
        let levels = self.levels(len);
        let mut passes = Vec::new();
        passes.extend(self.continues.then(|| dispatches.carry(0)).transpose()?);
        if let Some(tiles) = levels.first() {
            for part in &parts {
                passes.extend(dispatches.reduce_part(part, tiles)?);
            }
        }
        for pair in levels.windows(2) {
            passes.push(dispatches.reduce_states(&pair[0], &pair[1])?);
        }
        for (nth, level) in levels.iter().enumerate().rev() {
            passes.push(dispatches.scan_states(level, levels.get(nth + 1))?);
        }
        for part in &parts {
            passes.extend(dispatches.scan_part(part)?);
        }
        passes.extend((self.continues && len > 0).then(|| dispatches.carry(1)).transpose()?);
        Ok(passes)
    }

    /// Cuts the input into parts that start at a tile, and where bindings of input and output can start.
    fn parts(&self, range: BufferRange, limits: &Limits) -> Result<Vec<Part>, Error> {
        let BufferRange { offset, len } = range;
        input::check(range, self.item, self.item)?;
        input::check_count(len)?;
        let bytes = self.item.max(self.result.unwrap_or(0));
        window::check(len * bytes, limits)?;
        let align = u64::from(limits.min_storage_buffer_offset_alignment).max(16);
        let unit = input::unit(align, self.item);
        // Multiples of both powers of two start results at multiples of the alignment.
        let step = self.tile.max(align);
        let limit = limits.max_storage_buffer_binding_size.min(1 << 31);
        let least = len.min(step) * bytes + unit;
        LimitError::unless("max_storage_buffer_binding_size", limit, least)?;
        let fits = (limit - unit) / bytes;
        let most = if len <= fits { len.max(1) } else { fits / step * step };
        let part = |index: u64| {
            let here = (len - index).min(most);
            let start = offset + index * self.item;
            let bound = start / unit * unit;
            let size = (start - bound + here * self.item).next_multiple_of(4);
            let to =
                |result: u64| ByteRange { offset: index * result, size: (here * result).next_multiple_of(4) };
            Part {
                index,
                len: here,
                from: (here > 0).then_some(ByteRange { offset: bound, size }),
                first: (start - bound) / self.item,
                to: self.result.map(to),
            }
        };
        // A count of no elements is written, too.
        let counted = if self.result.is_none() { len.max(1) } else { len };
        Ok((0..counted).step_by(most as usize).map(part).collect())
    }
}

/// The dispatches over one input.
struct Dispatches<'a> {
    layout: &'a Layout<'a>,
    count: u64,
    row: u64,
    limits: &'a Limits,
}

impl Dispatches<'_> {
    /// The dispatch over so many tiles.
    fn pass(&self, step: Step, tiles: u64, params: Params) -> Result<Pass, LimitError> {
        let grid = grid::of(tiles, self.limits, SPLIT)?;
        let (count, row) = (self.count as u32, self.row as u32);
        Ok(Pass::new(step, grid, Params { count, row, tiles: tiles as u32, groups: grid[0], ..params }))
    }

    /// Takes the first state from the buffer that goes from input to input, or puts the second one there.
    fn carry(&self, state: u32) -> Result<Pass, LimitError> {
        self.pass(CARRY, 1, Params { first: state, ..Params::default() })
    }

    /// Reduces the tiles of a part, but for the last tile of the input.
    fn reduce_part(&self, part: &Part, states: &Level) -> Result<Option<Pass>, LimitError> {
        let tile = self.layout.tile;
        let skipped = part.index / tile;
        let tiles = part.len.div_ceil(tile).min(states.len - skipped.min(states.len));
        let params = Params {
            first: part.first as u32,
            index: part.index as u32,
            len: part.len as u32,
            store: (states.at + skipped) as u32,
            ..Params::default()
        };
        let pass = self.pass(REDUCE, tiles, params)?;
        Ok((tiles > 0).then_some(pass.reading(part.from)))
    }

    /// Reduces the tiles of states.
    fn reduce_states(&self, states: &Level, onto: &Level) -> Result<Pass, LimitError> {
        self.pass(REDUCE_STATES, onto.len, Params { store: onto.at as u32, ..states.params() })
    }

    /// Scans states in their places.
    fn scan_states(&self, states: &Level, tiles: Option<&Level>) -> Result<Pass, LimitError> {
        let before = tiles.map_or(0, |tiles| tiles.at as u32);
        let params = Params { store: states.at as u32, before, ..states.params() };
        self.pass(SCAN_STATES, states.len.div_ceil(self.layout.tile), params)
    }

    /// Scans the tiles of a part: full ones, and the last one if it is not full.
    fn scan_part(&self, part: &Part) -> Result<Vec<Pass>, LimitError> {
        let Layout { tile, has_last, .. } = *self.layout;
        let all = part.len.div_ceil(tile).max(1);
        let full = if has_last { part.len / tile } else { all };
        let last = all - full;
        let tiles = [(SCAN, 0, full), (SCAN_LAST, full, last)];
        let tiles = tiles.into_iter().filter(|(.., tiles)| *tiles > 0);
        let scan = |(step, skipped, tiles)| {
            let elements = skipped * tile;
            let params = Params {
                first: (part.first + elements) as u32,
                index: (part.index + elements) as u32,
                len: (part.len - elements) as u32,
                store: elements as u32,
                before: self.layout.carried() as u32,
                skipped: (part.index / tile + skipped) as u32,
                ..Params::default()
            };
            Ok(self.pass(step, tiles, params)?.reading(part.from).writing(part.to))
        };
        tiles.map(scan).collect()
    }
}

#[cfg(test)]
mod tests {
    use wgpu::Features;

    use super::*;
    use crate::element::Element;
    use crate::gpu::operation::Planned;
    use crate::gpu::params::assert_alike;
    use crate::reduce::Op;
    use crate::scan::Scan;
    use crate::select::Select;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        let sums = Scan::new(Op::Sum.over(Element::F32).unwrap());
        let kept =
            Select::new(Element::U32, "fn keep(elem: Elem, index: u32) -> bool { return true; }").unwrap();
        let (features, limits) = (Features::empty(), Limits::default());
        let kernels = [sums.kernels(Cut::All, features, &limits), kept.kernels(Cut::All, features, &limits)];
        for kernel in kernels.into_iter().flat_map(Result::unwrap) {
            assert_alike::<Params>(&kernel.label, &kernel.wgsl);
        }
    }
}
