//! Plans: from lengths and limits to dispatches over tiles.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::LimitError;
use crate::gpu::operation::Step;
use crate::gpu::params::parameters;
use crate::gpu::pass::{Binding, OUTPUT};
use crate::gpu::range::{BufferRange, ByteRange, Cut};
use crate::gpu::window;
use crate::gpu::{Pass, grid, input};
use crate::scan::config::Scan;
use crate::scan::kernels::{CARRY, SCAN, SCAN_LAST};

parameters! {
    /// `Params` of `shaders/scan/shared/io.wgsl`.
    pub(crate) struct Params {
        first: u32,
        index: u32,
        len: u32,
        count: u32,
        row: u32,
        store: u32,
        skipped: u32,
        tiles: u32,
        grid_row: u32,
        tickets: u32,
        ticket: u32,
        links: u32,
        prefixes: u32,
        slots: u32,
        count_at: u32,
    }
}

/// The remedy for too many workgroups.
pub(crate) const SPLIT: &str = "split the input";

/// The sizes of a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Elements of a tile: a power of two.
    pub(crate) tile: u64,
    /// Tiles of a block.
    pub(crate) block: u64,
    /// True if tiles that are not full take another kernel.
    pub(crate) has_last: bool,
}

/// A part of the input that a binding can hold: whole tiles, but for the last part.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Part {
    /// The first element.
    pub(crate) index: u64,
    pub(crate) len: u64,
    /// The range of the input's buffer, if it is not empty, and the position of the first element there.
    pub(crate) from: Option<ByteRange>,
    pub(crate) first: u32,
    /// The range of the output, if each element has a result.
    pub(crate) to: Option<ByteRange>,
}

impl Part {
    /// Cuts an input into parts that start at a tile, and where bindings of input and output can start. The sizes are those of an element and of
    /// its result.
    pub(crate) fn all(
        range: BufferRange,
        [item, result]: [u64; 2],
        tile: u64,
        limits: &Limits,
    ) -> Result<Vec<Self>, Error> {
        let len = range.len;
        input::check(range, item, item)?;
        input::check_count(len)?;
        let bytes = item.max(result);
        window::check(len * bytes, limits)?;
        let align = u64::from(limits.min_storage_buffer_offset_alignment).max(16);
        let unit = input::unit(align, item);
        // Whole tiles, whose results start at multiples of the alignment.
        let step = input::unit(align, tile);
        let limit = limits.max_storage_buffer_binding_size.min(1 << 31);
        let least = len.min(step) * bytes + unit;
        LimitError::unless("max_storage_buffer_binding_size", limit, least)?;
        let fits = (limit - unit) / bytes;
        let most = if len <= fits { len.max(1) } else { fits / step * step };
        let part = |index: u64| {
            let here = (len - index).min(most);
            let (from, first) = input::binding(range, item, index..index + here, unit);
            Part {
                index,
                len: here,
                from: Some(from),
                first,
                to: (result > 0)
                    .then(|| ByteRange { offset: index * result, size: (here * result).next_multiple_of(4) }),
            }
        };
        Ok((0..len).step_by(most as usize).map(part).collect())
    }
}

/// Words in front of the links, in whole lines of the cache: two counters, and a ticket for each dispatch.
fn head(dispatches: u64) -> u64 {
    (dispatches + 2).next_multiple_of(32)
}

impl Layout {
    /// The number of tiles of `len` elements. An input without elements has an empty tile.
    pub(crate) fn tiles(&self, len: u64) -> u64 {
        len.max(1).div_ceil(self.tile)
    }

    /// Slots of links for `len` elements: the first of blocks, and the number of all.
    fn slots(&self, len: u64) -> [u64; 2] {
        let tiles = self.tiles(len);
        [tiles, tiles + tiles.div_ceil(self.block) + 2]
    }

