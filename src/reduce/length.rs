//! A number of elements that only the GPU knows: one dispatch in front of the others writes their parameters.

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
use crate::dispatch::Dispatch;
use crate::pipeline;
use crate::reduce::plan::WORDS;
use crate::shader;
use crate::slice::Slice;

/// What the kernel and its buffers are called.
const LABEL: &str = "halofold::reduce::length";

/// Bytes of a word.
const WORD: usize = 4;

/// Invocations in a workgroup: one for each dispatch that follows.
const WORKGROUP: u32 = 64;

/// The kernel, compiled.
#[derive(Debug)]
pub(super) struct Length {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

/// What the kernel is given.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Job {
    at: u32,
    most: u32,
    passes: u32,
}

impl Length {
    pub(super) fn compile(
        device: &Device,
        cache: Option<&wgpu::PipelineCache>,
        checks: pipeline::Checks,
    ) -> Self {
        let kernel = pipeline::Kernel {
            label: LABEL,
            wgsl: shader::text("kernels/length").to_owned(),
            entry_point: "main",
            slots: &[0, 1, 2, 3],
            overrides: &[("WORDS", WORDS as f64), ("STRIDE", (binding::STRIDE / WORD) as f64)],
            cache,
            checks,
        };
        let (pipeline, layout) = pipeline::compile(device, kernel);
        Length { pipeline, layout }
    }

    /// Binds templates of so many dispatches' parameters and the buffer for what is made of them.
    pub(super) fn bind(
        &self,
        device: &Device,
        (templates, parameters): (&Buffer, &Buffer),
        count: Slice<'_>,
        (most, passes): (u32, u32),
    ) -> Dispatch {
        let align = u64::from(device.limits().min_storage_buffer_offset_alignment);
        let start = count.offset() / align * align;
        let job = Job { at: ((count.offset() - start) / WORD as u64) as u32, most, passes };
        let job = binding::filled(device, LABEL, bytemuck::bytes_of(&job), BufferUsages::UNIFORM);
        let resources = [
            templates.as_entire_binding(),
            parameters.as_entire_binding(),
            job.as_entire_binding(),
            binding::slice(count.buffer(), start, count.offset() + WORD as u64 - start),
        ];
        let bindings = binding::bind(device, LABEL, &self.layout, (0..).zip(resources));
        Dispatch { pipeline: self.pipeline.clone(), bindings, grid: [passes.div_ceil(WORKGROUP), 1] }
    }
}
