//! Recording a plan: compiled pipelines, prepared bindings, dispatches on the caller's encoder or pass.

use std::sync::OnceLock;

use wgpu::{BindingResource, Buffer, BufferUsages, Device};

use crate::binding::{self, Use, slice};
use crate::dispatch::{self, Dispatch, Recorder};
use crate::pipeline;
use crate::reduce::compose::Text;
use crate::reduce::error::{PlanError, ReduceError};
use crate::reduce::exact::{Accuracy, is_exact_kernel};
use crate::reduce::inputs::{Input, Output, Source};
use crate::reduce::ladder::{Delivery, Subgroups};
use crate::reduce::length::Length;
use crate::reduce::monoid::Monoid;
use crate::reduce::plan::{Bytes, Dst, Extent, Launch, Plan, Reads, Request, Src, Stage, WORDS, check};
use crate::reduce::shape::{Form, Shape};
use crate::reduce::tuning::Strategy;

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
    /// How [`Shape::Whole`] is reduced: the fastest way by default.
    pub strategy: Strategy,
    /// Whether inputs are [states](crate::reduce#states) instead of elements, which are combined as they are: `false` by default.
    pub from_states: bool,
    /// Whether to leave [states](crate::reduce#states) instead of results: `false` by default.
    pub to_states: bool,
    /// Whether sums are [exact](crate::reduce::exact): [`Accuracy::Fast`] by default.
    pub accuracy: Accuracy,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            subgroups: true,
            cache: None,
            strategy: Strategy::Fastest,
            from_states: false,
            to_states: false,
            accuracy: Accuracy::Fast,
        }
    }
}

impl Options<'_> {
    /// Everything that plans of a reducer with these options may launch, on a device with these limits.
    pub fn stages(&self, monoid: &Monoid, form: Form, limits: &wgpu::Limits) -> Vec<Stage> {
        self.request(monoid, form, limits).stages()
    }

    /// Checks that a device with these features and limits runs an operator so: what [`Reducer::with_options`] checks.
    ///
    /// # Errors
    ///
    /// As [`Reducer::with_options`].
    pub fn check(
        &self,
        monoid: &Monoid,
        form: Form,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Result<(), ReduceError> {
        let monoid = self.checked(monoid, form)?;
        let request = self.request(monoid, form, limits);
        if let Strategy::Rung { rung, finish, tuning } = self.strategy {
            check(&request, rung, finish, tuning)?;
        }
        let features = self.features(features);
        for stage in request.stages() {
            let text = Text { monoid, stage, features };
            check_features(&text, form, self.subgroups)?;
            check_bindings(monoid, &text.slots(), limits)?;
            if monoid.op().is_none() {
                text.checked()?;
            }
        }
        Ok(())
    }

    /// The launches of a reducer with these options: [`Reducer::plan`] without a device.
    ///
    /// # Errors
    ///
    /// As [`Plan::of`].
    pub fn plan(
        &self,
        monoid: &Monoid,
        shape: Shape,
        parts: &[Extent],
        second: Option<Extent>,
        limits: &wgpu::Limits,
    ) -> Result<Plan, ReduceError> {
        self.checked(monoid, shape.form())?;
        self.request(monoid, shape.form(), limits).plan(shape, parts, second)
    }

    /// The operator with the accuracy that is asked for, if it has that; without, as it is.
    fn chosen<'r>(&self, monoid: &'r Monoid) -> &'r Monoid {
        monoid.exact().filter(|_| self.is_exact()).unwrap_or(monoid)
    }

    fn is_exact(&self) -> bool {
        self.accuracy == Accuracy::Exact
            || matches!(self.strategy, Strategy::Rung { rung, .. } if is_exact_kernel(rung.kernel))
    }

    /// The same, or why there is none.
    fn checked<'r>(&self, monoid: &'r Monoid, form: Form) -> Result<&'r Monoid, ReduceError> {
        let chosen = self.chosen(monoid);
        if self.is_exact() && chosen.format().is_none() {
            return Err(ReduceError::NotExact { name: monoid.name().to_owned(), element: monoid.element() });
        }
        if chosen.format().is_some() && !matches!(form, Form::Whole | Form::Segments) {
            return Err(ReduceError::ExactForm(form));
        }
        Ok(chosen)
    }

    fn request<'r>(&self, monoid: &'r Monoid, form: Form, limits: &'r wgpu::Limits) -> Request<'r> {
        let Options { strategy, from_states, to_states, .. } = *self;
        Request { strategy, from_states, to_states, ..Request::new(self.chosen(monoid), form, limits) }
    }

    /// What kernels may use of a device's features.
    fn features(&self, mut features: wgpu::Features) -> wgpu::Features {
        features.set(wgpu::Features::SUBGROUP, self.subgroups && features.contains(wgpu::Features::SUBGROUP));
        features
    }
}

