//! Kernels as data, and the ladder: the rungs in the order of the documents.
//!
//! Each kernel is one entry. The library runs kernels; the command line, the benches and the tests iterate
//! over [`RUNGS`]. To add a rung, add one WGSL file and one entry here.

use std::hash::{Hash, Hasher};

use crate::gpu::error::Error;
use crate::parse::{self, by_name};
use crate::reduce::exact::EXACT;
use crate::shader::{self, rooms};

/// The items of the input that one workgroup reduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Coverage {
    /// No workgroup memory: each invocation combines two items, and a launch halves them.
    Pairs,
    /// This many items per invocation, so `WG` times as many per workgroup.
    Block(u32),
    /// This many tiles per workgroup: see [`Tuning::tile`](crate::reduce::Tuning::tile).
    Tiles(u32),
    /// Any number: a grid-stride loop of a fixed grid covers the whole input, with this many items per
    /// invocation and iteration.
    Grid(u32),
    /// A team of invocations per segment, for [`Shape::Segments`](crate::reduce::Shape::Segments) and
    /// [`Shape::Offsets`](crate::reduce::Shape::Offsets).
    Teams,
    /// A rectangle of rows and columns per team, for [`Shape::Axis`](crate::reduce::Shape::Axis).
    Columns,
    /// One invocation that reads no items.
    One,
}

/// Methods of loading the caller's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Loads {
    /// One at a time.
    Elements,
    /// Four at a time, if they are consecutive.
    Vectors,
}

/// The workgroup memory that a kernel needs, in accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Memory {
    /// None.
    Nothing,
    /// This many per invocation.
    Each(u32),
    /// One tile.
    Tile,
}

/// Use of subgroup operations by a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subgroups {
    /// Never.
    Unused,
    /// If the device has them and the options allow them; otherwise workgroup memory.
    Optional,
    /// Always: the rung demonstrates them.
    Required,
}

/// Methods of delivering the partials of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    /// Each workgroup stores its own.
    Output,
    /// All workgroups publish theirs, and the last to finish combines them.
    Collected,
    /// Each workgroup adds its own to the total by an atomic operation.
    Total,
}

/// One kernel: the data that the planner, the composer and the recorder need.
#[derive(Debug)]
#[non_exhaustive]
pub struct Kernel {
    /// Its name. A rung has the same name on the command line.
    pub name: &'static str,
    /// Its file under `shaders/`, without the extension.
    pub file: &'static str,
    /// The items that a workgroup reduces.
    pub coverage: Coverage,
    /// The method of loading elements.
    pub(crate) loads: Loads,
    /// The most workgroup memory that it needs.
    pub(crate) memory: Memory,
    /// The use of subgroup operations.
    pub(crate) subgroups: Subgroups,
    /// The method of delivering partials.
    pub(crate) delivery: Delivery,
}

impl Kernel {
    /// The WGSL of its file. With the feature `essays` it has its comments, and opens with its essay.
    pub fn text(&self) -> &'static str {
        shader::text(&[rooms::LADDER, rooms::KERNELS], self.file)
    }

    /// The most workgroup memory that it needs, in accumulators, for this workgroup and tile.
    pub const fn workgroup_memory(&self, workgroup_size: u32, tile: u32) -> u32 {
        match self.memory {
            Memory::Nothing => 0,
            Memory::Each(items) => items * workgroup_size,
            Memory::Tile => tile,
        }
    }

    /// True if it cannot do without subgroup operations.
    pub const fn needs_subgroups(&self) -> bool {
        matches!(self.subgroups, Subgroups::Required)
    }

    /// True if its workgroups publish their partials, and the last one combines them.
    pub const fn collects_partials(&self) -> bool {
        matches!(self.delivery, Delivery::Collected)
    }

    /// True if its workgroups add to a total by atomic operations.
    pub const fn adds_to_total(&self) -> bool {
        matches!(self.delivery, Delivery::Total)
    }
}

impl PartialEq for Kernel {
    fn eq(&self, other: &Self) -> bool {
        self.file == other.file
    }
}

impl Eq for Kernel {}

impl Hash for Kernel {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.file.hash(state);
    }
}

/// Methods of combining partial results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Finish {
    /// The CPU combines them after reading them back.
    Host,
    /// The same kernel runs again until one value (or [`Tuning::leave`](crate::reduce::Tuning::leave)) is
    /// left.
    Repeat,
    /// A second launch of one workgroup combines them.
    OneWorkgroup,
    /// Each is added directly to the grand total by an atomic operation.
    Atomic,
    /// The last workgroup to finish combines them, in the same launch.
    LastWorkgroup,
}

