//! One reduction: its buffers, its shape, and where its results go.

use wgpu::{BufferUsages, Queue};

use crate::gpu::Compiled;
use crate::gpu::bind::{Given, Reads};
use crate::gpu::buffers;
use crate::gpu::error::Error;
use crate::gpu::input::{self, Input};
use crate::gpu::parameters;
use crate::gpu::slice::Slice;
use crate::gpu::texels::COLUMN;
use crate::gpu::workspace::Workspace;
use crate::read::{self, Reading};
use crate::reduce::exact::EXACT_FOLD;
use crate::reduce::plan::{BufferRange, Plan};
use crate::reduce::refused::exact_in_one_launch;
use crate::reduce::results::FromResults;
use crate::reduce::shape::{Shape, ShapeKind};
use crate::reduce::{Bound, Reduce, operation};

/// The description of one reduction. [`Compiled::of`] starts it, the methods that return it add to it, and one of [`run`](Reduction::run),
/// [`run_async`](Reduction::run_async), [`bind`](Reduction::bind) and [`plan`](Reduction::plan) ends it.
///
/// The description itself costs nothing. The last step checks it and returns an error for a combination that is not supported.
///
/// It borrows the reducer (`'r`) and the buffers (`'b`), each for its own time: a function that takes any input may make the reducer itself.
#[derive(Clone, Debug)]
#[must_use = "nothing is recorded before `bind`, `run` or `run_async`"]
pub struct Reduction<'r, 'b> {
    reducer: &'r Compiled<Reduce>,
    shape: Shape,
    parts: Vec<Input<'b>>,
    second: Option<Slice<'b>>,
    offsets: Option<Slice<'b>>,
    count: Option<Slice<'b>>,
    parameters: Option<Slice<'b>>,
    len: Option<u64>,
    stands_for: Option<u32>,
    workspace: Option<&'b Workspace>,
}

impl<'r, 'b> Reduction<'r, 'b> {
    pub(super) fn new(reducer: &'r Compiled<Reduce>, first: Input<'b>, second: Option<Slice<'b>>) -> Self {
        Reduction {
            reducer,
            shape: Shape::Whole,
            parts: vec![first],
            second,
            offsets: None,
            count: None,
            parameters: None,
            len: None,
            stands_for: None,
            workspace: None,
        }
    }

    /// Appends more elements: another buffer, or another part of the same one. Positions continue from one part to the next.
    ///
    /// This is for [`Shape::Whole`] and [`Shape::Accumulate`], and for operators with one input.
    pub fn chain<'s: 'b>(mut self, more: impl Into<Slice<'s>>) -> Self {
        self.parts.push(Input::Buffer(more.into()));
        self
    }

    /// Reduces every `stride`-th element, starting with the first: [`Shape::Strided`].
    pub fn strided(self, stride: u64) -> Self {
        self.shape(Shape::Strided { stride })
    }

    /// Gives one result for every `len` elements: [`Shape::Segments`].
    pub fn segments(self, len: u64) -> Self {
        self.shape(Shape::Segments { len })
    }

    /// Gives one result for every column of `len` elements of a row-major array `[outer, len, inner]`: [`Shape::axis`].
    pub fn axis(self, outer: u64, len: u64, inner: u64) -> Self {
        self.shape(Shape::axis(outer, len, inner))
    }

    /// Gives one result for the elements between every two neighbouring offsets: [`Shape::Offsets`]. The offsets are a list of `u32` on the GPU, and
    /// count elements from the start of the input. The list starts at a multiple of `min_storage_buffer_offset_alignment` bytes. It must not be in
    /// the output's buffer.
    pub fn segment_offsets<'s: 'b>(self, offsets: impl Into<Slice<'s>>) -> Self {
        let list = offsets.into();
        let shape = Shape::Offsets { count: (list.size() / 4).saturating_sub(1) };
        Reduction { offsets: Some(list), shape, ..self }
    }

    /// Combines the result with the value that the output holds, instead of replacing that value: [`Shape::Accumulate`].
    pub fn accumulate(self) -> Self {
        self.shape(Shape::Accumulate)
    }

    /// Sets the shape, for code that has it as a value. [`Shape::Offsets`] also needs [`Reduction::segment_offsets`].
    pub fn shape(self, shape: Shape) -> Self {
        Reduction { shape, ..self }
    }

