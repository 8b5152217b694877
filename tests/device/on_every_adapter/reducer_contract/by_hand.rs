//! The dispatches that an application would write without halofold, for comparison with recording.

use std::collections::HashMap;

use halofold::reduce::Plan;
use halofold::reduce::plan::Launch;
use halofold::wgpu;

use super::scene::{STORAGE, buffer};
use crate::common::Gpu;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read_write> words: array<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) { words[id.x % 4u] = id.x; }
";

/// Some dispatches, each with a bind group of its own.
pub struct ByHand {
    dispatches: Vec<(wgpu::ComputePipeline, wgpu::BindGroup)>,
}

impl ByHand {
    /// As many dispatches as a plan has, with another pipeline wherever it has another kernel.
    pub fn like(gpu: &Gpu, plan: &Plan) -> Self {
        let mut pipelines = HashMap::new();
        let dispatch = |launch: &Launch| {
            let pipeline = pipelines.entry(launch.stage).or_insert_with(|| pipeline(gpu)).clone();
            let words = buffer(gpu, &[0; 16], STORAGE);
            let bindings = gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[wgpu::BindGroupEntry { binding: 0, resource: words.as_entire_binding() }],
            });
            (pipeline, bindings)
        };
        ByHand { dispatches: plan.launches().iter().map(dispatch).collect() }
    }

    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for (pipeline, bindings) in &self.dispatches {
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, bindings, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
    }
}

fn pipeline(gpu: &Gpu) -> wgpu::ComputePipeline {
    let module = gpu.device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(KERNEL.into()),
    });
    gpu.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: Default::default(),
        cache: None,
    })
}