impl Finish {
    /// All ways to finish.
    pub const ALL: [Finish; 5] =
        [Finish::Host, Finish::Repeat, Finish::OneWorkgroup, Finish::Atomic, Finish::LastWorkgroup];

    /// The name on the command line.
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

by_name!(Finish, "finish", "ways to finish");

/// One rung of the ladder: a kernel, and the ways its partial results can become one.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rung {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The ways it can finish. The ladder uses the first.
    pub finishes: &'static [Finish],
    /// A summary in one line.
    pub summary: &'static str,
    /// The documents and kernels it comes from.
    pub document: &'static str,
}

impl PartialEq for &'static Rung {
    fn eq(&self, other: &Self) -> bool {
        self.kernel == other.kernel
    }
}

impl Eq for &'static Rung {}

macro_rules! kernel {
    ($name:literal, $file:literal, $coverage:expr, $loads:expr, $memory:expr, $subgroups:expr, $delivery:expr) => {
        Kernel {
            name: $name,
            file: $file,
            coverage: $coverage,
            loads: $loads,
            memory: $memory,
            subgroups: $subgroups,
            delivery: $delivery,
        }
    };
}
pub(super) use kernel;

macro_rules! rung {
    ($kernel:expr, $finishes:expr, $document:literal, $summary:literal) => {
        Rung { kernel: $kernel, finishes: $finishes, summary: $summary, document: $document }
    };
}

use Coverage::{Block, Columns, Grid, One, Pairs, Teams, Tiles};
use Delivery::{Collected, Output, Total};
use Finish::{Atomic, Host, LastWorkgroup, OneWorkgroup, Repeat};
use Loads::{Elements, Vectors};
use Memory::{Each, Nothing, Tile};
use Subgroups::{Optional, Required, Unused};

const TREE: &[Finish] = &[Repeat, Host];
const FIXED_GRID: &[Finish] = &[OneWorkgroup, Host, Repeat];

/// The library's kernel for whole inputs in two launches.
pub static VECTORIZED: Kernel =
    kernel!("vectorized", "ladder/vectorized", Grid(16), Vectors, Each(1), Optional, Output);

/// The library's kernel for whole inputs.
pub static SINGLE_PASS: Kernel =
    kernel!("single-pass", "ladder/single_pass", Grid(16), Vectors, Each(1), Optional, Collected);

