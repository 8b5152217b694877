//! Recording a plan: compiled pipelines, prepared bindings, dispatches on the caller's encoder or pass.

use std::num::NonZeroU64;

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferUsages, Device};

use crate::pipeline::{self, Checks, Kernel};
use crate::reduce::catalogue::Finish;
use crate::reduce::error::ReduceError;
use crate::reduce::plan::{From, Job, Params, Plan, Stage, To};

/// Distance between the parameters of two dispatches: the largest alignment a device may ask for.
const PARAMS_STRIDE: u64 = 256;

/// The elements to reduce: `len` of them, from byte `offset` on.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// A buffer with [`BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// Where the elements start, in bytes: a multiple of the element's size.
    pub offset: u64,
    /// How many there are.
    pub len: u64,
}

/// Where the result goes: one accumulator, or [`Plan::left`] of them if the host finishes.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// A buffer with [`BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// Where the result starts, in bytes: a multiple of `min_storage_buffer_offset_alignment`.
    pub offset: u64,
}

/// Scratch memory, which reductions recorded one after the other may share.
#[derive(Clone, Debug)]
pub struct Workspace {
    scratch: [Buffer; 2],
    board: Buffer,
    /// Bound where a kernel declares an input that it will not read.
    nothing: Buffer,
}

impl Workspace {
    /// Allocates what a plan needs.
    pub fn new(device: &Device, plan: &Plan) -> Self {
        let buffer = |name: &str, size: u64| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&format!("halofold::reduce::{name}")),
                // A binding is never empty.
                size: size.max(32),
                usage: BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        Workspace {
            scratch: [buffer("scratch0", plan.scratch[0]), buffer("scratch1", plan.scratch[1])],
            board: buffer("board", plan.board),
            nothing: buffer("nothing", 0),
        }
    }

    /// Bytes allocated.
    pub fn size(&self) -> u64 {
        self.scratch[0].size() + self.scratch[1].size() + self.board.size()
    }

    fn check(&self, plan: &Plan) -> Result<(), ReduceError> {
        let needs = [
            ("first scratch buffer", plan.scratch[0], &self.scratch[0]),
            ("second scratch buffer", plan.scratch[1], &self.scratch[1]),
            ("notice board", plan.board, &self.board),
        ];
        for (role, end, buffer) in needs {
            if end > buffer.size() {
                return Err(ReduceError::TooShort { role, start: 0, end, size: buffer.size() });
            }
        }
        Ok(())
    }
}

/// One rung for one operator and element type, compiled for a device.
#[derive(Debug)]
pub struct Reduction {
    job: Job,
    limits: wgpu::Limits,
    stages: Vec<(Stage, Compiled)>,
}

#[derive(Clone, Debug)]
struct Compiled {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    bindings: &'static [u32],
}

impl Reduction {
    /// Compiles the kernels of a job.
    ///
    /// Cost: two compute pipelines, up to four for an atomic rung. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// A limit or a feature that the device lacks; see [`Job::check`] and [`Job::supported_by`].
    pub fn new(device: &Device, job: Job) -> Result<Self, ReduceError> {
        Self::with_cache(device, job, None)
    }

    /// The same, through a pipeline cache of the caller's.
    ///
    /// # Errors
    ///
    /// As [`Reduction::new`].
    pub fn with_cache(
        device: &Device,
        job: Job,
        cache: Option<&wgpu::PipelineCache>,
    ) -> Result<Self, ReduceError> {
        let limits = device.limits();
        let features = device.features();
        job.check(&limits)?;
        job.supported_by(features)?;
        let compile = |stage: &Stage| (*stage, compile(device, &job, *stage, cache));
        Ok(Reduction { job, limits, stages: job.stages().iter().map(compile).collect() })
    }

    /// What was compiled.
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// The dispatches for `len` elements that start `offset` bytes into a buffer.
    ///
    /// # Errors
    ///
    /// See [`Job::plan`].
    pub fn plan(&self, offset: u64, len: u64) -> Result<Plan, ReduceError> {
        Ok(self.job.plan(offset, len, &self.limits)?)
    }

