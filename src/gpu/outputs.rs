//! Outputs of an operation that writes several arrays.

use crate::gpu::kernel::{Access, Slot};
use crate::gpu::pass::OUTPUT;

/// The binding with the second output; the others follow it. Those before it have other uses.
const SECOND: u32 = 11;

/// The number of the output at a binding, if the binding is an output's.
pub(crate) fn number(slot: u32) -> Option<usize> {
    let nth = if slot == OUTPUT { 0 } else { 1 + slot.checked_sub(SECOND)? };
    Some(nth as usize)
}

/// The bindings of a kernel that writes `arrays` arrays, except the first.
pub(crate) fn slots(arrays: usize) -> impl Iterator<Item = Slot> {
    (SECOND..).take(arrays.saturating_sub(1)).map(|slot| (slot, Access::Write))
}
