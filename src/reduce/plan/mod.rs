//! Plans: from a shape, lengths and limits to a list of dispatches. Planning is pure and needs no GPU. An
//! application needs only [`Plan`]; the other types describe the kernels of its dispatches.

mod depth;
pub(crate) mod levels;
mod offsets;
mod params;
pub(crate) mod ranges;
pub(crate) mod request;
mod segments;
mod stage;
pub(crate) mod whole;

use wgpu::Limits;

use crate::gpu::io::Output;
use crate::gpu::limits::needs;
use crate::gpu::operation::{self, Memory};
use crate::gpu::pass::{Binding, INPUT, Pass};
use crate::gpu::{LimitError, blocks};
use crate::reduce::kernel::Coverage;

use crate::gpu::range::Inputs;
pub use crate::gpu::range::{BufferRange, ByteRange};
pub(crate) use params::Params;
pub(super) use request::Request;
pub use stage::{Reads, Stage, Writes};

/// The most loop iterations a plan gives one invocation.
///
/// Mesa 22's lavapipe silently ends loops after 65 535 iterations, counted over all loops of an invocation.
/// Half of them are for the loop over the input, the rest for the loops after it.
pub(super) const MAX_ITERATIONS: u64 = 32_768;

/// A binding is a whole number of words. An odd number of 16-bit values is not.
const WORD: u64 = 4;

/// Elements per invocation of a team: four vectors of four.
const PER_INVOCATION: u64 = 16;

/// The memory of a plan, by its numbers: two buffers of scratch memory, the partials behind the tickets, and marks.
const FIRST_SCRATCH: usize = 0;
const SECOND_SCRATCH: usize = 1;
const PARTIALS: usize = 2;
const MARKS: usize = 3;

/// The dispatches of one reduction, and the memory that they need.
///
/// A plan is a plain value and needs no device. It does not contain the additional dispatch of
/// [`Reduction::count_buffer`](crate::reduce::Reduction::count_buffer). A bound reduction
/// has `scratch`, `partials` and `marks`, and a few bytes more, of its own or in a [`Workspace`](crate::Workspace).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The dispatches, the memory that they need, and the output.
    pub(crate) work: operation::Plan<Stage>,
    pub(super) results: u64,
}

impl Plan {
    /// The dispatches, in order. The list is empty if there are no results. Of the inputs, the parts of the first one come first.
    pub fn launches(&self) -> &[Pass<Stage>] {
        &self.work.passes
    }

    /// The number of results: 1, or the number of segments or columns. If the host combines accumulators, their number.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Bytes of output, rounded up to words of four bytes. The output's buffer must have this many bytes after the output's offset.
    pub fn output(&self) -> u64 {
        self.work.outputs[0].size
    }

    /// Bytes of the two scratch buffers, which pass accumulators from one dispatch to the next; 0 for a buffer that is not needed.
    pub fn scratch(&self) -> [u64; 2] {
        [FIRST_SCRATCH, SECOND_SCRATCH].map(|nth| self.work.memory[nth].size)
    }

    /// Bytes of the partials buffer, to which the workgroups of one dispatch publish their partials; 0 if none is needed.
    pub fn partials(&self) -> u64 {
        self.work.memory[PARTIALS].size
    }

    /// Bytes of tile marks, with which [`Shape::Offsets`](crate::reduce::Shape::Offsets) finds long segments; 0 if none are needed.
    pub fn marks(&self) -> u64 {
        self.work.memory[MARKS].size
    }

    /// A plan without dispatches yet.
    pub(crate) fn empty(results: u64, stride: u64) -> Self {
        let memory = vec![Memory::parts(0), Memory::parts(0), Memory::tickets(4, 0), Memory::scratch(8, 0)];
        let outputs = vec![Output::new("output", (results * stride).next_multiple_of(WORD))];
        let work = operation::Plan { passes: Vec::new(), memory, outputs };
        Plan { work, results }
    }

    /// Returns the plan with bytes of memory.
    fn taking(mut self, nth: usize, size: u64) -> Self {
        self.work.memory[nth].size = size;
        self
    }

    /// The number of elements.
    pub(super) fn most(&self) -> u32 {
        self.work.passes.first().and_then(|pass| pass.param("count")).unwrap_or(0)
    }

    /// Returns true if the output holds accumulators instead of results: states, or partials for the host to combine.
    pub fn leaves_partials(&self) -> bool {
        self.launches().last().is_some_and(|launch| launch.step.writes == Writes::Partials)
    }

    /// Workgroups of the dispatches that read the caller's elements.
    pub fn workgroups(&self) -> u64 {
        let is_first = |launch: &&Pass<Stage>| {
            let reads_memory = matches!(launch.binding(INPUT), Some(Binding::Memory(..)));
            !reads_memory && launch.step.kernel.coverage != Coverage::One
        };
        self.launches().iter().filter(is_first).map(Pass::workgroups).sum()
    }

    /// Makes positions count from the start of the input: a texture is bound as a whole, whatever the window.
    fn of_texels(mut self, size: u64) -> Self {
        for launch in &mut self.work.passes {
            if let Some(Binding::Input(_, bytes)) = launch.binding(INPUT) {
                launch.change("first", |first| first + (bytes.offset / size) as u32);
            }
        }
        self
    }

    /// Checks that the device allows the size of every buffer.
    fn check(self, limits: &Limits) -> Result<Self, LimitError> {
        let [scratch, second] = self.scratch();
        let sizes = [
            ("the scratch memory", scratch.max(second)),
            ("the partials buffer", self.partials()),
            ("the tile marks", self.marks()),
            ("the output", self.output()),
            ("the parameters", blocks::offset(self.launches().len())),
        ];
        let check = |(role, size)| {
            let checked = needs!(limits, max_buffer_size, size);
            checked.map_err(|error| error.of(role).or("reduce fewer elements at once"))
        };
        sizes.into_iter().try_for_each(check).map(|()| self)
    }
}
