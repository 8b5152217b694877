//! The ladder: the rungs by chapter.
//!
//! The command line, the benches and the tests iterate over [`RUNGS`]. To add a rung, add one WGSL file and one entry here.

pub(crate) mod plan;

use crate::gpu::error::Error;
use crate::parse::{self, named_values};
use crate::reduce::exact::EXACT;
use crate::reduce::kernel::Coverage::{Block, Grid, Pairs, Tiles};
use crate::reduce::kernel::Delivery::{Output, Total};
use crate::reduce::kernel::Loads::Elements;
use crate::reduce::kernel::Memory::{Each, Nothing, Tile};
use crate::reduce::kernel::Subgroups::{Optional, Required, Unused};
use crate::reduce::kernel::kernel;
pub use crate::reduce::kernel::{Coverage, Kernel, SINGLE_PASS, VECTORIZED};
pub use plan::Setup;

named_values! {
    /// Methods of combining partial results.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Finish("finish", "ways to finish") {
        /// The CPU combines them after reading them back.
        Host = "host",
        /// The same kernel runs again until one value (or [`Tuning::leave`](crate::reduce::Tuning::leave)) is left.
        Repeat = "repeat",
        /// A second dispatch of one workgroup combines them.
        OneWorkgroup = "one-workgroup",
        /// Each is added directly to the grand total by an atomic operation.
        Atomic = "atomic",
        /// The last workgroup to finish combines them, in the same dispatch.
        LastWorkgroup = "last-workgroup",
    }
}

/// One rung of the ladder: a kernel, and the ways its partial results can become one.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rung {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The ways it can finish. The ladder uses the first.
    pub finishes: &'static [Finish],
    /// The chapter of the ladder.
    pub chapter: &'static str,
    /// The name of the rung that it improves; empty for the first.
    pub improves: &'static str,
    /// A summary in one line.
    pub summary: &'static str,
    /// The documents and kernels it comes from.
    pub document: &'static str,
}

#[rustfmt::skip]
macro_rules! rung {
    ($kernel:expr, $finishes:expr, ($chapter:literal, $improves:literal), $document:literal, $summary:literal) => {
        Rung { kernel: $kernel, finishes: $finishes, chapter: $chapter, improves: $improves, summary: $summary, document: $document }
    };
}

use Finish::{Atomic, Host, LastWorkgroup, OneWorkgroup, Repeat};

const TREE: &[Finish] = &[Repeat, Host];
const FIXED_GRID: &[Finish] = &[OneWorkgroup, Host, Repeat];

