//! Scratch memory of reductions.

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
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
    pub(super) scratch: [Buffer; 2],
    pub(super) partials: Buffer,
    pub(super) marks: Buffer,
    /// Bound to inputs that a kernel declares but does not read.
    pub(super) nothing: Buffer,
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
        let needs = |most: [u64; 4], plan: &Plan| {
            let [first, second] = plan.scratch;
            let needed = [first, second, plan.partials, plan.marks];
            std::array::from_fn(|kind| most[kind].max(needed[kind]))
        };
        let [first, second, partials, marks] = plans.into_iter().fold([0; 4], needs);
        let buffer = |name: &str, size: u64| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&format!("halofold::reduce::{name}")),
                // A binding is never empty.
                size: size.max(128),
                usage: BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        Workspace {
            scratch: [buffer("scratch0", first), buffer("scratch1", second)],
            partials: buffer("partials", partials),
            marks: buffer("marks", marks),
            nothing: buffer("nothing", 0),
        }
    }

    /// Bytes allocated on the GPU.
    pub fn size(&self) -> u64 {
        let [first, second] = &self.scratch;
        [first, second, &self.partials, &self.marks, &self.nothing].map(Buffer::size).iter().sum()
    }

    /// The buffer of the partials that workgroups publish, behind the 32 words of the ticket counter: for tests that poison it
    /// between two reductions.
    #[doc(hidden)]
    pub fn partials(&self) -> &Buffer {
        &self.partials
    }

    pub(super) fn check(&self, plan: &Plan) -> Result<(), ReduceError> {
        let needs = [
            ("scratch memory", &self.scratch[0], plan.scratch[0]),
            ("second scratch buffer", &self.scratch[1], plan.scratch[1]),
            ("partials buffer", &self.partials, plan.partials),
            ("buffer of marks", &self.marks, plan.marks),
        ];
        Ok(needs.into_iter().try_for_each(|(role, buffer, needed)| binding::room(role, buffer, needed))?)
    }
}
