//! Outputs of an operation that writes several arrays.

use wgpu::BindingResource;

use crate::gpu::buffers::{BufferError, Use, slice};
use crate::gpu::kernel::{Access, Slot};
use crate::gpu::range::ByteRange;
use crate::gpu::slice::Slice;

/// The binding of group 0 with the first output.
const FIRST: u32 = 1;

/// The binding with the second output; the others follow it. Those before it have other uses.
const SECOND: u32 = 11;

/// Outputs, as messages name them.
const ROLES: [&str; 4] = ["output", "second output", "third output", "output after the third"];

/// The outputs that were given for an operation, and the bytes that it writes to each.
#[derive(Clone, Debug)]
pub(crate) struct Outputs<'a> {
    given: Vec<(Slice<'a>, u64)>,
}

impl<'a> Outputs<'a> {
    /// Takes as many outputs as there are arrays of these sizes.
    pub(crate) fn new(
        given: impl IntoIterator<Item = Slice<'a>>,
        sizes: &[u64],
    ) -> Result<Self, BufferError> {
        let given: Vec<_> = given.into_iter().collect();
        if given.len() != sizes.len() {
            return Err(BufferError::Outputs { given: given.len(), arrays: sizes.len() });
        }
        Ok(Outputs { given: given.into_iter().zip(sizes.iter().copied()).collect() })
    }

    /// The uses that kernels make of them.
    pub(crate) fn uses(&self) -> Vec<Use<'a>> {
        let role = |nth: usize| ROLES[nth.min(ROLES.len() - 1)];
        let used = |(nth, (output, size)): (usize, &(Slice<'a>, u64))| Use::of(role(nth), *output, *size);
        self.given.iter().enumerate().map(used).collect()
    }

    /// The first output.
    pub(crate) fn first(&self) -> Slice<'a> {
        self.given[0].0
    }

    /// The resource for a binding, if an output is bound there: as a whole, or of the first output a part.
    pub(crate) fn resource(&self, slot: u32, part: Option<ByteRange>) -> Option<BindingResource<'a>> {
        let nth = if slot == FIRST { 0 } else { 1 + slot.checked_sub(SECOND)? };
        let (output, size) = self.given.get(nth as usize)?;
        let ByteRange { offset, size } =
            part.filter(|_| slot == FIRST).unwrap_or(ByteRange { offset: 0, size: *size });
        Some(slice(output.buffer(), output.offset() + offset, size))
    }
}

/// The bindings of a kernel that writes so many arrays, but for the first.
pub(crate) fn slots(arrays: usize) -> impl Iterator<Item = Slot> {
    (SECOND..).take(arrays.saturating_sub(1)).map(|slot| (slot, Access::Write))
}
