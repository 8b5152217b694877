//! A number of elements that only the GPU knows: one dispatch in front of the others writes their parameters.

use std::mem::offset_of;

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferUsages, Device};

use crate::pipeline;
use crate::reduce::Params;
use crate::reducer::record::{PARAMS_STRIDE, Position, Recorded};
use crate::shader;

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
        let words = |bytes: usize| (bytes / WORD) as f64;
        let kernel = pipeline::Kernel {
            label: "halofold::reducer::length",
            wgsl: shader::piece("reducer/length").to_owned(),
            entry_point: "main",
            slots: &[0, 1, 2, 3],
            overrides: &[
                ("WORDS", words(size_of::<Params>())),
                ("STRIDE", words(PARAMS_STRIDE as usize)),
                ("LEN", words(offset_of!(Params, len))),
                ("INDEX", words(offset_of!(Params, index))),
                ("COUNT", words(offset_of!(Params, count))),
            ],
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
        count: Position<'_>,
        (most, passes): (u32, u32),
    ) -> Recorded {
        let align = u64::from(device.limits().min_storage_buffer_offset_alignment);
        let start = count.offset / align * align;
        let job = Job { at: ((count.offset - start) / WORD as u64) as u32, most, passes };
        let job = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("halofold::reducer::length"),
            contents: bytemuck::bytes_of(&job),
            usage: BufferUsages::UNIFORM,
        });
        let counted = wgpu::BufferBinding {
            buffer: count.buffer,
            offset: start,
            size: std::num::NonZeroU64::new(count.offset + WORD as u64 - start),
        };
        let resources = [
            templates.as_entire_binding(),
            parameters.as_entire_binding(),
            job.as_entire_binding(),
            wgpu::BindingResource::Buffer(counted),
        ];
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let bindings = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("halofold::reducer::length"),
            layout: &self.layout,
            entries: &entries,
        });
        Recorded { pipeline: self.pipeline.clone(), bindings, grid: [passes.div_ceil(WORKGROUP), 1] }
    }
}