    /// The bytes of the links between tiles of `len` elements in `parts` parts, with states of `words` words.
    pub(crate) fn links(&self, len: u64, parts: usize, words: usize) -> u64 {
        let [_, slots] = self.slots(len);
        4 * (head(2 * parts as u64) + 2 * slots * (2 * words as u64).next_multiple_of(8))
    }

    /// What all dispatches over `len` elements have in common.
    pub(crate) fn common(&self, len: u64, row: u64, parts: usize) -> Params {
        let [prefixes, slots] = self.slots(len).map(|number| number as u32);
        let links = head(2 * parts as u64) as u32;
        Params { count: len as u32, row: row as u32, links, prefixes, slots, ..Params::default() }
    }

    /// Plans the dispatches over parts of an input: for each part one for full tiles, and one for the last tile if it takes another kernel.
    pub(crate) fn passes(
        &self,
        parts: &[Part],
        steps: [Step; 2],
        common: Params,
        limits: &Limits,
    ) -> Result<Vec<Pass>, Error> {
        let mut passes = Vec::new();
        for part in parts {
            let all = self.tiles(part.len);
            let full = if self.has_last { part.len / self.tile } else { all };
            // Each dispatch has tiles before it, and its own.
            for (step, skipped, tiles) in [(steps[0], 0, full), (steps[1], full, all - full)] {
                if tiles == 0 {
                    continue;
                }
                let grid = grid::of(tiles, limits, SPLIT)?;
                let elements = skipped * self.tile;
                let params = Params {
                    first: part.first + elements as u32,
                    index: (part.index + elements) as u32,
                    len: (part.len - elements) as u32,
                    store: elements as u32,
                    skipped: (part.index / self.tile + skipped) as u32,
                    tiles: tiles as u32,
                    grid_row: grid[0],
                    tickets: grid[0] * grid[1],
                    ticket: 2 + passes.len() as u32,
                    ..common
                };
                let pass = Pass::new(step, grid, params).reading(part.from);
                passes.push(pass.bind(OUTPUT, part.to.map(Binding::Output)));
            }
        }
        Ok(passes)
    }

    /// Combinations on the longest way from an element to a result: to the sum of its tile, through a block, along the chain, and back.
    pub(super) fn depth(&self, len: u64) -> u64 {
        let workgroup = self.tile / 32;
        let through = workgroup / 4 + 8;
        11 + 2 * through + self.block / workgroup + len.div_ceil(self.tile * self.block) + 13
    }
}

impl Scan {
    fn parts(&self, range: BufferRange, limits: &Limits) -> Result<Vec<Part>, Error> {
        let sizes = [self.monoid.stride(), self.monoid.out_size()];
        Part::all(range, sizes, self.layout(limits).tile, limits)
    }

    /// Bytes of links for an input.
    pub(super) fn links(&self, range: BufferRange, limits: &Limits) -> Result<u64, Error> {
        let parts = self.parts(range, limits)?.len();
        Ok(self.layout(limits).links(range.len, parts, self.monoid.acc.words()))
    }

    pub(super) fn passes(&self, range: BufferRange, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let len = range.len;
        let row = match &self.rows {
            Cut::All => len.max(1),
            Cut::Rows(row) => *row,
            Cut::Segments(starts) => starts.len() as u64,
        };
        let parts = self.parts(range, limits)?;
        let layout = self.layout(limits);
        let common = layout.common(len, row, parts.len());
        let mut passes = layout.passes(&parts, [SCAN, SCAN_LAST], common, limits)?;
        if self.continues {
            let carry = |pass: Option<&Pass>, out: u32| {
                let word = |name| pass.and_then(|pass| pass.param(name)).unwrap_or_default();
                let params = Params {
                    skipped: out,
                    ticket: word("ticket"),
                    tickets: word("tickets"),
                    grid_row: 1,
                    ..common
                };
                Pass::new(CARRY, [1, 1], params)
            };
            let (before, behind) = (carry(passes.first(), 0), carry(passes.last(), 1));
            passes.insert(0, before);
            passes.extend((len > 0).then_some(behind));
        }
        Ok(passes)
    }
}
