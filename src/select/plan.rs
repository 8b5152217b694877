//! Plans: from a length and limits to dispatches over tiles.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::params::parameters;
use crate::gpu::range::BufferRange;
use crate::gpu::{Pass, grid, input};
use crate::scan::plan::Part;
use crate::select::kernels::{AHEAD, COUNTS, JOIN, MARK, MARKS, SELECT, block, tile};
use crate::select::{Kept, Select};

parameters! {
    /// `Params` of `shaders/select/shared/io.wgsl`.
    pub(super) struct Params {
        first: u32,
        index: u32,
        len: u32,
        count: u32,
        tiles: u32,
        row: u32,
        count_at: u32,
        firsts: u32,
    }
}

/// The remedy for an input that is too long.
const SPLIT: &str = "split the input";

/// Returns the number of tiles of an input, and of blocks. An empty input has one tile, which stores the number of kept elements.
fn tiles(len: u64, limits: &Limits) -> [u64; 2] {
    let tiles = len.max(1).div_ceil(tile(limits).into());
    [tiles, tiles.div_ceil(block(limits).into())]
}

impl Select {
    /// Marks, and counts of tiles and blocks; behind them the first kept elements of tiles, if they are looked for.
    pub(super) fn memory_over(&self, len: u64, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let [tiles, blocks] = tiles(len, limits);
        let firsts = if matches!(self.kept, Kept::Changes(_)) { tiles } else { 0 };
        let counts = 4 * (tiles + blocks + firsts);
        let sizes = [(MARKS, tiles * u64::from(tile(limits)) / 8), (COUNTS, counts)];
        let memory =
            |(slot, size)| Ok(Memory::scratch(slot, size).checked(limits, "the memory for marks", SPLIT)?);
        sizes.into_iter().map(memory).collect()
    }

    pub(super) fn passes(&self, range: BufferRange, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let mut parts = match self.kept {
            Kept::Function(_) => Part::all(range, [self.item(), 0], tile(limits).into(), limits)?,
            // The element before one lies in the same part.
            Kept::Changes(_) => {
                let (from, first) = input::whole(range, self.item(), limits)?;
                let whole = Part { len: range.len, from: Some(from), first, ..Part::default() };
                if range.len > 0 { vec![whole] } else { Vec::new() }
            }
        };
        if parts.is_empty() {
            parts.push(Part::default());
        }
        let count = range.len as u32;
        let firsts = tiles(range.len, limits).iter().sum::<u64>() as u32;
        let over = |step: Step| -> Result<Vec<Pass>, Error> {
            let pass = |part: &Part| {
                let [tiles, _] = tiles(part.len, limits);
                let grid = grid::of(tiles, limits, SPLIT)?;
                let params = Params {
                    first: part.first,
                    index: part.index as u32,
                    len: part.len as u32,
                    count,
                    tiles: tiles as u32,
                    row: grid[0],
                    count_at: 0,
                    firsts,
                };
                Ok(Pass::new(step, grid, params).reading(part.from))
            };
            parts.iter().map(pass).collect()
        };
        let [_, blocks] = tiles(range.len, limits);
        let join = |step: &Step| -> Result<Pass, Error> {
            let grid = grid::of(blocks, limits, SPLIT)?;
            Ok(Pass::new(*step, grid, Params { count, row: grid[0], ..Params::default() }))
        };
        // A single block has none before it.
        let joins = if blocks > 1 { &[JOIN, AHEAD][..] } else { &[JOIN] };
        let joins = joins.iter().map(join).collect::<Result<_, _>>()?;
        Ok([over(MARK)?, joins, over(SELECT)?].concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::gpu::params::assert_kernels;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        let keep = "fn keep(elem: Elem, index: u32) -> bool { return true; }";
        assert_kernels::<Params>(&Select::new(Element::U32, keep).unwrap());
    }
}
