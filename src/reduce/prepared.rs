//! Recording a reduction on the caller's encoder or pass.

use crate::dispatch::{self, Dispatch, Recorder};
use crate::reduce::plan::Plan;

/// A reduction with its buffers, ready to be recorded any number of times. It reads the contents that the
/// buffers have when it runs.
///
/// It keeps its pipelines and buffers alive. It is `Send` and `Sync`.
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

    /// The plan that is recorded. If the reduction has a count, one additional dispatch is recorded before
    /// it.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a new compute pass, whose label is `halofold::reduce::` and the operator's name.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_in_pass(&mut dispatch::begin(encoder, &self.label));
    }

    /// Records into the caller's pass. This changes the pass's pipeline and bind group 0. halofold itself
    /// allocates nothing.
    ///
    /// wgpu orders the dispatches of one pass that use the same buffers. An earlier dispatch may write the
    /// elements, and a later one may read the results, with no barrier of yours between them.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        Recorder::new(pass).record(&self.launches);
    }
}
