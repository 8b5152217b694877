//! Dispatches that read all elements in any order, and those over the memory in which they are counted.

use wgpu::Limits;

use crate::element::Element;
use crate::operation::Pass;
use crate::operation::device::Step;
use crate::operation::kernel::{Access, PARAMETERS, Slot};
use crate::operation::limits::{self, LimitError, SettingError};
use crate::rank::pipeline::{FILLING, Params, WORKGROUP, bytes};
use crate::window::Window;

/// Elements of an invocation before another workgroup is added.
const PER_INVOCATION: u64 = 16;

/// The binding of parameters.
pub(super) const UNIFORM: Slot = (PARAMETERS, Access::Uniform);

/// Refuses elements of 64 bits, with a remedy.
pub(super) fn unless_long(element: Element, remedy: &str) -> Result<(), SettingError> {
    let error = || SettingError::new("bits of an element", 64u32, "16 or 32").with(remedy);
    if element.size() == 8 { Err(error()) } else { Ok(()) }
}

/// Checks the limits that kernels with these bindings need.
pub(super) fn check(
    steps: &[Step],
    slots: fn(Step) -> &'static [Slot],
    limits: &Limits,
) -> Result<(), LimitError> {
    limits::check_workgroup([WORKGROUP, 1], limits)?;
    steps.iter().try_for_each(|step| limits::check(slots(step), limits))
}

/// The dispatch of a kernel over a window, in a round, with so much room.
pub(super) fn over(
    step: Step,
    window: &Window,
    round_and_room: [u64; 2],
    limits: &Limits,
) -> Pass<Step, Params> {
    let invocations = u64::from(window.len).div_ceil(PER_INVOCATION);
    let mut pass = over_memory(step, invocations, round_and_room, limits);
    pass.from = bytes(window);
    pass.params[..2].copy_from_slice(&[window.first, window.len]);
    pass
}

/// The dispatch of a kernel without input, of so many invocations, or fewer that do more, in a round, with so much room.
pub(super) fn over_memory(
    step: Step,
    invocations: u64,
    [round, room]: [u64; 2],
    limits: &Limits,
) -> Pass<Step, Params> {
    let most = FILLING.min(limits.max_compute_workgroups_per_dimension.into());
    let groups = invocations.div_ceil(WORKGROUP.into()).clamp(1, most) as u32;
    let mut params = Params::default();
    [params[5], params[8], params[10]] = [groups, room as u32, round as u32];
    Pass { step, from: None, second: None, to: None, grid: [groups, 1], params }
}