/// Scratch memory, which reductions recorded one after the other may share, in one pass, one encoder or several: any
/// operators, forms and shapes, on one device. A clone is the same memory.
///
/// It needs no clearing: wgpu zeroes new buffers, which is all that the ticket counter at the start of the partials buffer asks
/// for, and each reduction puts the counter back. Whatever else an earlier reduction left is written before it is read.
#[derive(Clone, Debug)]
pub struct Workspace {
    scratch: [Buffer; 2],
    partials: Buffer,
    marks: Buffer,
    /// Bound where a kernel declares an input that it will not read.
    nothing: Buffer,
}

impl Workspace {
    /// Allocates what a plan needs: five buffers on the GPU, of at least 128 bytes each.
    ///
    /// Every plan that needs no more memory may use it; for one that needs more, [`Reducer::prepare`] answers
    /// [`BufferError::TooShort`](crate::BufferError::TooShort).
    pub fn new(device: &Device, plan: &Plan) -> Self {
        Self::for_plans(device, [plan])
    }

    /// Allocates what suffices for each of some plans, one at a time: the largest of each kind of memory, not the sum.
    pub fn for_plans<'a>(device: &Device, plans: impl IntoIterator<Item = &'a Plan>) -> Self {
        let needs = |most: [u64; 4], plan: &Plan| {
            let [first, second] = plan.scratch;
            let needed = [first, second, plan.partials, plan.marks];
            std::array::from_fn(|kind| most[kind].max(needed[kind]))
        };
        let [first, second, partials, marks] = plans.into_iter().fold([0; 4], needs);
        let buffer = |name: &str, size: u64| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: Some(&format!("halofold::reduce::{name}")),
                // A binding is never empty.
                size: size.max(128),
                usage: BufferUsages::STORAGE,
                mapped_at_creation: false,
            })
        };
        Workspace {
            scratch: [buffer("scratch0", first), buffer("scratch1", second)],
            partials: buffer("partials", partials),
            marks: buffer("marks", marks),
            nothing: buffer("nothing", 0),
        }
    }

    /// Bytes allocated on the GPU.
    pub fn size(&self) -> u64 {
        let [first, second] = &self.scratch;
        [first, second, &self.partials, &self.marks, &self.nothing].map(Buffer::size).iter().sum()
    }

    fn check(&self, plan: &Plan) -> Result<(), ReduceError> {
        let needs = [
            ("scratch memory", &self.scratch[0], plan.scratch[0]),
            ("second scratch buffer", &self.scratch[1], plan.scratch[1]),
            ("partials buffer", &self.partials, plan.partials),
            ("buffer of marks", &self.marks, plan.marks),
        ];
        Ok(needs.into_iter().try_for_each(|(role, buffer, needed)| binding::room(role, buffer, needed))?)
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
    features: wgpu::Features,
    strategy: Strategy,
    from_states: bool,
    to_states: bool,
    /// What its plans may launch, each compiled when a plan first does.
    stages: Vec<(Stage, OnceLock<Compiled>)>,
    cache: Option<wgpu::PipelineCache>,
    checks: pipeline::Checks,
    /// For a length that the GPU knows: compiled when one is first given.
    length: OnceLock<Length>,
}

