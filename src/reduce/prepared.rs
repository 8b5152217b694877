//! Recording a reduction on the caller's encoder or pass.

use crate::dispatch::{self, Dispatch, Recorder};
use crate::reduce::plan::Plan;

/// A reduction with its buffers, ready to be recorded again and again: over what the buffers hold by then.
///
/// It keeps alive what it needs. `Send` and `Sync`.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    launches: Vec<Dispatch>,
    label: String,
}

impl Prepared {
    pub(super) fn new(plan: Plan, launches: Vec<Dispatch>, operator: &str) -> Self {
        Prepared { plan, launches, label: format!("halofold::reduce::{operator}") }
    }

    /// The plan that recording carries out; behind one dispatch more, if it was prepared with a count.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a compute pass of its own, labelled `halofold::reduce::` and the operator's name.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_in_pass(&mut dispatch::begin(encoder, &self.label));
    }

    /// Records into the caller's pass. Changes its pipeline and bind group 0; halofold itself allocates nothing.
    ///
    /// wgpu orders dispatches of one pass that use the same buffers: elements may be written in front of it, and results be used
    /// behind it, without anything between.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        Recorder::new(pass).record(&self.launches);
    }
}
