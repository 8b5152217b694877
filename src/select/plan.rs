//! Plans: from a length and limits to dispatches over tiles.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::LimitError;
use crate::gpu::operation::Base;
use crate::gpu::operation::{Memory, Step};
use crate::gpu::params::parameters;
use crate::gpu::pass::Binding;
use crate::gpu::range::{BufferRange, Inputs};
use crate::gpu::{Pass, grid};
use crate::scan::plan::Part;
use crate::select::Select;
use crate::select::kernels::{COUNTS, ENDS, MARK, MARKS, OWN, SELECT};

parameters! {
    /// `Params` of `shaders/select/shared/io.wgsl`.
    pub(super) struct Params {
        first: u32,
        index: u32,
        len: u32,
        count: u32,
        skipped: u32,
        tiles: u32,
        groups: u32,
        count_at: u32,
    }
}

/// The remedy for an input that is too long.
const SPLIT: &str = "split the input";

/// The numbers of counts and of their sums among the memory.
const COUNTS_MEMORY: usize = 1;
const ENDS_MEMORY: usize = 2;

impl Select {
    /// Elements of a tile.
    fn tile(&self, limits: &Limits) -> u64 {
        (OWN * self.workgroup(limits)).into()
    }

    /// The tiles of an input, of which one that is empty has one, too: it stores the number of kept elements.
    fn tiles(&self, len: u64, limits: &Limits) -> u64 {
        len.max(1).div_ceil(self.tile(limits))
    }

    /// The counts of the tiles, as an input of the scan: whole tiles of it, whatever lies behind the counts.
    fn counts(&self, len: u64, limits: &Limits) -> BufferRange {
        let tiles = self.tiles(len, limits);
        BufferRange { offset: 0, len: tiles.next_multiple_of(self.sums.tile(limits)) }
    }

    /// Marks, counts of tiles, their sums, and the memory of the scan.
    pub(super) fn memory_over(&self, len: u64, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let counts = self.counts(len, limits);
        let own = [
            (MARKS, self.tiles(len, limits) * u64::from(self.workgroup(limits))),
            (COUNTS, counts.len),
            (ENDS, counts.len),
        ];
        let memory =
            |(slot, words)| Memory::scratch(slot, 4 * words).checked(limits, "the memory for marks", SPLIT);
        let own = own.into_iter().map(memory).collect::<Result<Vec<_>, LimitError>>()?;
        Ok([own, self.sums.memory(counts, limits)?].concat())
    }

    /// Plans the dispatches over a range of a buffer.
    pub(super) fn passes(&self, range: BufferRange, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let tile = self.tile(limits);
        let mut parts = Part::all(range, [self.monoid.stride(), 0], tile, limits)?;
        if parts.is_empty() {
            parts.push(Part::default());
        }
        let over = |step: Step| -> Result<Vec<Pass>, Error> {
            let pass = |part: &Part| {
                let tiles = part.len.max(1).div_ceil(tile);
                let grid = grid::of(tiles, limits, SPLIT)?;
                let params = Params {
                    first: part.first as u32,
                    index: part.index as u32,
                    len: part.len as u32,
                    count: range.len as u32,
                    skipped: (part.index / tile) as u32,
                    tiles: tiles as u32,
                    groups: grid[0],
                    count_at: 0,
                };
                Ok(Pass::new(step, grid, params).reading(part.from))
            };
            parts.iter().map(pass).collect()
        };
        let of_counts = |part| match part {
            Binding::Input(_, bytes) => Binding::Memory(COUNTS_MEMORY, bytes),
            Binding::Output(bytes) => Binding::Memory(ENDS_MEMORY, bytes),
            part => part,
        };
        let counts = Inputs { first: self.counts(range.len, limits), second: None };
        let sums = self.sums.plan_over(counts, limits)?.into_iter().map(|pass| pass.rebound(of_counts));
        Ok([over(MARK)?, sums.collect(), over(SELECT)?].concat())
    }
}

#[cfg(test)]
mod tests {
    use wgpu::Features;

    use super::*;
    use crate::element::Element;
    use crate::gpu::params::assert_alike;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        let kept =
            Select::new(Element::U32, "fn keep(elem: Elem, index: u32) -> bool { return true; }").unwrap();
        for step in [MARK, SELECT] {
            let kernel = kept.kernel(step, Features::empty(), &Limits::default());
            assert_alike::<Params>(&kernel.label, &kernel.wgsl);
        }
    }
}
