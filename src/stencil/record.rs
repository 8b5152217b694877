//! What recording is made of: prepared dispatches, and the numbers they are given.

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferUsages, Device};

/// Distance between the numbers of two dispatches: the largest alignment a device may ask for.
const STRIDE: usize = 256;

/// A dispatch with everything bound.
#[derive(Clone, Debug)]
pub(super) struct Dispatch {
    pub(super) pipeline: wgpu::ComputePipeline,
    pub(super) bindings: wgpu::BindGroup,
    pub(super) workgroups: [u32; 2],
}

/// Dispatches on their way into a pass: the pipeline is set only where it changes.
pub(super) struct Recorder<'p, 'e> {
    pass: &'p mut wgpu::ComputePass<'e>,
    current: Option<wgpu::ComputePipeline>,
}

impl<'p, 'e> Recorder<'p, 'e> {
    pub(super) fn new(pass: &'p mut wgpu::ComputePass<'e>) -> Self {
        Recorder { pass, current: None }
    }

    pub(super) fn record(&mut self, dispatches: &[Dispatch]) {
        for Dispatch { pipeline, bindings, workgroups: [x, y] } in dispatches {
            if self.current.as_ref() != Some(pipeline) {
                self.pass.set_pipeline(pipeline);
                self.current = Some(pipeline.clone());
            }
            self.pass.set_bind_group(0, bindings, &[]);
            self.pass.dispatch_workgroups(*x, *y, 1);
        }
    }
}

/// The numbers of several dispatches, one block each, and those that would make each of them do nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct Settings {
    running: Vec<u8>,
    halted: Vec<u8>,
}

impl Settings {
    /// Adds a block; answers where it starts in the buffer.
    pub(super) fn add<T: bytemuck::Pod>(&mut self, running: T, halted: T) -> u64 {
        let at = self.running.len();
        for (all, block) in [(&mut self.running, running), (&mut self.halted, halted)] {
            all.extend(bytemuck::bytes_of(&block));
            all.resize(at + STRIDE, 0);
        }
        at as u64
    }

    /// Where the block that was added after so many others starts.
    pub(super) fn offset(block: usize) -> u64 {
        (block * STRIDE) as u64
    }

    /// A buffer with the numbers of running dispatches.
    pub(super) fn buffer(&self, device: &Device, usage: BufferUsages) -> Buffer {
        filled(device, "halofold::stencil::params", &self.running, usage)
    }

    /// A buffer with both, the running ones first.
    pub(super) fn both(&self, device: &Device, usage: BufferUsages) -> Buffer {
        let both = [&*self.running, &*self.halted].concat();
        filled(device, "halofold::stencil::settings", &both, usage)
    }
}

/// One block as a binding.
pub(super) fn block<T>(params: &Buffer, offset: u64) -> wgpu::BindingResource<'_> {
    slice(params, offset, size_of::<T>() as u64)
}

/// A part of a buffer as a binding.
pub(super) fn slice(buffer: &Buffer, offset: u64, size: u64) -> wgpu::BindingResource<'_> {
    let size = std::num::NonZeroU64::new(size);
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size })
}

/// A small buffer with contents.
pub(super) fn filled(device: &Device, label: &str, contents: &[u8], usage: BufferUsages) -> Buffer {
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some(label), contents, usage })
}

/// Binds buffers to the slots of group 0.
pub(super) fn bind<'a>(
    device: &Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = (u32, wgpu::BindingResource<'a>)>,
) -> wgpu::BindGroup {
    let entries: Vec<_> =
        resources.into_iter().map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource }).collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: Some(label), layout, entries: &entries })
}
