//! A count on the GPU: an additional dispatch before the others writes their parameters.

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
use crate::dispatch::Dispatch;
use crate::pipeline;
use crate::reduce::plan::WORDS;
use crate::shader;
use crate::slice::Slice;

/// The label of the buffers.
const LABEL: &str = "halofold::reduce::length";

/// The bindings of group 0 that the kernel declares.
pub(super) const SLOTS: [u32; 4] = [0, 1, 2, 3];

/// Bytes of a word.
const WORD: usize = 4;

/// Invocations in a workgroup, on a device that allows as many. Each writes the parameters of one dispatch.
const WORKGROUP: u32 = 64;

/// The compiled kernel.
#[derive(Debug)]
pub(super) struct Length {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    workgroup_size: u32,
}

/// The parameters of the kernel.
#[repr(C)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Params {
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
        let limits = device.limits();
        let most = limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x);
        let workgroup_size = WORKGROUP.min(most);
        let kernel = pipeline::Kernel {
            label: &shader::label(&["reduce", "length"]),
            wgsl: shader::text("kernels/length").to_owned(),
            entry_point: "main",
            slots: &SLOTS,
            overrides: &[
                ("WG", f64::from(workgroup_size)),
                ("WORDS", WORDS as f64),
                ("STRIDE", (binding::STRIDE / WORD) as f64),
            ],
            cache,
            checks,
        };
        let (pipeline, layout) = pipeline::compile(device, kernel);
        Length { pipeline, layout, workgroup_size }
    }

    /// Binds the templates of the dispatches' parameters, and the buffer for the parameters that the kernel
    /// writes. It takes one dispatch, or several if a binding cannot hold all parameters.
    pub(super) fn bind(
        &self,
        device: &Device,
        (templates, parameters): (&Buffer, &Buffer),
        count: Slice<'_>,
        (most, passes): (u32, usize),
    ) -> Vec<Dispatch> {
        let limits = device.limits();
        let align = u64::from(limits.min_storage_buffer_offset_alignment);
        let start = count.offset() / align * align;
        let at = ((count.offset() - start) / WORD as u64) as u32;
        // Every block starts at an offset at which a binding may start.
        let fitting = (limits.max_storage_buffer_binding_size / binding::STRIDE as u64).max(1) as usize;
        let pieces = (0..passes).step_by(fitting).map(|first| first..passes.min(first + fitting));
        let jobs =
            binding::blocks(pieces.clone().map(|piece| Params { at, most, passes: piece.len() as u32 }));
        let jobs = binding::filled(device, LABEL, &jobs, BufferUsages::UNIFORM);
        let dispatch = |(number, piece): (usize, std::ops::Range<usize>)| {
            let offset = binding::block_offset(piece.start);
            let size = binding::block_offset(piece.len());
            let resources = [
                binding::slice(templates, offset, size),
                binding::slice(parameters, offset, size),
                binding::block::<Params>(&jobs, binding::block_offset(number)),
                binding::slice(count.buffer(), start, count.offset() + WORD as u64 - start),
            ];
            let bindings = binding::bind(device, LABEL, &self.layout, (0..).zip(resources));
            let groups = (piece.len() as u32).div_ceil(self.workgroup_size);
            Dispatch { pipeline: self.pipeline.clone(), bindings, grid: [groups, 1] }
        };
        pieces.enumerate().map(dispatch).collect()
    }
}
