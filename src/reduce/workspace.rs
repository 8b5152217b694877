//! Scratch memory of reductions.

use wgpu::{Buffer, Device};

use crate::operation::scratch::{self, Scratch};
use crate::reduce::error::ReduceError;
use crate::reduce::plan::Plan;
#[cfg(doc)]
use crate::reduce::reduction::Reduction;

/// Scratch memory for reductions. Reductions that are recorded one after the other may share it, in one pass
/// or encoder or in several, with any operators, forms and shapes, on one device. A clone shares the memory.
///
/// It needs no clearing. Only the ticket counter at the start of the partials buffer must be zero: wgpu
/// zeroes new buffers, and each reduction resets the counter. All other memory is written before it is read.
#[derive(Clone, Debug)]
pub struct Workspace {
    scratch: Scratch<4>,
    /// Bound to inputs that a kernel declares but does not read.
    pub(super) nothing: Buffer,
}

/// The buffers of a workspace, as messages name them.
const ROLES: [&str; 4] = ["scratch memory", "second scratch buffer", "partials buffer", "buffer of marks"];

/// The bytes that a plan needs of each.
fn needs(plan: &Plan) -> [u64; 4] {
    [plan.scratch[0], plan.scratch[1], plan.partials, plan.marks]
}

impl Workspace {
    /// Allocates the memory that a plan needs: five buffers on the GPU, of at least 128 bytes each.
    ///
    /// Any plan that needs no more memory may use it. For a plan that needs more, [`Reduction::into`] returns
    /// [`BufferError::TooShort`](crate::BufferError::TooShort).
    pub fn new(device: &Device, plan: &Plan) -> Self {
        Self::for_plans(device, [plan])
    }

    /// Allocates memory that is enough for any one of several plans at a time: the largest size of each kind
    /// of memory, not the sum.
    pub fn for_plans<'a>(device: &Device, plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        Workspace {
            scratch: Scratch::new(device, "halofold::reduce", ROLES, plans.into_iter().map(needs)),
            nothing: scratch::buffer(device, "halofold::reduce::nothing", 0),
        }
    }

    /// Bytes allocated on the GPU.
    pub fn size(&self) -> u64 {
        self.scratch.size() + self.nothing.size()
    }

    /// The buffer of the partials that workgroups publish, behind the 32 words of the ticket counter: for tests that poison it
    /// between two reductions.
    #[doc(hidden)]
    pub fn partials(&self) -> &Buffer {
        self.scratch.buffer(2)
    }

    /// One of the two buffers of accumulators.
    pub(super) fn scratch(&self, number: usize) -> &Buffer {
        self.scratch.buffer(number)
    }

    pub(super) fn marks(&self) -> &Buffer {
        self.scratch.buffer(3)
    }

    pub(super) fn check(&self, plan: &Plan) -> Result<(), ReduceError> {
        Ok(self.scratch.check(needs(plan))?)
    }
}
