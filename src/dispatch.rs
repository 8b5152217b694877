//! Recording of dispatches into a pass.

use wgpu::{CommandEncoder, ComputePass, ComputePipeline};

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

/// Begins a compute pass.
pub(crate) fn begin<'a>(encoder: &'a mut CommandEncoder, label: &str) -> ComputePass<'a> {
    encoder.begin_compute_pass(&wgpu::ComputePassDescriptor { label: Some(label), timestamp_writes: None })
}
