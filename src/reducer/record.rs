//! Recording a plan: compiled pipelines, prepared bindings, dispatches on the caller's encoder or pass.

use std::num::NonZeroU64;

use wgpu::util::DeviceExt as _;
use wgpu::{Buffer, BufferUsages, Device};

use crate::pipeline;
use crate::reduce::{Input, Output, Params};
use crate::reducer::compose::Kernel;
use crate::reducer::error::ReducerError;
use crate::reducer::monoid::Monoid;
use crate::reducer::plan::{Bytes, Extent, From, Plan, Request, Step, To};
use crate::reducer::shape::{Form, Shape};

/// Distance between the parameters of two dispatches: the largest alignment a device may ask for.
const PARAMS_STRIDE: u64 = 256;

/// What is reduced: one input, several that count as one, or two whose elements are mapped in pairs.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    parts: &'a [Input<'a>],
    second: Option<Input<'a>>,
}

impl<'a> Source<'a> {
    /// The elements of one buffer, or of several, one after the other.
    pub const fn of(parts: &'a [Input<'a>]) -> Self {
        Source { parts, second: None }
    }

    /// The elements of two buffers in pairs, for an operator of two inputs.
    pub const fn pairs(first: &'a [Input<'a>; 1], second: Input<'a>) -> Self {
        Source { parts: first, second: Some(second) }
    }

    /// Where the parts are, without their buffers.
    fn extents(&self) -> (Vec<Extent>, Option<Extent>) {
        let extent = |input: &Input<'_>| Extent { offset: input.offset, len: input.len };
        (self.parts.iter().map(extent).collect(), self.second.as_ref().map(extent))
    }
}

/// How a reducer is compiled.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options<'a> {
    /// Whether subgroup operations may be used; they are where the device has them and the accumulator is one word.
    pub subgroups: bool,
    /// A pipeline cache of the caller's.
    pub cache: Option<&'a wgpu::PipelineCache>,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options { subgroups: true, cache: None }
    }
}

/// Scratch memory, which reductions recorded one after the other may share.
#[derive(Clone, Debug)]
pub struct Workspace {
    scratch: Buffer,
    board: Buffer,
    /// Bound where a kernel declares an input that it will not read.
    nothing: Buffer,
}

impl Workspace {
    /// Allocates what a plan needs.
    pub fn new(device: &Device, plan: &Plan) -> Self {
        Self::for_plans(device, [plan])
    }

    /// Allocates what suffices for each of some plans.
    pub fn for_plans<'a>(device: &Device, plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        let needs =
            |(scratch, board): (u64, u64), plan: &Plan| (scratch.max(plan.scratch), board.max(plan.board));
        let (scratch, board) = plans.into_iter().fold((0, 0), needs);
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
            nothing: buffer("nothing", 0),
        }
    }

    /// Bytes allocated.
    pub fn size(&self) -> u64 {
        self.scratch.size() + self.board.size() + self.nothing.size()
    }
}

/// One operator, compiled for a device and a form of shapes.
#[derive(Debug)]
pub struct Reducer {
    monoid: Monoid,
    form: Form,
    limits: wgpu::Limits,
    workgroup_size: u32,
    steps: Vec<Compiled>,
}

#[derive(Debug)]
struct Compiled {
    step: Step,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    slots: Vec<u32>,
}

impl Reducer {
    /// Compiles the kernels of an operator. Cost: three compute pipelines. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// A feature that the device lacks, or a custom operator whose names collide with halofold's.
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
        let missing = monoid.features() - device.features();
        if !missing.is_empty() {
            let (name, element) = (monoid.name().to_owned(), monoid.element());
            return Err(ReducerError::MissingFeature { name, element, feature: missing });
        }
        let subgroups = options.subgroups && device.features().contains(wgpu::Features::SUBGROUP);
        let request = Request { monoid: &monoid, form, workgroup_size: 0, limits: &limits };
        let workgroup_size = request.largest_workgroup().min(256);
        let mut steps = Vec::new();
        for step in request.steps() {
            let kernel = Kernel { monoid: &monoid, step, subgroups };
            let size =
                if let Step::Whole { workgroup_size } = step { workgroup_size } else { workgroup_size };
            let slots = kernel.slots();
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
        Ok(Reducer { monoid, form, limits, workgroup_size, steps })
    }

    /// The operator.
    pub fn monoid(&self) -> &Monoid {
        &self.monoid
    }

    /// The shapes it is compiled for.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The dispatches for a shape over inputs of these lengths.
    ///
    /// # Errors
    ///
    /// A shape of another form, lengths that do not fit it, more than a device can bind or count.
    pub fn plan(&self, shape: Shape, parts: &[Extent], second: Option<Extent>) -> Result<Plan, ReducerError> {
        let request = Request {
            monoid: &self.monoid,
            form: self.form,
            workgroup_size: self.workgroup_size,
            limits: &self.limits,
        };
        request.plan(shape, parts, second)
    }

