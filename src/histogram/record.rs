//! Recording a plan: compiled pipelines, prepared bindings, dispatches on the caller's encoder or pass.

use std::num::NonZeroU64;

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferUsages, Device};

use crate::histogram::error::HistogramError;
use crate::histogram::job::Job;
use crate::histogram::keys::{Keys, order};
use crate::histogram::plan::{Params, Pass, Plan, Step};
use crate::pipeline;
use crate::reduce::{Input, Output};
use crate::reducer::{Bytes, Extent};

/// Distance between the parameters of two dispatches: the largest alignment a device may ask for.
const PARAMS_STRIDE: u64 = 256;

/// Bytes of a vector of keys.
const VECTOR: u64 = 16;

/// A histogram, compiled for a device.
#[derive(Debug)]
pub struct Histogram {
    job: Job,
    limits: wgpu::Limits,
    steps: Vec<Compiled>,
    /// The first and the last float of each bin, in the order of floats; of no use where keys are numbers.
    borders: Buffer,
    /// Bound where a window is too short to be read as vectors.
    nothing: Buffer,
}

#[derive(Debug)]
struct Compiled {
    step: Step,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
}

impl Histogram {
    /// Compiles a histogram that clears its output first. Cost: two compute pipelines, and for [`Keys::Ranges`] a
    /// buffer of eight bytes a bin. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub fn new(device: &Device, keys: Keys, bins: u32) -> Result<Self, HistogramError> {
        Self::with_job(device, Job::new(keys, bins, &device.limits()), None)
    }

    /// The same for a job that says whether counts are added, and how it is run.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub fn with_job(
        device: &Device,
        job: Job,
        cache: Option<&wgpu::PipelineCache>,
    ) -> Result<Self, HistogramError> {
        Self::compile(device, job, cache, pipeline::Checks::On)
    }

    /// The same without the checks that wgpu adds to shaders: no clamping of indices, no bounds on loops.
    ///
    /// # Safety
    ///
    /// The caller takes halofold's word that the kernels stay inside of their buffers, whatever the keys are, and end: nothing
    /// else makes sure of it then.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub unsafe fn unchecked(
        device: &Device,
        job: Job,
        cache: Option<&wgpu::PipelineCache>,
    ) -> Result<Self, HistogramError> {
        Self::compile(device, job, cache, pipeline::Checks::Off)
    }

    fn compile(
        device: &Device,
        job: Job,
        cache: Option<&wgpu::PipelineCache>,
        checks: pipeline::Checks,
    ) -> Result<Self, HistogramError> {
        let limits = device.limits();
        job.check(&limits)?;
        let wanted = if job.add { &[Step::Count][..] } else { &[Step::Clear, Step::Count] };
        let compiled = |step: Step| {
            let kernel = pipeline::Kernel {
                label: &format!("halofold::histogram::{step:?}"),
                wgsl: job.compose(step),
                entry_point: "main",
                slots: job.slots(step),
                overrides: &job.overrides(step),
                cache,
                checks,
            };
            let (pipeline, layout) = pipeline::compile(device, kernel);
            Compiled { step, pipeline, layout }
        };
        Ok(Histogram {
            job,
            limits,
            steps: wanted.iter().copied().map(compiled).collect(),
            borders: filled(device, "borders", BufferUsages::STORAGE, &borders(&job)),
            nothing: filled(device, "nothing", BufferUsages::STORAGE, &[0; 32]),
        })
    }

    /// What it was compiled for.
    pub fn job(&self) -> Job {
        self.job
    }

    /// The dispatches over the keys of one range of a buffer.
    ///
    /// # Errors
    ///
    /// Those of [`Job::plan`].
    pub fn plan(&self, input: Extent) -> Result<Plan, HistogramError> {
        self.job.plan(input, &self.limits)
    }

    /// Binds buffers, once; what comes back can be recorded any number of times.
    ///
    /// The output is one `u32` a bin. Allocates one small uniform buffer and a bind group per dispatch. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// Those of [`Job::plan`]; a buffer that is too short, lacks [`BufferUsages::STORAGE`], starts in the wrong place or is
    /// both input and output.
    pub fn prepare(
        &self,
        device: &Device,
        input: Input<'_>,
        output: Output<'_>,
    ) -> Result<Prepared, HistogramError> {
        let plan = self.plan(Extent { offset: input.offset, len: input.len })?;
        self.check(&plan, input, output)?;
        let params = filled(device, "params", BufferUsages::UNIFORM, &parameters(&plan));
        let recorded = |(index, pass): (usize, &Pass)| {
            let compiled = self.step(pass.step);
            let bound = Bound { histogram: self, input, output, params: &params, index, pass };
            let entry = |&slot| wgpu::BindGroupEntry { binding: slot, resource: bound.slot(slot) };
            let entries: Vec<_> = self.job.slots(pass.step).iter().map(entry).collect();
            Recorded {
                pipeline: compiled.pipeline.clone(),
                bindings: device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("halofold::histogram::bindings"),
                    layout: &compiled.layout,
                    entries: &entries,
                }),
                grid: pass.grid,
            }
        };
        let passes = plan.passes.iter().enumerate().map(recorded).collect();
        Ok(Prepared { plan, passes })
    }

    fn step(&self, step: Step) -> &Compiled {
        let found = self.steps.iter().find(|compiled| compiled.step == step);
        found.expect("a plan has only the steps that its histogram compiles")
    }

    fn check(&self, plan: &Plan, input: Input<'_>, output: Output<'_>) -> Result<(), HistogramError> {
        let ends = [
            ("input", input.buffer, input.offset, 4 * input.len),
            ("output", output.buffer, output.offset, plan.output),
        ];
        for (role, buffer, start, bytes) in ends {
            if !buffer.usage().contains(BufferUsages::STORAGE) {
                return Err(HistogramError::Usage { role, usage: BufferUsages::STORAGE });
            }
            let end = start.saturating_add(bytes);
            if end > buffer.size() {
                return Err(HistogramError::TooShort { role, start, end, size: buffer.size() });
            }
        }
        if input.buffer == output.buffer {
            return Err(HistogramError::Aliased);
        }
        let align = self.limits.min_storage_buffer_offset_alignment;
        if !output.offset.is_multiple_of(u64::from(align)) {
            return Err(HistogramError::Offset { offset: output.offset, align });
        }
        Ok(())
    }
}

