//! One launch: its kernel, and where it reads and writes.

use crate::gpu::range::ByteRange;
use crate::reduce::exact::EXACT_FOLD;
use crate::reduce::fold::FOLD;
#[cfg(doc)]
use crate::reduce::ladder::Coverage;
use crate::reduce::ladder::{Kernel, Loads};
use crate::reduce::plan::Params;

/// The items that a launch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reads {
    /// The caller's elements.
    Elements,
    /// The caller's elements in two bindings of one buffer. The second binding starts where the first one
    /// ends.
    ///
    /// This is for an operator with one input that is larger than a binding, on a device that allows six
    /// storage buffers per shader. Otherwise each window has its own launch.
    Adjoining,
    /// The caller's elements, a stride apart.
    Strided,
    /// Accumulators: the partials of an earlier launch, or the caller's states.
    Partials,
}

/// The values that a launch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Writes {
    /// Accumulators: partials for a later launch, or states for the caller.
    Partials,
    /// Results.
    Results,
    /// Results, each number of them in an array of its own.
    Components,
}

/// A kernel and its variant. Together with the operator it determines the text and the overrides of a
/// pipeline.
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
    /// Items of a tile; see [`Coverage::Tiles`].
    pub tile: u32,
}

impl Stage {
    /// Returns true if it reads consecutive elements, four at a time.
    pub(in crate::reduce) fn reads_vectors(self) -> bool {
        self.kernel.loads == Loads::Vectors && matches!(self.reads, Reads::Elements | Reads::Adjoining)
    }

    /// Returns true if it reads offsets, or writes tile marks for the kernels that do.
    pub(in crate::reduce) fn is_offsets(self) -> bool {
        [FOLD.offsets, EXACT_FOLD.offsets].contains(&self.kernel)
    }
}

/// The source of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Src {
    /// A window of one part of the first input and, if there are two, of the second input. Offsets count from
    /// the start of the caller's buffer. Because a window is a binding, it may begin and end with a few bytes
    /// that belong to no element.
    Inputs {
        /// The index of the part, from 0.
        part: usize,
        /// The window of the first input.
        first: ByteRange,
        /// The window that starts where the first one ends, in the same buffer. For [`Reads::Adjoining`]
        /// only.
        next: Option<ByteRange>,
        /// The window of the second input.
        second: Option<ByteRange>,
    },
    /// Accumulators in one of the two scratch buffers, written by an earlier launch of the plan.
    Scratch(usize, ByteRange),
    /// No input: there are no elements, and the launch only writes the result of an empty input.
    Nothing,
}

/// The destination of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dst {
    /// Accumulators in one of the two scratch buffers.
    Scratch(usize, ByteRange),
    /// Results, or accumulators for the caller. The range counts from the output's offset.
    Output(ByteRange),
    /// Numbers of results, each in an output of its own, which is bound as a whole.
    Outputs,
}

/// One dispatch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Launch {
    /// Its kernel.
    pub stage: Stage,
    /// The number of launches it waits for. Launches of one level do not depend on one another.
    pub level: u32,
    /// The buffer ranges that it reads.
    pub src: Src,
    /// The buffer range that it writes.
    pub dst: Dst,
    /// The range of the list of offsets that it reads, in bytes from the start of the list; `None` if it
    /// reads none.
    pub offsets: Option<ByteRange>,
    /// Workgroups in x and y.
    pub grid: [u32; 2],
    /// The parameters of its kernel. With a count on the GPU, those for the largest count.
    pub params: Params,
}

impl Launch {
    /// The total number of workgroups.
    pub const fn workgroups(&self) -> u64 {
        self.grid[0] as u64 * self.grid[1] as u64
    }
}
