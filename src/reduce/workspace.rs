//! Scratch memory of reductions.

use wgpu::{Buffer, Device};

use crate::gpu::{BufferError, buffers};
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
    /// One for each of the roles.
    buffers: [Buffer; 4],
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
        let largest = plans
            .into_iter()
            .map(needs)
            .fold([0; 4], |most: [u64; 4], sizes| std::array::from_fn(|role| most[role].max(sizes[role])));
        let buffer = |role: &str, size| buffers::scratch(device, &format!("halofold::reduce::{role}"), size);
        Workspace {
            buffers: std::array::from_fn(|role| buffer(ROLES[role], largest[role])),
            nothing: buffer("nothing", 0),
        }
    }

    /// Bytes allocated on the GPU.
    pub fn size(&self) -> u64 {
        self.buffers.iter().chain([&self.nothing]).map(Buffer::size).sum()
    }

    /// The buffer of the partials that workgroups publish, behind the 32 words of the ticket counter.
    pub(super) fn partials(&self) -> &Buffer {
        &self.buffers[2]
    }

    /// One of the two buffers of accumulators.
    pub(super) fn scratch(&self, number: usize) -> &Buffer {
        &self.buffers[number]
    }

    pub(super) fn marks(&self) -> &Buffer {
        &self.buffers[3]
    }

    pub(super) fn check(&self, plan: &Plan) -> Result<(), BufferError> {
        for ((buffer, role), end) in self.buffers.iter().zip(ROLES).zip(needs(plan)) {
            if end > buffer.size() {
                return Err(BufferError::TooShort { role, start: 0, end, size: buffer.size() });
            }
        }
        Ok(())
    }
}
