//! A kernel with what it reads and writes.

use crate::reduce::kernel::{Coverage, Kernel, Loads};

/// The items that a dispatch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reads {
    /// The caller's elements.
    Elements,
    /// The caller's elements in two adjoining bindings of one buffer.
    ///
    /// For an operator with one input that is larger than a binding, on a device that allows six storage
    /// buffers per shader. Otherwise each window has its own dispatch.
    Adjoining,
    /// The caller's elements, a stride apart.
    Strided,
    /// Accumulators: the partials of an earlier dispatch, or the caller's states.
    Partials,
}

/// The values that a dispatch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Writes {
    /// Accumulators: partials for a later dispatch, or states for the caller.
    Partials,
    /// Results.
    Results,
}

/// A kernel with what it reads and writes. Together with the operator it determines the WGSL and the overrides of a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Stage {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// The items that it reads.
    pub reads: Reads,
    /// The values that it writes.
    pub writes: Writes,
    /// Invocations in a workgroup.
    pub workgroup_size: u32,
    /// Items of a tile; see [`Coverage::Tiles`]. Of exact sums of segments and columns: as many as a workgroup makes at once.
    pub tile: u32,
}

impl Stage {
    /// Returns the exact sums of segments or columns that a workgroup makes at once, at most; 0 if it makes one.
    pub(in crate::reduce) fn sums(self) -> u32 {
        let has_parts = matches!(self.kernel.coverage, Coverage::Teams | Coverage::Columns);
        if has_parts { self.tile } else { 0 }
    }

    /// Returns true if it reads consecutive elements, four at a time.
    pub(in crate::reduce) fn reads_vectors(self) -> bool {
        self.kernel.loads == Loads::Vectors && matches!(self.reads, Reads::Elements | Reads::Adjoining)
    }
}
