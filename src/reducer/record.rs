//! Recording a plan: compiled pipelines, prepared bindings, dispatches on the caller's encoder or pass.

use std::sync::OnceLock;

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::binding::{self, Use, slice};
use crate::dispatch::{self, Dispatch, Recorder};
use crate::pipeline;
use crate::reduce::{Input, Output, Params};
use crate::reducer::compose::Kernel;
use crate::reducer::error::ReducerError;
use crate::reducer::length::Length;
use crate::reducer::monoid::Monoid;
use crate::reducer::plan::{Bytes, Extent, From, Pass, Plan, Request, Step, To};
use crate::reducer::shape::{Form, Shape};
use crate::reducer::source::Source;

/// What a list of offsets is called.
const OFFSETS: &str = "list of offsets";

/// How a reducer is compiled. Start with [`Options::default`], which is what [`Reducer::new`] takes, and change what you like.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options<'a> {
    /// Whether subgroup operations may be used: `true` by default. They are where the device has [`wgpu::Features::SUBGROUP`] and
    /// the accumulator is one word of 32 bits. Float sums may have other last bits with than without.
    pub subgroups: bool,
    /// A pipeline cache of the caller's: `None` by default.
    pub cache: Option<&'a wgpu::PipelineCache>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { subgroups: true, cache: None }
    }
}

/// Scratch memory, which reductions recorded one after the other may share, in one pass, one encoder or several: any
/// operators, forms and shapes, on one device. A clone is the same memory.
///
/// It needs no clearing: wgpu zeroes new buffers, which is all that the ticket counter at the start of the notice board asks
/// for, and each reduction puts the counter back. Whatever else an earlier reduction left is written before it is read.
#[derive(Clone, Debug)]
pub struct Workspace {
    scratch: Buffer,
    board: Buffer,
    marks: Buffer,
    /// Bound where a kernel declares an input that it will not read.
    nothing: Buffer,
}

impl Workspace {
    /// Allocates what a plan needs: four buffers on the GPU, of at least 128 bytes each.
    ///
    /// Every plan that needs no more memory may use it; for one that needs more, [`Reducer::prepare`] answers
    /// [`BufferError::TooShort`](crate::BufferError::TooShort).
    pub fn new(device: &Device, plan: &Plan) -> Self {
        Self::for_plans(device, [plan])
    }

    /// Allocates what suffices for each of some plans, one at a time: the largest of each kind of memory, not the sum.
    pub fn for_plans<'a>(device: &Device, plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        let needs = |[scratch, board, marks]: [u64; 3], plan: &Plan| {
            [scratch.max(plan.scratch), board.max(plan.board), marks.max(plan.marks)]
        };
        let [scratch, board, marks] = plans.into_iter().fold([0; 3], needs);
        let buffer = |name: &str, size: u64| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&format!("halofold::reducer::{name}")),
                // A binding is never empty.
                size: size.max(128),
                usage: BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        Workspace {
            scratch: buffer("scratch", scratch),
            board: buffer("board", board),
            marks: buffer("marks", marks),
            nothing: buffer("nothing", 0),
        }
    }

    /// Bytes allocated on the GPU.
    pub fn size(&self) -> u64 {
        self.scratch.size() + self.board.size() + self.marks.size() + self.nothing.size()
    }
}

/// One operator, compiled for a device and a form of shapes. Inputs of any length use the same pipelines.
///
/// `Send` and `Sync`. It may be dropped when everything is prepared.
#[derive(Debug)]
pub struct Reducer {
    monoid: Monoid,
    form: Form,
    limits: wgpu::Limits,
    steps: Vec<Compiled>,
    cache: Option<wgpu::PipelineCache>,
    checks: pipeline::Checks,
    /// For a length that the GPU knows: compiled when one is first given.
    length: OnceLock<Length>,
}

#[derive(Debug)]
struct Compiled {
    step: Step,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    slots: Vec<u32>,
}

impl Reducer {
    /// Compiles the kernels of an operator. Cost: up to four compute pipelines, for which it blocks. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// A feature that the device lacks, fewer storage buffers in a shader than a kernel has, a custom operator whose names
    /// collide with halofold's, or [`Form::Accumulate`] for an operator that does not go with it.
    pub fn new(device: &Device, monoid: Monoid, form: Form) -> Result<Self, ReducerError> {
        Self::with_options(device, monoid, form, Options::default())
    }

