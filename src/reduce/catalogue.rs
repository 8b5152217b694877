//! The rungs of the ladder, as data.
//!
//! One entry per kernel. The command line, the benches and the tests walk over [`RUNGS`]; adding a rung is
//! one WGSL file and one entry here.

use std::fmt;
use std::str::FromStr;

/// How many elements of the input one workgroup takes care of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coverage {
    /// No workgroup memory: each invocation combines two items, and a dispatch halves them.
    Pairs,
    /// This many items an invocation, so `WG` times as many a workgroup.
    Block(u32),
    /// This many tiles a workgroup; see [`crate::reduce::Tuning::tile`].
    Tiles(u32),
    /// Any number: a fixed grid walks over the whole input, this many items an invocation and step.
    Grid(u32),
}

/// How much workgroup memory a rung needs, in accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// None.
    Nothing,
    /// So many an invocation.
    Each(u32),
    /// One tile.
    Tile,
}

impl Memory {
    /// Accumulators for this workgroup and tile.
    pub const fn items(self, workgroup_size: u32, tile: u32) -> u32 {
        match self {
            Memory::Nothing => 0,
            Memory::Each(items) => items * workgroup_size,
            Memory::Tile => tile,
        }
    }
}

/// Whether a rung uses subgroup operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subgroups {
    /// Never.
    Unused,
    /// Where the device has them and the tuning allows; workgroup memory otherwise.
    Optional,
    /// They are what the rung is about.
    Required,
}

/// How partial results become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The CPU combines them after reading them back.
    Host,
    /// The same kernel again, until one is left (or [`crate::reduce::Tuning::leave`]).
    Repeat,
    /// A second dispatch, of one workgroup.
    OneWorkgroup,
    /// Each result goes straight into the grand total, by an atomic.
    Atomic,
    /// The last workgroup to finish combines them, in the same dispatch.
    LastWorkgroup,
}

impl Finish {
    /// Every way to finish.
    pub const ALL: [Finish; 5] =
        [Finish::Host, Finish::Repeat, Finish::OneWorkgroup, Finish::Atomic, Finish::LastWorkgroup];

    /// The name it has on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Finish::Host => "host",
            Finish::Repeat => "repeat",
            Finish::OneWorkgroup => "one-workgroup",
            Finish::Atomic => "atomic",
            Finish::LastWorkgroup => "last-workgroup",
        }
    }
}

impl fmt::Display for Finish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is no way to finish.
#[derive(Clone, Debug, thiserror::Error)]
#[error("unknown finish `{0}`; the ways to finish are host, repeat, one-workgroup, atomic, last-workgroup")]
pub struct UnknownFinish(String);

impl FromStr for Finish {
    type Err = UnknownFinish;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Finish::ALL
            .into_iter()
            .find(|finish| finish.name() == name)
            .ok_or_else(|| UnknownFinish(name.to_owned()))
    }
}

/// One kernel of the ladder.
#[derive(Debug)]
pub struct Rung {
    /// Its name, as on the command line.
    pub name: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// The documents and kernels it comes from; empty for what goes beyond them.
    pub document: &'static str,
    /// How much of the input a workgroup takes.
    pub coverage: Coverage,
    /// How much workgroup memory it needs, at most.
    pub memory: Memory,
    /// Whether it uses subgroup operations.
    pub subgroups: Subgroups,
    /// The ways it can finish, the one of the ladder first.
    pub finishes: &'static [Finish],
    /// The kernel's WGSL, opened by its essay.
    pub kernel: &'static str,
    /// The kernel's file under `shaders/reduce/`.
    pub file: &'static str,
}

impl PartialEq for &'static Rung {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

macro_rules! rung {
    ($name:literal, $file:literal, $coverage:expr, $memory:expr, $subgroups:expr, $finishes:expr, $document:literal, $summary:literal) => {
        Rung {
            name: $name,
            summary: $summary,
            document: $document,
            coverage: $coverage,
            memory: $memory,
            subgroups: $subgroups,
            finishes: $finishes,
            kernel: include_str!(concat!("../../shaders/reduce/", $file)),
            file: $file,
        }
    };
}

use Coverage::{Block, Grid, Pairs, Tiles};
use Finish::{Atomic, Host, LastWorkgroup, OneWorkgroup, Repeat};
use Memory::{Each, Nothing, Tile};
use Subgroups::{Optional, Required, Unused};

const TREE: &[Finish] = &[Repeat, Host];
const FIXED_GRID: &[Finish] = &[OneWorkgroup, Host, Repeat];

