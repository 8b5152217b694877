//! One launch: its kernel, and where it reads and writes.

use crate::gpu::range::ByteRange;
use crate::reduce::plan::Params;
use crate::reduce::plan::stage::Stage;

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
        /// The window that starts where the first one ends, in the same buffer. For [`Reads::Adjoining`](crate::reduce::plan::Reads::Adjoining)
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