    /// The same with options.
    ///
    /// # Errors
    ///
    /// As [`Reducer::new`].
    pub fn with_options(
        device: &Device,
        monoid: Monoid,
        form: Form,
        options: Options<'_>,
    ) -> Result<Self, ReducerError> {
        Self::compile(device, monoid, form, options, pipeline::Checks::On)
    }

    /// The same without the checks that wgpu adds to shaders: no clamping of indices, no bounds on loops.
    ///
    /// # Safety
    ///
    /// halofold's own kernels stay inside of their buffers and end. A custom operator's `map`, `combine` and `finish` must,
    /// too: they may not index out of bounds nor loop without end.
    ///
    /// # Errors
    ///
    /// As [`Reducer::new`].
    pub unsafe fn unchecked(
        device: &Device,
        monoid: Monoid,
        form: Form,
        options: Options<'_>,
    ) -> Result<Self, ReducerError> {
        Self::compile(device, monoid, form, options, pipeline::Checks::Off)
    }

    fn compile(
        device: &Device,
        monoid: Monoid,
        form: Form,
        options: Options<'_>,
        checks: pipeline::Checks,
    ) -> Result<Self, ReducerError> {
        let limits = device.limits();
        let besides = match form {
            Form::Accumulate => monoid.accumulates().ok_or_else(|| ReducerError::no_atomic(&monoid))?,
            _ => wgpu::Features::empty(),
        };
        let missing = (monoid.features() | besides) - device.features();
        if !missing.is_empty() {
            let (name, element) = (monoid.name().to_owned(), monoid.element());
            return Err(ReducerError::MissingFeature { name, element, feature: missing });
        }
        let subgroups = options.subgroups && device.features().contains(wgpu::Features::SUBGROUP);
        let request = Request { monoid: &monoid, form, limits: &limits };
        let mut steps = Vec::new();
        for step in request.steps() {
            let kernel = Kernel { monoid: &monoid, step, subgroups };
            let size = request.invocations(step);
            let slots = kernel.slots();
            check_bindings(&monoid, &slots, &limits)?;
            let (pipeline, layout) = pipeline::compile(
                device,
                pipeline::Kernel {
                    label: &format!("halofold::reducer::{}::{step:?}", monoid.name()),
                    wgsl: kernel.checked()?,
                    entry_point: "main",
                    slots: &slots,
                    overrides: &[("WG", f64::from(size))],
                    cache: options.cache,
                    checks,
                },
            );
            steps.push(Compiled { step, pipeline, layout, slots });
        }
        let cache = options.cache.cloned();
        Ok(Reducer { monoid, form, limits, steps, cache, checks, length: OnceLock::new() })
    }

    /// The operator.
    pub fn monoid(&self) -> &Monoid {
        &self.monoid
    }

    /// The shapes it is compiled for.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The dispatches for a shape over inputs of these lengths: what a [`Workspace`] is made from. Pure, as [`Plan::of`].
    ///
    /// # Errors
    ///
    /// A shape of another form, and those of [`Plan::of`].
    pub fn plan(&self, shape: Shape, parts: &[Extent], second: Option<Extent>) -> Result<Plan, ReducerError> {
        Request { monoid: &self.monoid, form: self.form, limits: &self.limits }.plan(shape, parts, second)
    }