    /// Binds buffers to a plan, once; what comes back can be recorded any number of times.
    ///
    /// Allocates one small uniform buffer and a bind group per dispatch. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// Those of [`Reducer::plan`]; a buffer that is too short, lacks [`BufferUsages::STORAGE`], starts in the wrong place or
    /// is read and written.
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
        self.check(&plan, &source, &output, workspace)?;
        let params = parameters(device, &plan);
        let vector = 4 * self.monoid.element().size();
        let bound = Bound { source, output, workspace, params: &params, vector };
        let passes = plan.passes.iter().enumerate().map(|(index, pass)| {
            let compiled = self.step(pass.step);
            let entries: Vec<_> = compiled
                .slots
                .iter()
                .map(|&slot| wgpu::BindGroupEntry {
                    binding: slot,
                    resource: bound.slot(slot, index, pass.from, pass.to),
                })
                .collect();
            Recorded {
                pipeline: compiled.pipeline.clone(),
                bindings: device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: Some("halofold::reducer::bindings"),
                    layout: &compiled.layout,
                    entries: &entries,
                }),
                grid: pass.grid,
            }
        });
        let passes = passes.collect();
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
        let size = self.monoid.element().size();
        let mut uses = Vec::new();
        let inputs = source.parts.iter().map(|part| ("input", part));
        for (role, input) in inputs.chain(source.second.iter().map(|second| ("second input", second))) {
            // Bindings are whole words: an odd number of 16-bit elements needs the rest of the last one.
            let end = input.offset + input.len * size;
            uses.push((
                role,
                input.buffer,
                input.offset,
                if input.len == 0 { end } else { end.next_multiple_of(4) },
            ));
        }
        uses.push(("output", output.buffer, output.offset, output.offset.saturating_add(plan.output)));
        for (role, buffer, start, end) in uses {
            if !buffer.usage().contains(BufferUsages::STORAGE) {
                return Err(ReducerError::Usage { role, usage: BufferUsages::STORAGE });
            }
            if end > buffer.size() {
                return Err(ReducerError::TooShort { role, start, end, size: buffer.size() });
            }
            if role != "output" && buffer == output.buffer {
                return Err(ReducerError::Aliased { first: role, second: "output" });
            }
        }
        for (role, end, buffer) in [
            ("scratch memory", plan.scratch, &workspace.scratch),
            ("notice board", plan.board, &workspace.board),
        ] {
            if end > buffer.size() {
                return Err(ReducerError::TooShort { role, start: 0, end, size: buffer.size() });
            }
        }
        let align = self.limits.min_storage_buffer_offset_alignment;
        if !output.offset.is_multiple_of(u64::from(align)) {
            return Err(ReducerError::Offset { role: "output", offset: output.offset, align });
        }
        Ok(())
    }
}

/// The buffers of one prepared reduction.
struct Bound<'a> {
    source: Source<'a>,
    output: Output<'a>,
    workspace: &'a Workspace,
    params: &'a Buffer,
    /// Bytes of a vector of four elements.
    vector: u64,
}

impl<'a> Bound<'a> {
    /// What a slot of group 0 is bound to in the dispatch number `index`.
    fn slot(&self, slot: u32, index: usize, from: From, to: To) -> wgpu::BindingResource<'a> {
        match slot {
            1 => match to {
                To::Scratch(bytes) => slice(&self.workspace.scratch, 0, bytes),
                To::Output(bytes) => slice(self.output.buffer, self.output.offset, bytes),
            },
            2 => {
                let offset = index as u64 * PARAMS_STRIDE;
                slice(self.params, 0, Bytes { offset, size: size_of::<Params>() as u64 })
            }
            4 => self.workspace.board.as_entire_binding(),
            5 | 6 => self.second(from, slot == 6),
            _ => self.first(from, slot == 3),
        }
    }

    fn first(&self, from: From, as_vectors: bool) -> wgpu::BindingResource<'a> {
        match from {
            From::Inputs { part, first, .. } => self.input(self.source.parts[part].buffer, first, as_vectors),
            From::Scratch(bytes) => slice(&self.workspace.scratch, 0, bytes),
            From::Nothing => self.workspace.nothing.as_entire_binding(),
        }
    }

    fn second(&self, from: From, as_vectors: bool) -> wgpu::BindingResource<'a> {
        match (from, self.source.second) {
            (From::Inputs { second: Some(bytes), .. }, Some(second)) => {
                self.input(second.buffer, bytes, as_vectors)
            }
            _ => self.workspace.nothing.as_entire_binding(),
        }
    }

    /// A window of an input. Too few bytes for one vector are never read as such.
    fn input(&self, buffer: &'a Buffer, bytes: Bytes, as_vectors: bool) -> wgpu::BindingResource<'a> {
        if as_vectors && bytes.size < self.vector {
            return self.workspace.nothing.as_entire_binding();
        }
        slice(buffer, 0, bytes)
    }
}

/// The parameters of all dispatches of a plan.
fn parameters(device: &Device, plan: &Plan) -> Buffer {
    let mut bytes = vec![0; plan.passes.len().max(1) * PARAMS_STRIDE as usize];
    for (slot, pass) in bytes.chunks_exact_mut(PARAMS_STRIDE as usize).zip(&plan.passes) {
        slot[..size_of::<Params>()].copy_from_slice(bytemuck::bytes_of(&pass.params));
    }
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some("halofold::reducer::params"),
        contents: &bytes,
        usage: BufferUsages::UNIFORM,
    })
}

fn slice(buffer: &Buffer, base: u64, Bytes { offset, size }: Bytes) -> wgpu::BindingResource<'_> {
    wgpu::BindingResource::Buffer(wgpu::BufferBinding {
        buffer,
        offset: base + offset,
        size: NonZeroU64::new(size),
    })
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