/// Every rung, from the slowest to the fastest in the order the documents climb.
#[rustfmt::skip]
pub static RUNGS: &[Rung] = &[
    rung!("global-adjacent", "global_adjacent.wgsl", Pairs, Nothing, Unused, TREE, "opencl 0",
        "no workgroup memory: items 2i and 2i + 1, one dispatch per halving"),
    rung!("global-halves", "global_halves.wgsl", Pairs, Nothing, Unused, TREE, "opencl 1",
        "no workgroup memory: items i and i + half, one dispatch per halving"),
    rung!("interleaved-modulo", "interleaved_modulo.wgsl", Block(1), Each(1), Unused, TREE, "tga 01, 02; csc367 1",
        "tree in workgroup memory, every second, fourth, eighth … invocation working"),
    rung!("interleaved-modulo-pair", "interleaved_modulo_pair.wgsl", Block(2), Each(2), Unused, TREE, "exercise",
        "the same tree over two neighbouring items an invocation"),
    rung!("interleaved-strided", "interleaved_strided.wgsl", Block(1), Each(1), Unused, TREE, "tga 03; csc367 2",
        "neighbouring invocations work, on items a stride apart"),
    rung!("sequential", "sequential.wgsl", Block(1), Each(1), Unused, TREE, "tga 04; csc367 3",
        "neighbouring invocations work on neighbouring items"),
    rung!("first-add", "first_add.wgsl", Block(2), Each(1), Unused, TREE, "tga 05; csc367 4",
        "the first addition happens while loading"),
    rung!("unrolled-last", "unrolled_last.wgsl", Block(2), Each(2), Optional, TREE, "tga 06; csc367 5",
        "the last six steps written out"),
    rung!("unrolled-full", "unrolled_full.wgsl", Block(2), Each(1), Unused, TREE, "csc367 6; tga 06 (note)",
        "every step written out"),
    rung!("grid-stride", "grid_stride.wgsl", Grid(2), Each(1), Unused, FIXED_GRID, "tga 07; csc367 7",
        "a fixed grid; each invocation first adds many items"),
    rung!("radix-4", "radix_4.wgsl", Block(1), Each(1), Unused, TREE, "csc367 (four per thread)",
        "a tree whose nodes add four values"),
    rung!("tile", "tile.wgsl", Tiles(1), Tile, Unused, TREE, "opencl 2",
        "few invocations reduce a larger tile in workgroup memory"),
    rung!("tile-two-loads", "tile_two_loads.wgsl", Tiles(2), Tile, Unused, TREE, "opencl 3",
        "two loads per slot, no test in the full steps"),
    rung!("tile-unrolled", "tile_unrolled.wgsl", Tiles(2), Tile, Unused, TREE, "opencl 4, 5, 6",
        "the same, every loop written out"),
    rung!("subgroup-shuffle", "subgroup_shuffle.wgsl", Grid(1), Each(1), Required, FIXED_GRID, "csc367 (block reduce)",
        "a shuffle-down tree in registers, workgroup memory between subgroups only"),
    rung!("subgroup-butterfly", "subgroup_butterfly.wgsl", Grid(1), Each(1), Required, FIXED_GRID, "csc367 (all-reduce note)",
        "the same with shuffle-xor: every lane ends with the result"),
    rung!("subgroup-add", "subgroup_add.wgsl", Grid(1), Each(1), Required, FIXED_GRID, "today's built-in",
        "the same with the built-in subgroup reduction"),
    rung!("subgroup-atomic", "subgroup_atomic.wgsl", Grid(1), Each(1), Required, &[Atomic], "csc367 (atomics)",
        "one atomic to the grand total per subgroup"),
    rung!("workgroup-atomic", "workgroup_atomic.wgsl", Grid(1), Each(1), Optional, &[Atomic], "csc367 (atomics)",
        "one atomic to the grand total per workgroup"),
    rung!("vectorized", "vectorized.wgsl", Grid(16), Each(1), Optional, FIXED_GRID, "beyond",
        "vec4 loads, four independent accumulators, a fixed grid"),
    rung!("single-pass", "single_pass.wgsl", Grid(16), Each(1), Optional, &[LastWorkgroup], "beyond",
        "one dispatch: the last workgroup to finish adds the partials"),
];

impl Rung {
    /// The rung of that name.
    pub fn named(name: &str) -> Result<&'static Rung, UnknownRung> {
        RUNGS.iter().find(|rung| rung.name == name).ok_or_else(|| UnknownRung(name.to_owned()))
    }

    /// Whether its kernel reads the caller's elements four at a time.
    pub(crate) fn reads_vectors(&self) -> bool {
        crate::shader::uses(self.kernel).any(|name| name == "fold_vectors")
    }
}

/// A name that is no rung.
#[derive(Clone, Debug)]
pub struct UnknownRung(String);

impl fmt::Display for UnknownRung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = RUNGS.iter().map(|rung| rung.name).collect();
        write!(f, "unknown rung `{}`; the rungs are {}", self.0, names.join(", "))
    }
}

impl std::error::Error for UnknownRung {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        for rung in RUNGS {
            assert_eq!(Rung::named(rung.name).unwrap().file, rung.file);
            assert_eq!(rung.file, format!("{}.wgsl", rung.name.replace('-', "_")));
            assert_eq!(RUNGS.iter().filter(|other| other.name == rung.name).count(), 1);
        }
        let message = Rung::named("sequentiel").unwrap_err().to_string();
        assert!(message.contains("sequentiel") && message.contains("single-pass"));
    }

    #[test]
    fn every_kernel_opens_with_its_essay() {
        for rung in RUNGS {
            let essay = rung.kernel.lines().take_while(|line| line.starts_with("//")).count();
            assert!(rung.kernel.starts_with(&format!("// {}: ", rung.name)), "{}", rung.name);
            assert!(essay >= 10, "{}: {essay} lines", rung.name);
        }
    }
}
