//! Plans: from a shape, lengths and limits to a list of launches. Planning is pure and needs no GPU. An
//! application needs only [`Plan`]; the other types describe its launches.

mod depth;
mod forms;
mod launch;
pub(crate) mod levels;
mod offsets;
mod params;
mod ranges;
pub(crate) mod request;
mod segments;
mod stage;
mod strided;
pub(crate) mod whole;

use wgpu::Limits;

use crate::gpu::limits::needs;
use crate::gpu::{BufferError, LimitError, blocks, input};
use crate::reduce::kernel::Coverage;

pub use crate::gpu::range::{BufferRange, ByteRange};
pub use launch::{Dst, Launch, Src};
pub(super) use params::WORDS;
pub use params::{Own, Params};
use ranges::{Inputs, Span};
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

/// The launches of one reduction, and the memory that they need.
///
/// A plan is a plain value and needs no device. It does not contain the additional launch of
/// [`Reduction::count_buffer`](crate::reduce::Reduction::count_buffer). A bound reduction
/// has `scratch`, `partials` and `marks`, and a few bytes more, of its own or in a [`Workspace`](crate::Workspace).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    pub(crate) launches: Vec<Launch>,
    pub(super) results: u64,
    /// Bytes of each output: one, or one for each number of a result.
    pub(super) outputs: Vec<u64>,
    pub(super) scratch: [u64; 2],
    pub(super) partials: u64,
    pub(super) marks: u64,
    /// The request that it was made for.
    pub(super) made_for: MadeFor,
}

/// A request, as far as a plan depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::reduce) struct MadeFor {
    /// The hash of its shape, lengths, offsets, sizes and limits.
    pub(in crate::reduce) request: u64,
    /// The index of the first element.
    pub(in crate::reduce) index: u32,
    /// The number of elements that input states stand for.
    pub(in crate::reduce) elements: Option<u32>,
}

impl Plan {
    /// The launches, in order. The list is empty if there are no results.
    pub fn launches(&self) -> &[Launch] {
        &self.launches
    }

    /// The number of results: 1, or the number of segments or columns. If the host combines accumulators,
    /// their number.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Bytes of output, rounded up to words of four bytes. The output's buffer must have this many bytes
    /// after the output's offset. Of several outputs it is the sum.
    pub fn output(&self) -> u64 {
        self.outputs.iter().sum()
    }

    /// Bytes of the two scratch buffers, which pass accumulators from one launch to the next; 0 for a buffer
    /// that is not needed.
    pub fn scratch(&self) -> [u64; 2] {
        self.scratch
    }

    /// Bytes of the partials buffer, to which the workgroups of one launch publish their partials; 0 if none
    /// is needed.
    pub fn partials(&self) -> u64 {
        self.partials
    }

    /// Bytes of tile marks, with which [`Shape::Offsets`](crate::reduce::Shape::Offsets) finds long segments; 0 if none are needed.
    pub fn marks(&self) -> u64 {
        self.marks
    }

    /// A plan without launches yet.
    pub(crate) fn empty(results: u64, stride: u64) -> Self {
        let outputs = vec![(results * stride).next_multiple_of(WORD)];
        let made_for = MadeFor::default();
        Plan { launches: Vec::new(), results, outputs, scratch: [0; 2], partials: 0, marks: 0, made_for }
    }

    /// Returns true if the output holds accumulators instead of results: states, or partials for the host to combine.
    pub fn leaves_partials(&self) -> bool {
        let last = self.launches.last();
        last.is_some_and(|launch| launch.stage.writes == Writes::Partials)
    }

    /// Workgroups of the launches that read the caller's elements.
    pub fn workgroups(&self) -> u64 {
        let first = self.launches.iter().filter(|launch| !matches!(launch.src, Src::Scratch(..)));
        first.filter(|launch| launch.stage.kernel.coverage != Coverage::One).map(Launch::workgroups).sum()
    }

    /// Sets the number of elements that the input states stand for. `finish` receives it.
    pub(super) fn element_count(mut self, elements: u32) -> Self {
        self.launches.iter_mut().for_each(|launch| launch.params.count = elements);
        self.made_for.elements = Some(elements);
        self
    }

    /// Sets the index of the first element, from which those of all others count.
    pub(super) fn counting_from(mut self, index: u32) -> Result<Self, BufferError> {
        for Params { index: place, len, .. } in self.launches.iter_mut().map(|launch| &mut launch.params) {
            let end = u64::from(index) + u64::from(*place) + u64::from(*len);
            input::check_count(end)?;
            *place += index;
        }
        self.made_for.index = index;
        Ok(self)
    }

    /// Makes positions count from the start of the input: a texture is bound as a whole, whatever the window.
    fn of_texels(mut self, size: u64) -> Self {
        for launch in &mut self.launches {
            if let Src::Inputs { first, .. } = launch.src {
                launch.params.first += (first.offset / size) as u32;
            }
        }
        self
    }

    /// Checks that the device allows the size of every buffer.
    fn check(self, limits: &Limits) -> Result<Self, LimitError> {
        let [scratch, second] = self.scratch;
        let sizes = [
            ("the scratch memory", scratch.max(second)),
            ("the partials buffer", self.partials),
            ("the tile marks", self.marks),
            ("the output", self.outputs.iter().copied().fold(0, u64::max)),
            ("the parameters", blocks::offset(self.launches.len())),
        ];
        let check = |(role, size)| {
            let checked = needs!(limits, max_buffer_size, size);
            checked.map_err(|error| error.of(role).or("reduce fewer elements at once"))
        };
        sizes.into_iter().try_for_each(check).map(|()| self)
    }
}