#[derive(Debug)]
struct Compiled {
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    slots: Vec<u32>,
}

impl Reducer {
    /// A reducer for an operator. It composes and checks, on the CPU; a pipeline is compiled when it is first
    /// [prepared](Reducer::prepare), or ahead by [`Reducer::compile`].
    ///
    /// # Errors
    ///
    /// A feature that the device lacks, fewer storage buffers in a shader than a kernel has, a custom operator whose names
    /// collide with halofold's, or [`Form::Accumulate`] for an operator that does not go with it.
    pub fn new(device: &Device, monoid: Monoid, form: Form) -> Result<Self, ReduceError> {
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
    ) -> Result<Self, ReduceError> {
        Self::make(device, monoid, form, options, pipeline::Checks::On)
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
    ) -> Result<Self, ReduceError> {
        Self::make(device, monoid, form, options, pipeline::Checks::Off)
    }

    fn make(
        device: &Device,
        monoid: Monoid,
        form: Form,
        options: Options<'_>,
        checks: pipeline::Checks,
    ) -> Result<Self, ReduceError> {
        let limits = device.limits();
        options.check(&monoid, form, device.features(), &limits)?;
        let monoid = options.chosen(&monoid).clone();
        let features = options.features(device.features());
        let Options { strategy, from_states, to_states, .. } = options;
        let stages = options.stages(&monoid, form, &limits);
        let stages = stages.into_iter().map(|stage| (stage, OnceLock::new())).collect();
        let cache = options.cache.cloned();
        let length = OnceLock::new();
        Ok(Reducer {
            monoid,
            form,
            limits,
            features,
            strategy,
            from_states,
            to_states,
            stages,
            cache,
            checks,
            length,
        })
    }

    /// Compiles what plans of this reducer may launch, as far as it is not compiled yet: up to four compute pipelines, for which
    /// it blocks. Nothing is submitted.
    pub fn compile(&self, device: &Device) {
        for (stage, _) in &self.stages {
            self.stage(device, *stage);
        }
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
    pub fn plan(&self, shape: Shape, parts: &[Extent], second: Option<Extent>) -> Result<Plan, ReduceError> {
        self.request().plan(shape, parts, second)
    }

    /// The same for the inputs of a source: what [`Reducer::prepare`] prepares.
    ///
    /// # Errors
    ///
    /// As [`Reducer::plan`].
    pub fn plan_of(&self, source: &Source<'_>, shape: Shape) -> Result<Plan, ReduceError> {
        let (parts, second) = source.extents();
        let plan = self.plan(shape, &parts, second)?;
        Ok(source.stands_for.into_iter().fold(plan, Plan::standing_for))
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
    ) -> Result<Prepared, ReduceError> {
        let plan = self.plan_of(&source, shape)?;
        if source.offsets.is_some() != matches!(shape, Shape::Offsets { .. }) {
            return Err(ReduceError::Offsets(shape));
        }
        let takes_count = matches!(self.form, Form::Whole | Form::Accumulate | Form::Strided);
        if source.count.is_some() && !takes_count {
            return Err(ReduceError::Count(shape));
        }
        self.check(&plan, &source, &output, workspace)?;
        let (params, prologue) = self.parameters(device, &plan, &source);
        // Exact sums read words, whatever the elements are.
        let vector = if self.monoid.format().is_some() { 16 } else { 4 * self.monoid.element().size() };
        let bound = Bound { plan: &plan, source, output, workspace, params: &params, vector };
        let launches = plan.launches.iter().enumerate().map(|(index, launch)| {
            let compiled = self.stage(device, launch.stage);
            let resources = compiled.slots.iter().map(|&slot| (slot, bound.slot(slot, index, launch)));
            Dispatch {
                pipeline: compiled.pipeline.clone(),
                bindings: binding::bind(device, "halofold::reduce::bindings", &compiled.layout, resources),
                grid: launch.grid,
            }
        });
        let launches = prologue.into_iter().chain(launches).collect();
        Ok(Prepared { plan, launches, label: format!("halofold::reduce::{}", self.monoid.name()) })
    }

    fn request(&self) -> Request<'_> {
        let Reducer { strategy, from_states, to_states, .. } = *self;
        Request { strategy, from_states, to_states, ..Request::new(&self.monoid, self.form, &self.limits) }
    }