    /// Binds buffers to a plan, once; what comes back can be recorded any number of times.
    ///
    /// It plans anew, for the lengths that `source` says. The output starts at a multiple of
    /// `min_storage_buffer_offset_alignment` bytes and takes [`Plan::output`] bytes; inputs start at any element.
    ///
    /// Allocates a small uniform buffer (three small buffers with [`Source::with_count`], which the first time also compiles a small
    /// pipeline) and a bind group per dispatch. Nothing is submitted, and no buffer is read or written yet.
    ///
    /// # Errors
    ///
    /// Those of [`Reducer::plan`]; offsets or a count that the shape does not take, or lacks; a buffer that is too short, lacks
    /// [`BufferUsages::STORAGE`], starts in the wrong place or is read and written; a workspace that is too small.
    pub fn prepare(
        &self,
        device: &Device,
        source: Source<'_>,
        shape: Shape,
        output: Output<'_>,
        workspace: &Workspace,
    ) -> Result<Prepared, ReducerError> {
        let (parts, second) = source.extents();
        let plan = self.plan(shape, &parts, second)?;
        if source.offsets.is_some() != matches!(shape, Shape::Offsets { .. }) {
            return Err(ReducerError::Offsets(shape));
        }
        let takes_count = matches!(self.form, Form::Whole | Form::Accumulate | Form::Strided);
        if source.count.is_some() && !takes_count {
            return Err(ReducerError::Count(shape));
        }
        self.check(&plan, &source, &output, workspace)?;
        let (params, prologue) = self.parameters(device, &plan, &source);
        let vector = 4 * self.monoid.element().size();
        let bound = Bound { plan: &plan, source, output, workspace, params: &params, vector };
        let passes = plan.passes.iter().enumerate().map(|(index, pass)| {
            let compiled = self.step(pass.step);
            let resources = compiled.slots.iter().map(|&slot| (slot, bound.slot(slot, index, pass)));
            Dispatch {
                pipeline: compiled.pipeline.clone(),
                bindings: binding::bind(device, "halofold::reducer::bindings", &compiled.layout, resources),
                grid: pass.grid,
            }
        });
        let passes = prologue.into_iter().chain(passes).collect();
        Ok(Prepared { plan, passes, label: format!("halofold::reducer::{}", self.monoid.name()) })
    }

    fn step(&self, step: Step) -> &Compiled {
        let found = self.steps.iter().find(|compiled| compiled.step == step);
        found.expect("a plan has only the steps that its reducer compiles")
    }

    fn check(
        &self,
        plan: &Plan,
        source: &Source<'_>,
        output: &Output<'_>,
        workspace: &Workspace,
    ) -> Result<(), ReducerError> {
        let written = Use::of("output", output.buffer, output.offset, plan.output);
        written.check()?;
        written.aligned(&self.limits)?;
        for read in reads(plan, source) {
            read.check()?;
            read.apart(&written)?;
        }
        if let Some(list) = source.offsets {
            Use::of(OFFSETS, list.buffer, list.offset, 0).aligned(&self.limits)?;
        }
        if let Some(count) = source.count {
            if !count.offset.is_multiple_of(4) {
                return Err(ReducerError::Misaligned { offset: count.offset, size: 4 });
            }
            // Read before anything is written: the output may lie in the same buffer.
            Use::of("count", count.buffer, count.offset, 4).check()?;
        }
        binding::room("scratch memory", &workspace.scratch, plan.scratch)?;
        binding::room("notice board", &workspace.board, plan.board)?;
        Ok(binding::room("buffer of marks", &workspace.marks, plan.marks)?)
    }

    /// The parameters of all dispatches of a plan; if the GPU knows the length, also the dispatch that writes them.
    fn parameters(&self, device: &Device, plan: &Plan, source: &Source<'_>) -> (Buffer, Option<Dispatch>) {
        let blocks = binding::blocks(plan.passes.iter().map(|pass| &pass.params));
        let written = |usage| binding::filled(device, "halofold::reducer::params", &blocks, usage);
        let Some(count) = source.count else {
            return (written(BufferUsages::UNIFORM), None);
        };
        let length = self.length.get_or_init(|| Length::compile(device, self.cache.as_ref(), self.checks));
        let params = written(BufferUsages::UNIFORM | BufferUsages::STORAGE);
        let most = plan.passes.first().map_or(0, |pass| pass.params.count);
        let templates = written(BufferUsages::STORAGE);
        let recorded = length.bind(device, (&templates, &params), count, (most, plan.passes.len() as u32));
        (params, Some(recorded))
    }
}

/// All parts of the caller's buffers that a plan reads beside the output that it writes.
fn reads<'a>(plan: &Plan, source: &Source<'a>) -> Vec<Use<'a>> {
    let mut reads = Vec::new();
    for pass in &plan.passes {
        if let From::Inputs { part, first, next, second } = pass.from {
            let Input { buffer, offset, .. } = source.parts[part];
            reads.push(Use { role: "input", buffer, start: offset, end: next.unwrap_or(first).end() });
            for (input, bytes) in source.second.iter().zip(second) {
                let Input { buffer, offset, .. } = *input;
                reads.push(Use { role: "second input", buffer, start: offset, end: bytes.end() });
            }
        }
        for (list, bytes) in source.offsets.iter().zip(pass.offsets) {
            reads.push(Use::of(OFFSETS, list.buffer, list.offset, bytes.end()));
        }
    }
    reads
}

