//! Recording a plan: compiled pipelines, prepared bindings, dispatches on the caller's encoder or pass.

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::binding::{self, Use, slice};
use crate::dispatch::{self, Dispatch, Recorder};
use crate::pipeline::{self, Checks, Kernel};
use crate::reduce::catalogue::Finish;
use crate::reduce::error::ReduceError;
use crate::reduce::plan::{From, Job, Params, Plan, Stage, To};

/// The elements to reduce, or the keys to count: `len` of them, from byte `offset` on.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// A buffer with [`BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// Where the elements start, in bytes from the buffer's start: a multiple of the element's size.
    pub offset: u64,
    /// How many there are, in elements; 0 is fine.
    pub len: u64,
}

/// Where results go: what they are, and how many bytes they take, says whoever takes an output.
///
/// A [`Reduction`] writes one accumulator, or [`Plan::left`] of them if the host finishes, a
/// [`Reducer`](crate::reducer::Reducer) the bytes of [`its plan`](field@crate::reducer::Plan::output), a
/// [`Histogram`](crate::histogram::Histogram) a `u32` a bin.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// A buffer with [`BufferUsages::STORAGE`].
    pub buffer: &'a Buffer,
    /// Where results start, in bytes from the buffer's start: a multiple of `min_storage_buffer_offset_alignment`.
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
        let buffer = |name: &str, size| binding::scratch(device, &format!("halofold::reduce::{name}"), size);
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
        for (role, needed, buffer) in needs {
            binding::room(role, buffer, needed)?;
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
        let params = binding::blocks(plan.passes.iter().map(|pass| &pass.params));
        let params = binding::filled(device, "halofold::reduce::params", &params, BufferUsages::UNIFORM);
        let mut passes = Vec::with_capacity(plan.passes.len());
        for (index, pass) in plan.passes.iter().enumerate() {
            let compiled = self.stage(pass.stage);
            let resource = |slot: u32| match slot {
                0 => read_binding(pass.from, &input, workspace),
                3 => self.vector_binding(pass.from, &input, workspace),
                2 => binding::block::<Params>(&params, binding::block_offset(index)),
                1 => match pass.to {
                    To::Output { offset, size } => slice(output.buffer, output.offset + offset, size),
                    To::Scratch { buffer, offset, size } => slice(&workspace.scratch[buffer], offset, size),
                },
                _ if self.job.finish == Finish::Atomic => slice(output.buffer, output.offset, plan.output),
                _ => workspace.board.as_entire_binding(),
            };
            let resources = compiled.bindings.iter().map(|&slot| (slot, resource(slot)));
            passes.push(Dispatch {
                pipeline: compiled.pipeline.clone(),
                bindings: binding::bind(device, "halofold::reduce::bindings", &compiled.layout, resources),
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
    ) -> BindingResource<'a> {
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
        let bytes = input.len.saturating_mul(self.job.accumulator.element.size());
        let mut read = Use::of("input", input.buffer, input.offset, bytes);
        if input.len > 0 {
            // Bindings are whole words: an odd number of 16-bit elements needs the rest of the last one.
            read.end = read.end.next_multiple_of(4);
        }
        let written = Use::of("output", output.buffer, output.offset, plan.output);
        read.check()?;
        written.check()?;
        written.aligned(&self.limits)?;
        Ok(read.apart(&written)?)
    }
}

/// A reduction with its buffers, ready to be recorded again and again.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    passes: Vec<Dispatch>,
    label: String,
}

impl Prepared {
    /// The plan that recording carries out.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a pass of its own.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_in_pass(&mut dispatch::begin(encoder, &self.label));
    }

    /// Records into the caller's pass. Changes its pipeline and bind group 0; halofold itself allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        Recorder::new(pass).record(&self.passes);
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
fn read_binding<'a>(from: From, input: &Input<'a>, workspace: &'a Workspace) -> BindingResource<'a> {
    match from {
        From::Input { offset, size } => slice(input.buffer, offset, size),
        From::Scratch { buffer, offset, size } => slice(&workspace.scratch[buffer], offset, size),
        From::Nothing => workspace.nothing.as_entire_binding(),
    }
}