/// All rungs, in the order of the documents. Rungs that go beyond the documents come last.
#[rustfmt::skip]
pub static RUNGS: &[Rung] = &[
    rung!(&kernel!("global-adjacent", "ladder/global_adjacent", Pairs, Elements, Nothing, Unused, Output), TREE, "opencl 0",
        "no workgroup memory: items 2i and 2i + 1, one dispatch per halving"),
    rung!(&kernel!("global-halves", "ladder/global_halves", Pairs, Elements, Nothing, Unused, Output), TREE, "opencl 1",
        "no workgroup memory: items i and i + half, one dispatch per halving"),
    rung!(&kernel!("interleaved-modulo", "ladder/interleaved_modulo", Block(1), Elements, Each(1), Unused, Output), TREE, "tga 01, 02; csc367 1",
        "tree in workgroup memory: every second, fourth, eighth … invocation works"),
    rung!(&kernel!("interleaved-modulo-pair", "ladder/interleaved_modulo_pair", Block(2), Elements, Each(2), Unused, Output), TREE, "exercise",
        "interleaved-modulo with two neighbouring items per invocation"),
    rung!(&kernel!("interleaved-strided", "ladder/interleaved_strided", Block(1), Elements, Each(1), Unused, Output), TREE, "tga 03; csc367 2",
        "neighbouring invocations work, each on items a stride apart"),
    rung!(&kernel!("sequential", "ladder/sequential", Block(1), Elements, Each(1), Unused, Output), TREE, "tga 04; csc367 3",
        "neighbouring invocations work on neighbouring items"),
    rung!(&kernel!("first-add", "ladder/first_add", Block(2), Elements, Each(1), Unused, Output), TREE, "tga 05; csc367 4",
        "the first addition happens while loading"),
    rung!(&kernel!("unrolled-last", "ladder/unrolled_last", Block(2), Elements, Each(2), Optional, Output), TREE, "tga 06; csc367 5",
        "the last six steps written out"),
    rung!(&kernel!("unrolled-full", "ladder/unrolled_full", Block(2), Elements, Each(1), Unused, Output), TREE, "csc367 6; tga 06 (note)",
        "every step written out"),
    rung!(&kernel!("grid-stride", "ladder/grid_stride", Grid(2), Elements, Each(1), Unused, Output), FIXED_GRID, "tga 07; csc367 7",
        "a fixed grid; each invocation first adds many items"),
    rung!(&kernel!("radix-4", "ladder/radix_4", Block(1), Elements, Each(1), Unused, Output), TREE, "csc367 (four per thread)",
        "a tree whose nodes add four values"),
    rung!(&kernel!("tile", "ladder/tile", Tiles(1), Elements, Tile, Unused, Output), TREE, "opencl 2",
        "few invocations reduce a larger tile in workgroup memory"),
    rung!(&kernel!("tile-two-loads", "ladder/tile_two_loads", Tiles(2), Elements, Tile, Unused, Output), TREE, "opencl 3",
        "two loads per slot, no test in the full steps"),
    rung!(&kernel!("tile-unrolled", "ladder/tile_unrolled", Tiles(2), Elements, Tile, Unused, Output), TREE, "opencl 4, 5, 6",
        "tile-two-loads with every loop written out"),
    rung!(&kernel!("subgroup-shuffle", "ladder/subgroup_shuffle", Grid(1), Elements, Each(1), Required, Output), FIXED_GRID, "csc367 (block reduce)",
        "a shuffle-down tree in registers; workgroup memory only between subgroups"),
    rung!(&kernel!("subgroup-butterfly", "ladder/subgroup_butterfly", Grid(1), Elements, Each(1), Required, Output), FIXED_GRID, "csc367 (all-reduce note)",
        "subgroup-shuffle with shuffle-xor: every lane ends with the result"),
    rung!(&kernel!("subgroup-add", "ladder/subgroup_add", Grid(1), Elements, Each(1), Required, Output), FIXED_GRID, "today's built-in",
        "subgroup-shuffle with the built-in subgroup reduction"),
    rung!(&kernel!("subgroup-atomic", "ladder/subgroup_atomic", Grid(1), Elements, Each(1), Required, Total), &[Atomic], "csc367 (atomics)",
        "one atomic operation on the grand total per subgroup"),
    rung!(&kernel!("workgroup-atomic", "ladder/workgroup_atomic", Grid(1), Elements, Each(1), Optional, Total), &[Atomic], "csc367 (atomics)",
        "one atomic operation on the grand total per workgroup"),
    rung!(&VECTORIZED, FIXED_GRID, "beyond",
        "vec4 loads, four independent accumulators, a fixed grid"),
    rung!(&SINGLE_PASS, &[LastWorkgroup], "beyond",
        "one dispatch: the last workgroup to finish adds the partials"),
    rung!(&EXACT, &[LastWorkgroup], "beyond",
        "sums of floats without rounding, by integers: the same bits on every GPU"),
];

/// Whole inputs, added to the value in the output.
pub(super) static ACCUMULATE: Kernel =
    kernel!("accumulate", "kernels/accumulate", Grid(16), Vectors, Each(1), Optional, Total);
/// Segments of one length.
pub(super) static SEGMENTS: Kernel =
    kernel!("segments", "kernels/segments", Teams, Vectors, Each(1), Optional, Output);
/// Segments between offsets.
pub(super) static OFFSETS: Kernel =
    kernel!("offsets", "kernels/offsets", Teams, Vectors, Each(1), Optional, Output);
/// The middle axis of an array.
pub(super) static COLUMNS: Kernel =
    kernel!("columns", "kernels/columns", Columns, Elements, Each(1), Unused, Output);
/// Sets the total of an atomic rung to the identity.
pub(super) static SEED: Kernel = kernel!("seed", "kernels/seed", One, Elements, Nothing, Unused, Total);
/// Converts the total of an atomic rung to a result.
pub(super) static SEAL: Kernel = kernel!("seal", "kernels/seal", One, Elements, Nothing, Unused, Total);

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
        }
        let message = Rung::named("sequentiel").unwrap_err().to_string();
        assert!(message.contains("sequentiel") && message.contains("single-pass"));
    }

    #[test]
    fn every_kernel_opens_with_its_essay() {
        for rung in RUNGS {
            let text = shader::essay(rung.kernel.file);
            let essay = text.lines().take_while(|line| line.starts_with("//")).count();
            assert!(text.starts_with(&format!("// {}: ", rung.name())), "{}", rung.name());
            assert!(essay >= 10, "{}: {essay} lines", rung.name());
        }
    }
}