/// The buffers of one prepared reduction.
struct Bound<'a, 'p> {
    plan: &'p Plan,
    source: Source<'a>,
    output: Output<'a>,
    workspace: &'a Workspace,
    params: &'a Buffer,
    /// Bytes of a vector of four elements.
    vector: u64,
}

impl<'a> Bound<'a, '_> {
    /// What a slot of group 0 is bound to in the dispatch number `index`.
    fn slot(&self, slot: u32, index: usize, pass: &Pass) -> BindingResource<'a> {
        match slot {
            1 => match pass.to {
                To::Scratch(bytes) => within(&self.workspace.scratch, 0, bytes),
                To::Output(bytes) => within(self.output.buffer, self.output.offset, bytes),
            },
            2 => binding::block::<Params>(self.params, binding::block_offset(index)),
            4 => slice(&self.workspace.board, 0, self.plan.board),
            5 | 6 if matches!(pass.step, Step::Adjoining { .. }) => self.next(pass.from, slot == 6),
            5 | 6 => self.second(pass.from, slot == 6),
            7 => match (pass.offsets, self.source.offsets) {
                (Some(bytes), Some(list)) => within(list.buffer, list.offset, bytes),
                _ => self.marks(),
            },
            8 => self.marks(),
            _ => self.first(pass.from, slot == 3),
        }
    }

    fn marks(&self) -> BindingResource<'a> {
        slice(&self.workspace.marks, 0, self.plan.marks)
    }

    fn first(&self, from: From, as_vectors: bool) -> BindingResource<'a> {
        match from {
            From::Inputs { part, first, .. } => self.input(self.source.parts[part].buffer, first, as_vectors),
            From::Scratch(bytes) => within(&self.workspace.scratch, 0, bytes),
            From::Nothing => self.workspace.nothing.as_entire_binding(),
        }
    }

    fn next(&self, from: From, as_vectors: bool) -> BindingResource<'a> {
        match from {
            From::Inputs { part, next: Some(bytes), .. } => {
                self.input(self.source.parts[part].buffer, bytes, as_vectors)
            }
            _ => self.workspace.nothing.as_entire_binding(),
        }
    }

    fn second(&self, from: From, as_vectors: bool) -> BindingResource<'a> {
        match (from, self.source.second) {
            (From::Inputs { second: Some(bytes), .. }, Some(second)) => {
                self.input(second.buffer, bytes, as_vectors)
            }
            _ => self.workspace.nothing.as_entire_binding(),
        }
    }

    /// A window of an input. Too few bytes for one vector are never read as such.
    fn input(&self, buffer: &'a Buffer, bytes: Bytes, as_vectors: bool) -> BindingResource<'a> {
        if as_vectors && bytes.size < self.vector {
            return self.workspace.nothing.as_entire_binding();
        }
        within(buffer, 0, bytes)
    }
}

/// All slots but the parameters' are storage buffers.
fn check_bindings(monoid: &Monoid, slots: &[u32], limits: &wgpu::Limits) -> Result<(), ReducerError> {
    let (needed, limit) = (slots.len() as u32 - 1, limits.max_storage_buffers_per_shader_stage);
    if needed > limit {
        return Err(ReducerError::Bindings { name: monoid.name().to_owned(), needed, limit });
    }
    Ok(())
}

/// Bytes behind a base as a binding.
fn within(buffer: &Buffer, base: u64, Bytes { offset, size }: Bytes) -> BindingResource<'_> {
    slice(buffer, base + offset, size)
}

/// A reduction with its buffers, ready to be recorded again and again: over what the buffers hold by then.
///
/// It keeps alive what it needs. `Send` and `Sync`.
#[derive(Debug)]
pub struct Prepared {
    plan: Plan,
    passes: Vec<Dispatch>,
    label: String,
}

impl Prepared {
    /// The plan that recording carries out; behind one dispatch more, if it was prepared with a count.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a compute pass of its own, labelled `halofold::reducer::` and the operator's name.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_in_pass(&mut dispatch::begin(encoder, &self.label));
    }

    /// Records into the caller's pass. Changes its pipeline and bind group 0; halofold itself allocates nothing.
    ///
    /// wgpu orders dispatches of one pass that use the same buffers: elements may be written in front of it, and results be used
    /// behind it, without anything between.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        Recorder::new(pass).record(&self.passes);
    }
}
