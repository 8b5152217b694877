//! Dispatches, recorded into a pass, and operations that are ready to be recorded.

use wgpu::{
    Buffer, CommandEncoder, ComputePass, ComputePassDescriptor, ComputePassTimestampWrites, ComputePipeline,
};

/// A dispatch with its pipeline and bind group.
#[derive(Clone, Debug)]
pub(crate) struct Dispatch {
    pub(crate) pipeline: ComputePipeline,
    pub(crate) bindings: wgpu::BindGroup,
    /// Workgroups in x and y.
    pub(crate) grid: [u32; 2],
}

/// Records dispatches into a pass. It sets the pipeline only when it changes.
pub(crate) struct Recorder<'p, 'e> {
    pass: &'p mut ComputePass<'e>,
    current: Option<ComputePipeline>,
}

impl<'p, 'e> Recorder<'p, 'e> {
    pub(crate) fn new(pass: &'p mut ComputePass<'e>) -> Self {
        Recorder { pass, current: None }
    }

    pub(crate) fn record(&mut self, dispatches: &[Dispatch]) {
        for Dispatch { pipeline, bindings, grid: [x, y] } in dispatches {
            if self.current.as_ref() != Some(pipeline) {
                self.pass.set_pipeline(pipeline);
                self.current = Some(pipeline.clone());
            }
            self.pass.set_bind_group(0, bindings, &[]);
            self.pass.dispatch_workgroups(*x, *y, 1);
        }
    }
}

pub(crate) fn begin<'a>(encoder: &'a mut CommandEncoder, label: &str) -> ComputePass<'a> {
    encoder.begin_compute_pass(&ComputePassDescriptor { label: Some(label), timestamp_writes: None })
}

/// An operation with its buffers, ready to be recorded any number of times. It reads the contents that the buffers have when it runs.
///
/// It keeps its pipelines and buffers alive. It is `Send` and `Sync`, and has no type parameters: an application stores it.
#[derive(Clone, Debug)]
pub struct Bound {
    dispatches: Vec<Dispatch>,
    memory: Vec<Buffer>,
    label: String,
}

impl Bound {
    pub(crate) fn new(dispatches: Vec<Dispatch>, memory: Vec<Buffer>, label: impl Into<String>) -> Self {
        Bound { dispatches, memory, label: label.into() }
    }

    /// For tests: the memory of its plan.
    #[doc(hidden)]
    pub fn memory(&self) -> &[Buffer] {
        &self.memory
    }

    /// Returns this operation with a label for the compute pass of [`Bound::encode`]. By default it is `halofold::` and the operation:
    /// `halofold::reduce::` and the operator's name, `halofold::histogram` or `halofold::pyramid`.
    pub fn with_label(self, label: impl Into<String>) -> Self {
        Bound { label: label.into(), ..self }
    }

    /// The number of dispatches that it records.
    pub fn dispatches(&self) -> usize {
        self.dispatches.len()
    }

    /// Records into a new compute pass.
    pub fn encode(&self, encoder: &mut CommandEncoder) {
        self.encode_timed(encoder, None);
    }

    /// Records into a new compute pass that writes timestamps.
    pub fn encode_timed(
        &self,
        encoder: &mut CommandEncoder,
        timestamp_writes: Option<ComputePassTimestampWrites<'_>>,
    ) {
        let label = Some(&*self.label);
        let pass = ComputePassDescriptor { label, timestamp_writes };
        self.encode_in_pass(&mut encoder.begin_compute_pass(&pass));
    }

    /// Records into the caller's pass. This changes the pass's pipeline and bind group 0. halofold itself allocates nothing.
    ///
    /// wgpu orders the dispatches of one pass that use the same buffers. An earlier dispatch may write the
    /// input, and a later one may read the results, with no barrier of yours between them.
    pub fn encode_in_pass(&self, pass: &mut ComputePass<'_>) {
        Recorder::new(pass).record(&self.dispatches);
    }
}