    /// Reduces only the first `n` elements, for a buffer with more room than data. `n` counts through all
    /// parts, and of [`Shape::Strided`] only the elements taken; a second input is cut as well. It costs
    /// nothing. If the input has fewer elements, the last step returns [`BufferError::TooFew`](crate::BufferError::TooFew).
    ///
    /// No buffer is empty; `len(0)` makes an empty input of any.
    ///
    /// ```
    /// use halofold::{Compiled, Element, Options};
    /// use halofold::reduce::{Op, Reduce};
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let list = buffer(bytemuck::cast_slice(&[1f32, 2.0, 6.0, 1e9, 1e9]));
    /// let sum = Compiled::new(&device, Reduce::new(Op::Sum.over(Element::F32)?), &Options::default())?;
    /// // `list` has room for many elements, and holds three.
    /// assert_eq!(sum.of(&list).len(3).run::<f32>(&queue)?, 9.0);
    /// assert_eq!(sum.of(&list).len(0).run::<f32>(&queue)?, 0.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn len(self, n: u64) -> Self {
        Reduction { len: Some(n), ..self }
    }

    /// Reduces only the first `n` elements, where `n` is a count on the GPU: see [`Reduction::len`] for one on the host. The count is a `u32` at a
    /// multiple of 4 bytes. An earlier dispatch may have written it, even in the same pass. If `n` exceeds the length of the input, all elements are
    /// reduced. The plan is made for the whole input; `finish` receives the smaller number. The count may be in the output's buffer: it is read
    /// before anything is written.
    ///
    /// This is for [`Shape::Whole`], [`Shape::Accumulate`] and [`Shape::Strided`]. It costs one additional dispatch, with one workgroup for every 64
    /// dispatches of the plan, for which the other dispatches wait. A binding must hold 256 bytes for each dispatch of the plan.
    ///
    /// ```
    /// use halofold::{Compiled, Element, Options};
    /// use halofold::reduce::{Op, Reduce};
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let list = buffer(bytemuck::cast_slice(&[1f32, 2.0, 6.0, 1e9, 1e9]));
    /// # for (len, expected) in [(3u32, 3f32), (2, 1.5)] {
    /// # let len = buffer(&len.to_ne_bytes());
    /// let mean = Compiled::new(&device, Reduce::new(Op::Mean.over(Element::F32)?), &Options::default())?;
    /// // `list` has room for many elements. A culling pass has written the number it holds to `len`.
    /// let mean: f32 = mean.of(&list).count_buffer(&len).run(&queue)?;
    /// # assert_eq!(mean, expected);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn count_buffer<'s: 'b>(self, count: impl Into<Slice<'s>>) -> Self {
        Reduction { count: Some(count.into()), ..self }
    }

    /// Sets the number of elements that the input [states](crate::reduce#states) stand for. `finish` receives this number.
    pub fn element_count(self, elements: u32) -> Self {
        Reduction { stands_for: Some(elements), ..self }
    }

    /// Binds a buffer to the parameters that the text of the operator declares, as [`Monoid::custom`](crate::reduce::Monoid::custom) says, or
    /// that of its [`Map`](crate::Map) of texels. Kernels read its contents when they run, so a frame writes it by [`Queue::write_buffer`] and records the bound reduction.
    ///
    /// A uniform needs [`wgpu::BufferUsages::UNIFORM`] and starts at a multiple of `min_uniform_buffer_offset_alignment`; a storage
    /// variable needs [`wgpu::BufferUsages::STORAGE`], a multiple of `min_storage_buffer_offset_alignment`, and another buffer than the
    /// output's. An array of any length has as many elements as the slice holds.
    ///
    /// ```
    /// use halofold::{Compiled, Element, Options};
    /// use halofold::reduce::{Arity, Monoid, Reduce};
    ///
    /// const COUNT_BETWEEN: &str = "
    /// struct Limits { low: f32, high: f32 }
    /// @group(0) @binding(9) var<uniform> limits: Limits;
    ///
    /// alias Acc = u32;
    /// fn map(elem: Elem, index: u32) -> Acc { return u32(limits.low <= elem && elem < limits.high); }
    /// fn identity() -> Acc { return 0u; }
    /// fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
    /// fn finish(acc: Acc, n: u32) -> u32 { return acc; }
    /// ";
    ///
    /// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
    /// # let numbers: Vec<f32> = (0..1000u16).map(f32::from).collect();
    /// # let numbers = buffer(bytemuck::cast_slice(&numbers));
    /// # let limits = buffer(&[0; 8]);
    /// let count = Compiled::new(&device, Reduce::new(Monoid::custom("between", Element::F32, Arity::One, COUNT_BETWEEN)?), &Options::default())?;
    /// for (between, expected) in [([0f32, 10.0], 10), ([500.0, 600.0], 100)] {
    ///     queue.write_buffer(&limits, 0, bytemuck::cast_slice(&between));
    ///     let found: u32 = count.of(&numbers).with_parameters(&limits).run(&queue)?;
    ///     assert_eq!(found, expected);
    /// }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn with_parameters<'s: 'b>(self, parameters: impl Into<Slice<'s>>) -> Self {
        Reduction { parameters: Some(parameters.into()), ..self }
    }

    /// Uses scratch memory that other operations may share. Without this call the bound reduction allocates its own.
    pub fn workspace(self, workspace: &'b Workspace) -> Self {
        Reduction { workspace: Some(workspace), ..self }
    }

    /// Plans the dispatches and the memory that they need.
    ///
    /// # Errors
    ///
    /// See [`Reduce::plan`] and [`Reduction::len`].
    pub fn plan(&self) -> Result<Plan, Error> {
        let (parts, second) = self.extents()?;
        let mut plan = self.reducer.plan(self.shape, &parts, second)?;
        if let Some(elements) = self.stands_for {
            plan.work.passes.iter_mut().for_each(|launch| launch.change("count", |_| elements));
        }
        Ok(plan)
    }

    /// Binds all buffers, once, and returns a reduction that can be recorded any number of times.
    ///
    /// The output takes [`Plan::output`] bytes and starts at a multiple of
    /// `min_storage_buffer_offset_alignment`; inputs may start at any element. This call compiles the kernels
    /// that no earlier reduction of the reducer needed. It allocates a small uniform buffer (three small buffers with [`Reduction::count_buffer`]), a
    /// bind group for each dispatch and, unless you gave one, a workspace. Nothing is submitted, and no buffer is read or written yet.
    ///
    /// # Errors
    ///
    /// - The errors of [`Reduction::plan`] and [`Reduce::check`].
    /// - The shape takes no offsets or no count, or needs offsets that are missing.
    /// - Parameters are missing that the operator declares, or it declares none.
    /// - A buffer is too short, lacks [`wgpu::BufferUsages::STORAGE`], starts at an invalid offset, or would
    ///   be read and written at once.
    /// - The workspace is another device's.
    pub fn bind<'s>(self, output: impl Into<Slice<'s>>) -> Result<Bound, Error> {
        self.bound(&self.plan()?, output.into())
    }

    /// Records, submits, waits, and returns the results. This is for tools and tests; an application that
    /// draws frames should use [`Reduction::bind`]. In a browser only [`Reduction::run_async`] works.
    ///
    /// `T` is the [type](crate::reduce::FromResults) of one result, or a `Vec` of that type for shapes with several
    /// results.
    ///
    /// # Errors
    ///
    /// - The errors of [`Reduction::bind`].
    /// - The results have another type or another number than `T`.
    /// - The device is lost.
    pub fn run<T: FromResults>(self, queue: &Queue) -> Result<T, Error> {
        self.submit::<T>(queue)?.wait_with(|bytes| self.reducer.results(bytes))?
    }

    /// Returns the results without blocking. It records and submits at once. The future completes when the
    /// work is done and something else has polled the device; in a browser it completes without polling.
    ///
    /// # Errors
    ///
    /// See [`Reduction::run`].
    pub fn run_async<T: FromResults>(
        self,
        queue: &Queue,
    ) -> impl Future<Output = Result<T, Error>> + use<'r, T> {
        let (reducer, submitted) = (self.reducer, self.submit::<T>(queue));
        async move { submitted?.with(|bytes| reducer.results(bytes)).await? }
    }

    fn extent(&self, input: &Input<'_>) -> Result<BufferRange, Error> {
        let (size, sample) =
            (self.reducer.request(self.shape).item_size(), self.reducer.operation().sample());
        let mut elements = input.extent(size, sample, self.reducer.device())?;
        if let Shape::Strided { stride } = self.shape {
            elements.len = elements.len.div_ceil(stride.max(1));
        }
        Ok(elements)
    }

    /// True if the order in which texels are counted does not matter: all of them give one result.
    fn in_any_order(&self, plan: &Plan) -> bool {
        let is_all = self.shape == Shape::Whole && self.len.is_none() && self.count.is_none();
        is_all && plan.launches().iter().all(|launch| launch.step.workgroup_size.is_multiple_of(COLUMN))
    }

    /// The lengths and offsets of the parts of the first input, and those of the second.
    fn extents(&self) -> Result<(Vec<BufferRange>, Option<BufferRange>), Error> {
        let parts = self.parts.iter().map(|input| self.extent(input));
        let mut parts: Vec<_> = parts.collect::<Result<_, _>>()?;
        let mut second = self.second.map(|slice| self.extent(&Input::Buffer(slice))).transpose()?;
        if let Some(len) = self.len {
            input::cut(&mut parts, len)?;
            second.as_mut().map_or(Ok(()), |second| input::cut(std::slice::from_mut(second), len))?;
        }
        Ok((parts, second))
    }

    /// The inputs of its plans: the parts of the first one, the second one, the list of offsets.
    fn inputs(&self) -> Vec<Reads<'b>> {
        let parts = self.parts.iter().map(|part| Reads::elements("input", *part));
        let second = self.second.map(|second| Reads::elements("second input", Input::Buffer(second)));
        let list = |list| Reads { role: "offsets", input: Input::Buffer(list), is_list: true };
        parts.chain(second).chain(self.offsets.map(list)).collect()
    }

    fn bound(&self, plan: &Plan, output: Slice<'_>) -> Result<Bound, Error> {
        let Reduction { reducer, workspace, .. } = *self;
        check_list(&self.shape, self.offsets.is_some(), self.count.is_some(), plan)?;
        let monoid = reducer.monoid();
        let given = Given {
            inputs: self.inputs(),
            parameters: parameters::pair(monoid.name(), monoid.parameters(), self.parameters)?,
            outputs: vec![output],
            count: self.count.map(|count| (count, plan.most())),
            workspace,
            sample: reducer.operation().sample(),
            in_any_order: self.in_any_order(plan),
            vector: operation::vector(monoid),
        };
        given.bind(&operation::label(monoid), &plan.work, &reducer.own, |stage| reducer.stage(stage))
    }

    /// Records the reduction and a copy of its results into a new encoder, submits it, and requests the results.
    fn submit<T: FromResults>(&self, queue: &Queue) -> Result<Reading, Error> {
        let plan = self.plan()?;
        let layout = self.reducer.operation().output_layout();
        layout.check::<T>(plan.results)?;
        let size = plan.results * layout.stride;
        let device = self.reducer.device();
        let results =
            buffers::storage(device, "halofold::read::results", plan.output(), BufferUsages::COPY_SRC);
        let bound = self.bound(&plan, (&results).into())?;
        let copy = (&results, plan.output());
        Ok(read::submit((device, queue), &[copy], |encoder| bound.encode(encoder))?.read(size))
    }
}

