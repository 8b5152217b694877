//! Kernels as data: each is one entry and one WGSL file.

use crate::shader::{self, rooms};

/// The items of the input that one workgroup reduces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Coverage {
    /// No workgroup memory: each invocation combines two items, and a dispatch halves them.
    Pairs,
    /// This many items per invocation, so `WG` times as many per workgroup.
    Block(u32),
    /// This many tiles per workgroup: see [`Tuning::tile`](crate::reduce::Tuning::tile).
    Tiles(u32),
    /// Any number: a grid-stride loop of a fixed grid covers the whole input, with this many items per invocation and iteration.
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Loads {
    /// One at a time.
    Elements,
    /// Four at a time, if they are consecutive.
    Vectors,
}

/// The workgroup memory that a kernel needs, in accumulators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Memory {
    /// None.
    Nothing,
    /// This many per invocation.
    Each(u32),
    /// One tile.
    Tile,
}

/// Use of subgroup operations by a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Subgroups {
    /// Never.
    Unused,
    /// If the device has them and the options allow them; otherwise workgroup memory.
    Optional,
    /// Always: the rung demonstrates them.
    Required,
}

/// Methods of delivering the partials of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Delivery {
    /// Each workgroup stores its own.
    Output,
    /// All workgroups publish theirs, and the last to finish combines them.
    Collected,
    /// Each workgroup adds its own to the total by an atomic operation.
    Total,
}

/// One kernel: the data that the planner, the composer and the recorder need.
#[derive(Debug, PartialEq, Eq, Hash)]
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
pub(crate) use kernel;

use Coverage::{Columns, Grid, One, Teams};
use Delivery::{Collected, Output, Total};
use Loads::{Elements, Vectors};
use Memory::{Each, Nothing};
use Subgroups::{Optional, Unused};

/// The library's kernel for whole inputs in two dispatches.
pub static VECTORIZED: Kernel =
    kernel!("vectorized", "ladder/vectorized", Grid(16), Vectors, Each(1), Optional, Output);

/// The library's kernel for whole inputs.
pub static SINGLE_PASS: Kernel =
    kernel!("single-pass", "ladder/single_pass", Grid(16), Vectors, Each(1), Optional, Collected);

/// Whole inputs, added to the value in the output.
pub(crate) static ACCUMULATE: Kernel =
    kernel!("accumulate", "kernels/accumulate", Grid(16), Vectors, Each(1), Optional, Total);
/// Segments of one length.
pub(crate) static SEGMENTS: Kernel =
    kernel!("segments", "kernels/segments", Teams, Vectors, Each(1), Optional, Output);
/// Segments between offsets.
pub(crate) static OFFSETS: Kernel =
    kernel!("offsets", "kernels/offsets", Teams, Vectors, Each(1), Optional, Output);
/// The middle axis of an array.
pub(crate) static COLUMNS: Kernel =
    kernel!("columns", "kernels/columns", Columns, Elements, Each(1), Unused, Output);
/// Sets the total of an atomic rung to the identity.
pub(crate) static SEED: Kernel = kernel!("seed", "kernels/seed", One, Elements, Nothing, Unused, Total);
/// Converts the total of an atomic rung to a result.
pub(crate) static SEAL: Kernel = kernel!("seal", "kernels/seal", One, Elements, Nothing, Unused, Total);

/// The kernels that fold an operator's elements in each shape.
#[derive(Debug, PartialEq)]
pub(super) struct Fold {
    /// Whole and strided inputs.
    pub(super) whole: &'static Kernel,
    pub(super) segments: &'static Kernel,
    pub(super) offsets: &'static Kernel,
    pub(super) columns: &'static Kernel,
}

/// The fold of accumulators alone.
pub(super) static FOLD: Fold =
    Fold { whole: &SINGLE_PASS, segments: &SEGMENTS, offsets: &OFFSETS, columns: &COLUMNS };

impl Fold {
    /// Returns true if a kernel is one of this fold's.
    pub(super) fn has(&self, kernel: &Kernel) -> bool {
        [self.whole, self.segments, self.offsets, self.columns].contains(&kernel)
    }
}