/// All rungs, by chapter. Within a chapter they climb.
#[rustfmt::skip]
pub static RUNGS: &[Rung] = &[
    rung!(&kernel!("global-adjacent", "ladder/global_adjacent", Pairs, Elements, Nothing, Unused, Output), TREE, ("trees", ""), "opencl 0",
        "no workgroup memory: items 2i and 2i + 1, one dispatch per halving"),
    rung!(&kernel!("global-halves", "ladder/global_halves", Pairs, Elements, Nothing, Unused, Output), TREE, ("trees", "global-adjacent"), "opencl 1",
        "no workgroup memory: items i and i + half, one dispatch per halving"),
    rung!(&kernel!("interleaved-modulo", "ladder/interleaved_modulo", Block(1), Elements, Each(1), Unused, Output), TREE, ("trees", "global-halves"), "tga 01, 02; csc367 1",
        "tree in workgroup memory: every second, fourth, eighth … invocation works"),
    rung!(&kernel!("interleaved-strided", "ladder/interleaved_strided", Block(1), Elements, Each(1), Unused, Output), TREE, ("trees", "interleaved-modulo"), "tga 03; csc367 2",
        "neighbouring invocations work, each on items a stride apart"),
    rung!(&kernel!("sequential", "ladder/sequential", Block(1), Elements, Each(1), Unused, Output), TREE, ("trees", "interleaved-strided"), "tga 04; csc367 3",
        "neighbouring invocations work on neighbouring items"),
    rung!(&kernel!("first-add", "ladder/first_add", Block(2), Elements, Each(1), Unused, Output), TREE, ("trees", "sequential"), "tga 05; csc367 4",
        "the first addition happens while loading"),
    rung!(&kernel!("unrolled-last", "ladder/unrolled_last", Block(2), Elements, Each(2), Optional, Output), TREE, ("trees", "first-add"), "tga 06; csc367 5",
        "the last six steps written out"),
    rung!(&kernel!("unrolled-full", "ladder/unrolled_full", Block(2), Elements, Each(1), Unused, Output), TREE, ("trees", "unrolled-last"), "csc367 6; tga 06 (note)",
        "every step written out"),
    rung!(&kernel!("tile", "ladder/tile", Tiles(1), Elements, Tile, Unused, Output), TREE, ("more work per invocation", "sequential"), "opencl 2",
        "few invocations reduce a larger tile in workgroup memory"),
    rung!(&kernel!("tile-two-loads", "ladder/tile_two_loads", Tiles(2), Elements, Tile, Unused, Output), TREE, ("more work per invocation", "tile"), "opencl 3",
        "two loads per slot, no test in the full steps"),
    rung!(&kernel!("tile-unrolled", "ladder/tile_unrolled", Tiles(2), Elements, Tile, Unused, Output), TREE, ("more work per invocation", "tile-two-loads"), "opencl 4, 5, 6",
        "tile-two-loads with every loop written out"),
    rung!(&kernel!("grid-stride", "ladder/grid_stride", Grid(2), Elements, Each(1), Unused, Output), FIXED_GRID, ("more work per invocation", "unrolled-full"), "tga 07; csc367 7",
        "a fixed grid; each invocation first adds many items"),
    rung!(&kernel!("subgroup-shuffle", "ladder/subgroup_shuffle", Grid(1), Elements, Each(1), Required, Output), FIXED_GRID, ("subgroups", "sequential"), "csc367 (block reduce)",
        "a shuffle-down tree in registers; workgroup memory only between subgroups"),
    rung!(&kernel!("subgroup-butterfly", "ladder/subgroup_butterfly", Grid(1), Elements, Each(1), Required, Output), FIXED_GRID, ("subgroups", "subgroup-shuffle"), "csc367 (all-reduce note)",
        "subgroup-shuffle with shuffle-xor: every lane ends with the result"),
    rung!(&kernel!("subgroup-add", "ladder/subgroup_add", Grid(1), Elements, Each(1), Required, Output), FIXED_GRID, ("subgroups", "subgroup-shuffle"), "today's built-in",
        "subgroup-shuffle with the built-in subgroup reduction"),
    rung!(&kernel!("subgroup-atomic", "ladder/subgroup_atomic", Grid(1), Elements, Each(1), Required, Total), &[Atomic], ("subgroups", "subgroup-add"), "csc367 (atomics)",
        "one atomic operation on the grand total per subgroup"),
    rung!(&kernel!("workgroup-atomic", "ladder/workgroup_atomic", Grid(1), Elements, Each(1), Optional, Total), &[Atomic], ("subgroups", "subgroup-atomic"), "csc367 (atomics)",
        "one atomic operation on the grand total per workgroup"),
    rung!(&VECTORIZED, FIXED_GRID, ("memory speed", "grid-stride"), "beyond",
        "vec4 loads, four independent accumulators, a fixed grid"),
    rung!(&SINGLE_PASS, &[LastWorkgroup], ("memory speed", "vectorized"), "beyond",
        "one dispatch: the last workgroup to finish adds the partials"),
    rung!(&kernel!("interleaved-modulo-pair", "ladder/interleaved_modulo_pair", Block(2), Elements, Each(2), Unused, Output), TREE, ("side roads", "interleaved-modulo"), "exercise",
        "interleaved-modulo with two neighbouring items per invocation"),
    rung!(&kernel!("radix-4", "ladder/radix_4", Block(1), Elements, Each(1), Unused, Output), TREE, ("side roads", "sequential"), "csc367 (four per thread)",
        "a tree whose nodes add four values"),
    rung!(&EXACT, &[LastWorkgroup], ("side roads", "single-pass"), "beyond",
        "sums of floats without rounding, by integers: the same bits on every GPU"),
];

impl Rung {
    /// Finds the rung with this name.
    pub fn named(name: &str) -> Result<&'static Rung, Error> {
        parse::named(("rung", "rungs"), RUNGS, Rung::name, name)
    }

    /// Its name, as on the command line.
    pub const fn name(&self) -> &'static str {
        self.kernel.name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for rung in RUNGS {
            let name = rung.name();
            assert_eq!(Rung::named(name).unwrap().kernel, rung.kernel);
            assert_eq!(rung.kernel.file, format!("ladder/{}", name.replace('-', "_")));
            assert_eq!(RUNGS.iter().filter(|other| other.name() == name).count(), 1);
            assert!(rung.improves.is_empty() || Rung::named(rung.improves).is_ok(), "{name}");
        }
        let message = Rung::named("sequentiel").unwrap_err().to_string();
        assert!(message.contains("sequentiel") && message.contains("single-pass"));
    }
}