    /// A stage's pipeline, compiled if this is the first time.
    fn stage(&self, device: &Device, stage: Stage) -> &Compiled {
        let found = self.stages.iter().find(|(known, _)| *known == stage);
        let (_, compiled) = found.expect("a plan has only the stages that its request lists");
        compiled.get_or_init(|| {
            let text = Text { monoid: &self.monoid, stage, features: self.features };
            let slots = text.slots();
            let kernel = pipeline::Kernel {
                label: &format!("halofold::reduce::{}::{}", self.monoid.name(), stage.kernel.name),
                wgsl: text.compose(),
                entry_point: "main",
                slots: &slots,
                overrides: &stage.overrides(),
                cache: self.cache.as_ref(),
                checks: self.checks,
            };
            let (pipeline, layout) = pipeline::compile(device, kernel);
            Compiled { pipeline, layout, slots }
        })
    }

    fn check(
        &self,
        plan: &Plan,
        source: &Source<'_>,
        output: &Output<'_>,
        workspace: &Workspace,
    ) -> Result<(), ReduceError> {
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
                return Err(PlanError::Misaligned { offset: count.offset, size: 4 }.into());
            }
            // Read before anything is written: the output may lie in the same buffer.
            Use::of("count", count.buffer, count.offset, 4).check()?;
        }
        workspace.check(plan)
    }

    /// The parameters of all dispatches of a plan; if the GPU knows the length, also the dispatch that writes them.
    fn parameters(&self, device: &Device, plan: &Plan, source: &Source<'_>) -> (Buffer, Option<Dispatch>) {
        let blocks = binding::blocks(plan.launches.iter().map(|launch| launch.params.words()));
        let written = |usage| binding::filled(device, "halofold::reduce::params", &blocks, usage);
        let Some(count) = source.count else {
            return (written(BufferUsages::UNIFORM), None);
        };
        let length = self.length.get_or_init(|| Length::compile(device, self.cache.as_ref(), self.checks));
        let params = written(BufferUsages::UNIFORM | BufferUsages::STORAGE);
        let most = plan.launches.first().map_or(0, |launch| launch.params.count);
        let templates = written(BufferUsages::STORAGE);
        let recorded = length.bind(device, (&templates, &params), count, (most, plan.launches.len() as u32));
        (params, Some(recorded))
    }
}

