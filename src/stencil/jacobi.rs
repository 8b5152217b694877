//! Recording Jacobi steps: a compiled kernel, two buffers that swap, dispatches on the caller's encoder or pass.

use std::num::NonZeroU64;

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferUsages, Device};

use crate::element::Element;
use crate::pipeline::{self, Kernel};
use crate::stencil::error::StencilError;
use crate::stencil::plan::{Job, Plan};
use crate::stencil::shape::Coefficients;

/// A stencil compiled for a device and a grid.
#[derive(Debug)]
pub struct Jacobi {
    job: Job,
    plan: Plan,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    params: Buffer,
    coefficients: Buffer,
}

impl Jacobi {
    /// Compiles the kernel of a job. Cost: one compute pipeline and two small buffers. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// A limit or a feature that the device lacks; see [`Job::plan`].
    pub fn new(device: &Device, job: Job, coefficients: Coefficients) -> Result<Self, StencilError> {
        let plan = job.plan(device.features(), &device.limits())?;
        let label = format!("halofold::stencil::{}", job.variant.name);
        let (pipeline, layout) = pipeline::compile(
            device,
            Kernel {
                label: &label,
                wgsl: job.compose(),
                entry_point: "main",
                slots: &[0, 1, 2, 3],
                overrides: &job.overrides(),
                cache: None,
            },
        );
        let params = small(
            device,
            "halofold::stencil::params",
            bytemuck::bytes_of(&plan.params),
            BufferUsages::UNIFORM,
        );
        let coefficients = weights(device, job.element, coefficients);
        Ok(Jacobi { job, plan, pipeline, layout, params, coefficients })
    }

    /// What was compiled.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The dispatch of one step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The same kernel with other weights, without compiling it again.
    pub fn reweighted(&self, device: &Device, coefficients: Coefficients) -> Self {
        Jacobi {
            job: self.job,
            plan: self.plan,
            pipeline: self.pipeline.clone(),
            layout: self.layout.clone(),
            params: self.params.clone(),
            coefficients: weights(device, self.job.element, coefficients),
        }
    }

    /// Binds two buffers, once: step after step reads one and writes the other, `first` being read first.
    ///
    /// Fixed cells are never written, so both buffers must hold them from the start: copy `first` to `second` once.
    ///
    /// # Errors
    ///
    /// A buffer that is too short or lacks [`BufferUsages::STORAGE`], or one buffer for both.
    pub fn prepare(&self, device: &Device, first: &Buffer, second: &Buffer) -> Result<Stepper, StencilError> {
        let needed = self.job.bytes();
        for (role, buffer) in [("first", first), ("second", second)] {
            if !buffer.usage().contains(BufferUsages::STORAGE) || buffer.size() < needed {
                return Err(StencilError::Buffer {
                    role,
                    usage: BufferUsages::STORAGE,
                    needed,
                    size: buffer.size(),
                });
            }
        }
        if first == second {
            return Err(StencilError::Aliased);
        }
        let bindings = [(first, second), (second, first)].map(|(source, result)| {
            let resources = [
                self.cells(source),
                self.cells(result),
                self.params.as_entire_binding(),
                self.coefficients.as_entire_binding(),
            ];
            let entries: Vec<_> = (0..)
                .zip(resources)
                .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
                .collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("halofold::stencil::bindings"),
                layout: &self.layout,
                entries: &entries,
            })
        });
        Ok(Stepper { pipeline: self.pipeline.clone(), bindings, workgroups: self.plan.workgroups })
    }

    /// A buffer's cells as a binding: no more of it, in whole words.
    fn cells<'a>(&self, buffer: &'a Buffer) -> wgpu::BindingResource<'a> {
        let size = NonZeroU64::new(self.job.bytes().next_multiple_of(4).min(buffer.size()));
        wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset: 0, size })
    }
}

/// A stencil with its buffers, ready to be recorded again and again.
#[derive(Debug)]
pub struct Stepper {
    pipeline: wgpu::ComputePipeline,
    bindings: [wgpu::BindGroup; 2],
    workgroups: [u32; 2],
}

impl Stepper {
    /// Records `steps` steps into the caller's pass, the first of which reads the first buffer. After an even
    /// number the result is in the first buffer, after an odd one in the second. halofold itself allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        pass.set_pipeline(&self.pipeline);
        for step in 0..steps as usize {
            pass.set_bind_group(0, &self.bindings[step % 2], &[]);
            pass.dispatch_workgroups(self.workgroups[0], self.workgroups[1], 1);
        }
    }

    /// The same in a pass of its own.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        let descriptor =
            wgpu::ComputePassDescriptor { label: Some("halofold::stencil"), timestamp_writes: None };
        self.encode_in_pass(&mut encoder.begin_compute_pass(&descriptor), steps);
    }
}

/// A buffer of a few bytes that never change.
fn small(device: &Device, label: &str, contents: &[u8], usage: BufferUsages) -> Buffer {
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor { label: Some(label), contents, usage })
}

/// The weights on the GPU.
fn weights(device: &Device, element: Element, coefficients: Coefficients) -> Buffer {
    let bytes = in_element(element, coefficients);
    small(device, "halofold::stencil::coefficients", &bytes, BufferUsages::STORAGE)
}

/// The weights as the kernel reads them.
fn in_element(element: Element, Coefficients(weights): Coefficients) -> Vec<u8> {
    weights
        .iter()
        .flat_map(|&weight| match element {
            Element::F16 => half::f16::from_f64(weight).to_le_bytes().to_vec(),
            Element::F64 => weight.to_le_bytes().to_vec(),
            _ => (weight as f32).to_le_bytes().to_vec(),
        })
        .collect()
}