/// The buffers of one dispatch.
struct Bound<'a> {
    histogram: &'a Histogram,
    input: Input<'a>,
    output: Output<'a>,
    params: &'a Buffer,
    /// The number of the dispatch in its plan.
    index: usize,
    pass: &'a Pass,
}

impl<'a> Bound<'a> {
    /// What a slot of group 0 is bound to.
    fn slot(&self, slot: u32) -> wgpu::BindingResource<'a> {
        match slot {
            1 => {
                let size = self.histogram.job.output();
                slice(self.output.buffer, Bytes { offset: self.output.offset, size })
            }
            2 => {
                let offset = self.index as u64 * PARAMS_STRIDE;
                slice(self.params, Bytes { offset, size: size_of::<Params>() as u64 })
            }
            5 => self.histogram.borders.as_entire_binding(),
            // Too few bytes for one vector are never read as such.
            3 => self.keys(VECTOR),
            _ => self.keys(0),
        }
    }

    /// The window, if it has so many bytes.
    fn keys(&self, least: u64) -> wgpu::BindingResource<'a> {
        match self.pass.from {
            Some(bytes) if bytes.size >= least => slice(self.input.buffer, bytes),
            _ => self.histogram.nothing.as_entire_binding(),
        }
    }
}

/// The parameters of all dispatches of a plan.
fn parameters(plan: &Plan) -> Vec<u32> {
    let stride = PARAMS_STRIDE as usize / 4;
    let mut words = vec![0; plan.passes.len().max(1) * stride];
    for (slot, pass) in words.chunks_exact_mut(stride).zip(&plan.passes) {
        let params = [pass.params];
        let params: &[u32] = bytemuck::cast_slice(&params);
        slot[..params.len()].copy_from_slice(params);
    }
    words
}

/// Each bin's first and last float, in the order of floats; one pair of no meaning where keys are numbers.
fn borders(job: &Job) -> Vec<u32> {
    let Some(borders) = job.keys.borders(job.bins) else { return vec![0; 2] };
    let order: Vec<_> = borders.iter().map(|border| order(*border)).collect();
    let mut pairs: Vec<_> = order.windows(2).flat_map(|pair| [pair[0], pair[1] - 1]).collect();
    // The last bin holds its upper border.
    if let Some(last) = pairs.last_mut() {
        *last += 1;
    }
    pairs
}

fn filled(device: &Device, name: &str, usage: BufferUsages, words: &[u32]) -> Buffer {
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some(&format!("halofold::histogram::{name}")),
        contents: bytemuck::cast_slice(words),
        usage,
    })
}

fn slice(buffer: &Buffer, Bytes { offset, size }: Bytes) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(size) })
}

/// A histogram with its buffers, ready to be recorded again and again.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    passes: Vec<Recorded>,
}

#[derive(Debug)]
struct Recorded {
    pipeline: wgpu::ComputePipeline,
    bindings: wgpu::BindGroup,
    grid: [u32; 2],
}

impl Prepared {
    /// The plan that recording carries out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a pass of its own.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("halofold::histogram"),
            timestamp_writes: None,
        });
        self.encode_in_pass(&mut pass);
    }

    /// Records into the caller's pass. Changes its pipeline and bind group 0; halofold itself allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        for recorded in &self.passes {
            pass.set_pipeline(&recorded.pipeline);
            pass.set_bind_group(0, &recorded.bindings, &[]);
            pass.dispatch_workgroups(recorded.grid[0], recorded.grid[1], 1);
        }
    }
}