/// All parts of the caller's buffers that a plan reads beside the output that it writes.
fn reads<'a>(plan: &Plan, source: &Source<'a>) -> Vec<Use<'a>> {
    let mut reads = Vec::new();
    for launch in &plan.launches {
        if let Src::Inputs { part, first, next, second } = launch.src {
            let Input { buffer, offset, .. } = source.parts[part];
            reads.push(Use { role: "input", buffer, start: offset, end: next.unwrap_or(first).end() });
            for (input, bytes) in source.second.iter().zip(second) {
                let Input { buffer, offset, .. } = *input;
                reads.push(Use { role: "second input", buffer, start: offset, end: bytes.end() });
            }
        }
        for (list, bytes) in source.offsets.iter().zip(launch.offsets) {
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
    fn slot(&self, slot: u32, index: usize, launch: &Launch) -> BindingResource<'a> {
        match slot {
            1 => match launch.dst {
                Dst::Scratch(buffer, bytes) => within(&self.workspace.scratch[buffer], 0, bytes),
                Dst::Output(bytes) => within(self.output.buffer, self.output.offset, bytes),
            },
            2 => binding::block::<[u32; WORDS]>(self.params, binding::block_offset(index)),
            4 => slice(&self.workspace.partials, 0, self.plan.partials),
            5 | 6 if launch.stage.reads == Reads::Adjoining => self.next(launch.src, slot == 6),
            5 | 6 => self.second(launch.src, slot == 6),
            7 => match (launch.offsets, self.source.offsets) {
                (Some(bytes), Some(list)) => within(list.buffer, list.offset, bytes),
                _ => self.marks(),
            },
            8 => self.marks(),
            _ => self.first(launch.src, slot == 3),
        }
    }

    fn marks(&self) -> BindingResource<'a> {
        slice(&self.workspace.marks, 0, self.plan.marks)
    }

    fn first(&self, src: Src, as_vectors: bool) -> BindingResource<'a> {
        match src {
            Src::Inputs { part, first, .. } => self.input(self.source.parts[part].buffer, first, as_vectors),
            Src::Scratch(buffer, bytes) => within(&self.workspace.scratch[buffer], 0, bytes),
            Src::Nothing => self.workspace.nothing.as_entire_binding(),
        }
    }

    fn next(&self, src: Src, as_vectors: bool) -> BindingResource<'a> {
        match src {
            Src::Inputs { part, next: Some(bytes), .. } => {
                self.input(self.source.parts[part].buffer, bytes, as_vectors)
            }
            _ => self.workspace.nothing.as_entire_binding(),
        }
    }

    fn second(&self, src: Src, as_vectors: bool) -> BindingResource<'a> {
        match (src, self.source.second) {
            (Src::Inputs { second: Some(bytes), .. }, Some(second)) => {
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

/// Checks that the device has what a stage needs.
fn check_features(text: &Text<'_>, form: Form, subgroups: bool) -> Result<(), ReduceError> {
    let Text { monoid, stage, features } = text;
    let missing = |name: &str, needed: wgpu::Features| {
        let (name, element, feature) = (name.to_owned(), monoid.element(), needed - *features);
        let error = ReduceError::MissingFeature { name, element, feature };
        if feature.is_empty() { Ok(()) } else { Err(error) }
    };
    let kernel = stage.kernel;
    if form == Form::Accumulate {
        let besides = monoid.accumulates().ok_or_else(|| ReduceError::no_atomic(monoid))?;
        missing(monoid.name(), monoid.features() | besides)?;
    }
    if kernel.subgroups == Subgroups::Required {
        if !subgroups {
            return Err(ReduceError::SubgroupsDisabled { rung: kernel.name });
        }
        missing(kernel.name, wgpu::Features::SUBGROUP)?;
    }
    if kernel.delivery == Delivery::Total {
        let no_word = || ReduceError::NoWord { acc: monoid.acc_type().to_owned() };
        missing(kernel.name, monoid.atomic(*features).ok_or_else(no_word)?.features)?;
    }
    let in_words = kernel.delivery == Delivery::Meeting || text.uses_subgroups() && !monoid.acc.is_word();
    missing(monoid.name(), if in_words { monoid.features() } else { monoid.own_features() })
}

/// All slots but the parameters' are storage buffers.
fn check_bindings(monoid: &Monoid, slots: &[u32], limits: &wgpu::Limits) -> Result<(), ReduceError> {
    let (needed, limit) = (slots.len() as u32 - 1, limits.max_storage_buffers_per_shader_stage);
    if needed > limit {
        return Err(ReduceError::Bindings { name: monoid.name().to_owned(), needed, limit });
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
    launches: Vec<Dispatch>,
    label: String,
}

impl Prepared {
    /// The plan that recording carries out; behind one dispatch more, if it was prepared with a count.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Records into a compute pass of its own, labelled `halofold::reduce::` and the operator's name.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        self.encode_in_pass(&mut dispatch::begin(encoder, &self.label));
    }

    /// Records into the caller's pass. Changes its pipeline and bind group 0; halofold itself allocates nothing.
    ///
    /// wgpu orders dispatches of one pass that use the same buffers: elements may be written in front of it, and results be used
    /// behind it, without anything between.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        Recorder::new(pass).record(&self.launches);
    }
}
