//! The dispatches between reductions: `disturbance.wgsl`, recorded.

use halofold::wgpu;
use halofold::wgpu::util::DeviceExt as _;
use halofold_measure::translate::Kernel;

use crate::failure::Failure;
use crate::gpu::Gpu;

/// Steps with a number of their own in one batch, of each kind.
pub const STEPS: usize = 16;

/// Bytes from one step's numbers to the next one's: the alignment of every device.
const APART: usize = 256;

/// Invocations in a workgroup.
const WORKGROUP: u64 = 64;

/// Elements that an invocation of `change` adds to.
const EACH: u64 = 4;

/// One of the kernels with the buffer that it works on.
pub struct Disturbance {
    pipeline: wgpu::ComputePipeline,
    steps: wgpu::Buffer,
    bindings: Vec<wgpu::BindGroup>,
    grid: [u32; 2],
}

impl Disturbance {
    /// Adds to all elements.
    pub fn change(gpu: &Gpu, elements: &wgpu::Buffer) -> Result<Self, Failure> {
        Self::new(gpu, "change", elements, (elements.size() / 4).div_ceil(EACH).div_ceil(WORKGROUP))
    }

    /// Reads and writes 1024 words of a buffer for each of this many workgroups.
    pub fn press(gpu: &Gpu, ballast: &wgpu::Buffer, workgroups: u64) -> Result<Self, Failure> {
        Self::new(gpu, "press", ballast, workgroups)
    }

    /// Overwrites partials.
    pub fn poison(gpu: &Gpu, partials: &wgpu::Buffer) -> Result<Self, Failure> {
        Self::new(gpu, "poison", partials, (partials.size() / 4).div_ceil(WORKGROUP))
    }

    fn new(
        gpu: &Gpu,
        entry_point: &'static str,
        words: &wgpu::Buffer,
        workgroups: u64,
    ) -> Result<Self, Failure> {
        let device = &gpu.device;
        let kernel = Kernel {
            wgsl: include_str!("disturbance.wgsl").to_owned(),
            entry_point,
            overrides: Vec::new(),
            label: "halofold.stress".to_owned(),
        };
        let pipeline = halofold_measure::compile(device, &kernel).map_err(Failure::usage)?;
        let steps = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("halofold::stress::steps"),
            contents: &[0; STEPS * APART],
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        });
        let layout = pipeline.get_bind_group_layout(0);
        // `poison` has no numbers.
        let numbered = if entry_point == "poison" { 1 } else { STEPS };
        let bind = |step: usize| {
            let numbers = wgpu::BufferBinding {
                buffer: &steps,
                offset: (step * APART) as u64,
                size: wgpu::BufferSize::new(8),
            };
            let entries = [
                wgpu::BindGroupEntry { binding: 0, resource: words.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: wgpu::BindingResource::Buffer(numbers) },
            ];
            let used = if numbered == 1 { &entries[..1] } else { &entries[..] };
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout,
                entries: used,
            })
        };
        let rows = workgroups.div_ceil(u64::from(device.limits().max_compute_workgroups_per_dimension));
        let grid = [workgroups.div_ceil(rows) as u32, rows as u32];
        let bindings = (0..numbered).map(bind).collect();
        Ok(Disturbance { pipeline, steps, bindings, grid })
    }

    /// Writes the steps' numbers, in front of the batch that has them.
    pub fn write(&self, gpu: &Gpu, numbers: &[u32]) {
        let row = self.grid[0] * WORKGROUP as u32;
        let mut words = vec![0u32; numbers.len() * APART / 4];
        for (step, number) in words.chunks_mut(APART / 4).zip(numbers) {
            step[..2].copy_from_slice(&[*number, row]);
        }
        gpu.queue.write_buffer(&self.steps, 0, bytemuck::cast_slice(&words));
    }

    /// Records a step.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, step: usize) {
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.bindings[step], &[]);
        pass.dispatch_workgroups(self.grid[0], self.grid[1], 1);
    }
}