/// Checks that offsets and a count on the GPU are given for the shapes that take them.
pub(super) fn check_list(
    shape: &Shape,
    has_offsets: bool,
    has_count: bool,
    plan: &Plan,
) -> Result<(), Error> {
    let takes_list = matches!(shape, Shape::Offsets { .. });
    if has_offsets != takes_list {
        let (number, remedy) = if takes_list { ("a", "give it by") } else { ("no", "leave out") };
        let message = format!("{shape:?} takes {number} list of offsets: {remedy} `.segment_offsets(…)`");
        return Err(Error::setting("segment_offsets", message));
    }
    let takes_count = matches!(shape.kind(), ShapeKind::Whole | ShapeKind::Accumulate | ShapeKind::Strided);
    if has_count && !takes_count {
        let shapes = "`Shape::Whole`, `Shape::Accumulate` and `Shape::Strided`";
        let message = format!("a count on the GPU goes with {shapes}, not with {shape:?}");
        return Err(Error::setting("count_buffer", message));
    }
    // An exact sum in two launches is one of a segment, which has its length from the host.
    let mut kernels = plan.launches().iter().map(|launch| launch.step.kernel);
    if has_count && kernels.any(|kernel| kernel == EXACT_FOLD.segments) {
        return Err(exact_in_one_launch());
    }
    Ok(())
}