    /// Binds buffers to a plan, once; what comes back can be recorded any number of times.
    ///
    /// Allocates one small uniform buffer and a bind group per dispatch. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// A buffer that is too short, lacks [`BufferUsages::STORAGE`], starts in the wrong place or is used twice.
    pub fn prepare(
        &self,
        device: &Device,
        input: Input<'_>,
        output: Output<'_>,
        workspace: &Workspace,
    ) -> Result<Prepared, ReduceError> {
        let plan = self.plan(input.offset, input.len)?;
        self.check(&plan, &input, &output)?;
        workspace.check(&plan)?;
        log::debug!(
            "{}: {} elements in {} dispatches, {} accumulators left",
            self.job.rung.name,
            input.len,
            plan.passes.len(),
            plan.left
        );
        let params = self.parameters(device, &plan);
        let mut passes = Vec::with_capacity(plan.passes.len());
        for (index, pass) in plan.passes.iter().enumerate() {
            let compiled = self.stage(pass.stage);
            let binding = |slot: u32| match slot {
                0 => read_binding(pass.from, &input, workspace),
                3 => self.vector_binding(pass.from, &input, workspace),
                2 => slice(&params, index as u64 * PARAMS_STRIDE, size_of::<Params>() as u64),
                1 => match pass.to {
                    To::Output { offset, size } => slice(output.buffer, output.offset + offset, size),
                    To::Scratch { buffer, offset, size } => slice(&workspace.scratch[buffer], offset, size),
                },
                _ if self.job.finish == Finish::Atomic => slice(output.buffer, output.offset, plan.output),
                _ => workspace.board.as_entire_binding(),
            };
            let entries: Vec<_> = compiled
                .bindings
                .iter()
                .map(|&slot| wgpu::BindGroupEntry { binding: slot, resource: binding(slot) })
                .collect();
            passes.push(Recorded {
                pipeline: compiled.pipeline.clone(),
                bindings: device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("halofold::reduce::bindings"),
                    layout: &compiled.layout,
                    entries: &entries,
                }),
                grid: pass.grid,
            });
        }
        Ok(Prepared { plan, passes, label: format!("halofold::reduce::{}", self.job.rung.name) })
    }

    /// The same bytes as vectors. Too few for one vector are never read as such.
    fn vector_binding<'a>(
        &self,
        from: From,
        input: &Input<'a>,
        workspace: &'a Workspace,
    ) -> wgpu::BindingResource<'a> {
        match from {
            From::Input { size, .. } if size < 4 * self.job.accumulator.element.size() => {
                read_binding(From::Nothing, input, workspace)
            }
            from => read_binding(from, input, workspace),
        }
    }

    fn stage(&self, stage: Stage) -> &Compiled {
        let found = self.stages.iter().find(|(compiled, _)| *compiled == stage);
        &found.expect("a plan has only the stages that its job compiles").1
    }

    fn check(&self, plan: &Plan, input: &Input<'_>, output: &Output<'_>) -> Result<(), ReduceError> {
        let align = self.limits.min_storage_buffer_offset_alignment;
        let bytes = input.len.saturating_mul(self.job.accumulator.element.size());
        let end = input.offset.saturating_add(bytes);
        // Bindings are whole words: an odd number of 16-bit elements needs the rest of the last one.
        let bound = end.next_multiple_of(4);
        for (role, buffer, start, end) in [
            ("input", input.buffer, input.offset, if input.len == 0 { end } else { bound }),
            ("output", output.buffer, output.offset, output.offset.saturating_add(plan.output)),
        ] {
            if !buffer.usage().contains(BufferUsages::STORAGE) {
                return Err(ReduceError::Usage { role, usage: BufferUsages::STORAGE });
            }
            if end > buffer.size() {
                return Err(ReduceError::TooShort { role, start, end, size: buffer.size() });
            }
        }
        if !output.offset.is_multiple_of(u64::from(align)) {
            return Err(ReduceError::Offset { role: "output", offset: output.offset, align });
        }
        if input.buffer == output.buffer {
            return Err(ReduceError::Aliased { first: "input", second: "output" });
        }
        Ok(())
    }

    fn parameters(&self, device: &Device, plan: &Plan) -> Buffer {
        let mut bytes = vec![0; plan.passes.len() * PARAMS_STRIDE as usize];
        for (slot, pass) in bytes.chunks_exact_mut(PARAMS_STRIDE as usize).zip(&plan.passes) {
            slot[..size_of::<Params>()].copy_from_slice(bytemuck::bytes_of(&pass.params));
        }
        device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
            label: Some("halofold::reduce::params"),
            contents: &bytes,
            usage: BufferUsages::UNIFORM,
        })
    }
}

/// A reduction with its buffers, ready to be recorded again and again.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    passes: Vec<Recorded>,
    label: String,
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
            label: Some(&self.label),
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

/// The slots of group 0 that a stage's module declares: see `shaders/shared/`.
fn bindings(job: &Job, stage: Stage) -> &'static [u32] {
    match (stage, job.finish) {
        (Stage::Seed | Stage::Seal, _) => &[2, 4],
        (_, Finish::Atomic) => &[0, 2, 4],
        (_, Finish::LastWorkgroup) => &[0, 1, 2, 3, 4],
        (Stage::Elements, _) if job.rung.reads_vectors() => &[0, 1, 2, 3],
        _ => &[0, 1, 2],
    }
}

fn compile(device: &Device, job: &Job, stage: Stage, cache: Option<&wgpu::PipelineCache>) -> Compiled {
    let label = format!("halofold::reduce::{}::{}::{stage:?}", job.rung.name, job.accumulator.operator);
    let bindings = bindings(job, stage);
    let (pipeline, layout) = pipeline::compile(
        device,
        Kernel {
            label: &label,
            wgsl: job.compose(stage, device.features()),
            entry_point: stage.entry_point(),
            slots: bindings,
            overrides: &job.overrides(stage),
            cache,
            checks: Checks::On,
        },
    );
    Compiled { pipeline, layout, bindings }
}

/// What a dispatch reads.
fn read_binding<'a>(from: From, input: &Input<'a>, workspace: &'a Workspace) -> wgpu::BindingResource<'a> {
    match from {
        From::Input { offset, size } => slice(input.buffer, offset, size),
        From::Scratch { buffer, offset, size } => slice(&workspace.scratch[buffer], offset, size),
        From::Nothing => workspace.nothing.as_entire_binding(),
    }
}

fn slice(buffer: &Buffer, offset: u64, size: u64) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(size) })
}
