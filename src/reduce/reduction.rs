//! One reduction: which elements of which buffers, in which shape, and what becomes of the results.

use wgpu::Queue;

use crate::binding;
use crate::dispatch::Dispatch;
use crate::read::{self, Readback};
use crate::reduce::bind::{self, Bound};
use crate::reduce::error::ReduceError;
use crate::reduce::plan::{Extent, Plan};
use crate::reduce::prepared::Prepared;
use crate::reduce::reducer::Reducer;
use crate::reduce::results::{self, FromResults};
use crate::reduce::shape::{Form, Shape};
use crate::reduce::workspace::Workspace;
use crate::slice::Slice;

/// What a [`Reducer`] is to reduce: made by [`Reducer::of`], described further by the methods that return it, and ended by one of
/// [`wait`](Reduction::wait), [`read`](Reduction::read), [`into`](Reduction::into) and [`plan`](Reduction::plan).
///
/// Describing costs nothing. What does not go together is an error of the last step.
#[derive(Clone, Debug)]
#[must_use = "nothing is recorded before `into`, `wait` or `read`"]
pub struct Reduction<'a> {
    reducer: &'a Reducer,
    shape: Shape,
    sources: Sources<'a>,
    workspace: Option<&'a Workspace>,
}

/// Where a reduction reads.
#[derive(Clone, Debug)]
pub(super) struct Sources<'a> {
    pub(super) parts: Vec<Slice<'a>>,
    pub(super) second: Option<Slice<'a>>,
    pub(super) offsets: Option<Slice<'a>>,
    pub(super) count: Option<Slice<'a>>,
    stands_for: Option<u32>,
}

impl<'a> Reduction<'a> {
    pub(super) fn new(reducer: &'a Reducer, first: Slice<'a>) -> Self {
        let sources =
            Sources { parts: vec![first], second: None, offsets: None, count: None, stands_for: None };
        Reduction { reducer, shape: Shape::Whole, sources, workspace: None }
    }

    /// The second input, of an operator that maps pairs: as many elements as the first, which it may be itself.
    pub fn and(mut self, second: impl Into<Slice<'a>>) -> Self {
        self.sources.second = Some(second.into());
        self
    }

    /// More elements behind those so far: another buffer, or another part of the same one. Positions go on from one to the next.
    ///
    /// For [`Shape::Whole`] and [`Shape::Accumulate`] of operators of one input.
    pub fn chain(mut self, more: impl Into<Slice<'a>>) -> Self {
        self.sources.parts.push(more.into());
        self
    }

    /// Every `stride`-th element, from the first on: [`Shape::Strided`].
    pub fn strided(self, stride: u64) -> Self {
        self.shape(Shape::Strided { stride })
    }

    /// One result for every `len` elements: [`Shape::Segments`].
    pub fn segments(self, len: u64) -> Self {
        self.shape(Shape::Segments { len })
    }

    /// One result for every column of `len` elements of a row-major array `[outer, len, inner]`: [`Shape::axis`].
    pub fn axis(self, outer: u64, len: u64, inner: u64) -> Self {
        self.shape(Shape::axis(outer, len, inner))
    }

    /// One result between every two neighbours of a list of `u32` on the GPU, which count elements from the input's first one:
    /// [`Shape::Offsets`]. The list starts at a multiple of `min_storage_buffer_offset_alignment` bytes, in another buffer than
    /// the output.
    pub fn between(mut self, offsets: impl Into<Slice<'a>>) -> Self {
        let list = offsets.into();
        self.sources.offsets = Some(list);
        self.shape(Shape::Offsets { count: (list.size() / 4).saturating_sub(1) })
    }

    /// Added to what the output holds, which takes its place otherwise: [`Shape::Accumulate`].
    pub fn accumulate(self) -> Self {
        self.shape(Shape::Accumulate)
    }

    /// Any shape, for code that has it as a value. [`Shape::Offsets`] needs [`Reduction::between`].
    pub fn shape(self, shape: Shape) -> Self {
        Reduction { shape, ..self }
    }

    /// Only the first elements, of which the GPU knows the number: a `u32` at a multiple of 4 bytes, which some earlier dispatch may
    /// have written, even in the same pass. If it is more than there are, all are reduced; the plan is made for all. `finish` is
    /// given the smaller number. The count may lie in the output's buffer: it is read before anything is written.
    ///
    /// For [`Shape::Whole`], [`Shape::Accumulate`] and [`Shape::Strided`]. Costs one dispatch more, of one workgroup for every 64
    /// dispatches of the plan, which the others wait for; with tiny bindings several.
    ///
    /// ```
    /// use halofold::Element;
    /// use halofold::reduce::{Op, Reducer};
    ///
    /// # fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
    /// # let Some((device, queue)) = opened else { return Ok(()) };
    /// # use halofold::wgpu::{self, util::DeviceExt as _};
    /// # let buffer = |contents: &[u8]| device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
    /// #     label: None, contents, usage: wgpu::BufferUsages::STORAGE });
    /// # let list = buffer(bytemuck::cast_slice(&[1f32, 2.0, 6.0, 1e9, 1e9]));
    /// # for (len, expected) in [(3u32, 3f32), (2, 1.5)] {
    /// # let len = buffer(&len.to_ne_bytes());
    /// let mean = Reducer::new(&device, Op::Mean.over(Element::F32)?)?;
    /// // `list` has room for many elements; how many it holds, some culling pass has counted into `len`.
    /// let mean: f32 = mean.of(&list).first(&len).wait(&queue)?;
    /// # assert_eq!(mean, expected);
    /// # }
    /// # Ok(())
    /// # }
    /// # run().unwrap();
    /// ```
    pub fn first(mut self, count: impl Into<Slice<'a>>) -> Self {
        self.sources.count = Some(count.into());
        self
    }

    /// How many elements the inputs are the [states](crate::reduce#states) of: what `finish` is given.
    pub fn standing_for(mut self, elements: u32) -> Self {
        self.sources.stands_for = Some(elements);
        self
    }

    /// Scratch memory that other reductions use, too. Without it the prepared reduction has its own.
    pub fn workspace(self, workspace: &'a Workspace) -> Self {
        Reduction { workspace: Some(workspace), ..self }
    }

    /// The dispatches, and the memory that they need.
    ///
    /// # Errors
    ///
    /// Those of [`Plan::of`].
    pub fn plan(&self) -> Result<Plan, ReduceError> {
        let Sources { parts, second, stands_for, .. } = &self.sources;
        let parts: Vec<_> = parts.iter().map(|slice| self.extent(*slice)).collect();
        let plan = self.reducer.plan(self.shape, &parts, second.map(|slice| self.extent(slice)))?;
        Ok(stands_for.iter().fold(plan, |plan, elements| plan.standing_for(*elements)))
    }

    /// Binds everything, once: what comes back can be recorded any number of times.
    ///
    /// The output takes [`Plan::output`] bytes and starts at a multiple of `min_storage_buffer_offset_alignment`; inputs start at any
    /// element. Compiles kernels that no reduction of the reducer needed before. Allocates a small uniform buffer (three small
    /// buffers with [`Reduction::first`]), a bind group for each dispatch and, unless there is one, a workspace. Nothing is
    /// submitted, and no buffer is read or written yet.
    ///
    /// # Errors
    ///
    /// Those of [`Reduction::plan`] and [`Options::check`](crate::reduce::Options::check); offsets or a count that the shape does not
    /// take, or lacks; a buffer that is too short, lacks [`wgpu::BufferUsages::STORAGE`], starts in the wrong place or is read and
    /// written; a workspace that is too small.
    pub fn into(self, output: impl Into<Slice<'a>>) -> Result<Prepared, ReduceError> {
        self.prepare(output.into())
    }

    /// Records, submits and waits: the results on the host. For tools and tests; an application that draws frames wants
    /// [`Reduction::into`]. In a browser only [`Reduction::read`] works.
    ///
    /// `T` is the type of one result ([`FromResult`](crate::reduce::FromResult)), or a `Vec` of it for shapes that give several.
    ///
    /// # Errors
    ///
    /// Those of [`Reduction::into`]; results of another type or number; a device that is lost.
    pub fn wait<T: FromResults>(self, queue: &Queue) -> Result<T, ReduceError> {
        let (readback, size) = self.submit::<T>(queue)?;
        self.reducer.results(&readback.wait(size)?)
    }

    /// The same without blocking: submits at once, and completes when the work is done and the device has been polled, by somebody
    /// else (in a browser, on its own).
    ///
    /// # Errors
    ///
    /// As [`Reduction::wait`].
    pub fn read<T: FromResults>(
        self,
        queue: &Queue,
    ) -> impl Future<Output = Result<T, ReduceError>> + use<'a, T> {
        let bytes = self.submit::<T>(queue).map(|(readback, size)| readback.read(size));
        async move { self.reducer.results(&bytes?.await?) }
    }

    fn extent(&self, slice: Slice<'_>) -> Extent {
        let elements = slice.size() / self.reducer.item_size();
        let len = match self.shape {
            Shape::Strided { stride } => elements.div_ceil(stride.max(1)),
            _ => elements,
        };
        Extent { offset: slice.offset(), len }
    }

    fn prepare(&self, output: Slice<'_>) -> Result<Prepared, ReduceError> {
        let Reduction { reducer, shape, ref sources, workspace } = *self;
        let plan = self.plan()?;
        if sources.offsets.is_some() != matches!(shape, Shape::Offsets { .. }) {
            return Err(ReduceError::Offsets(shape));
        }
        let takes_count = matches!(shape.form(), Form::Whole | Form::Accumulate | Form::Strided);
        if sources.count.is_some() && !takes_count {
            return Err(ReduceError::Count(shape));
        }
        bind::check(&plan, sources, output, reducer.limits())?;
        let own;
        let workspace = match workspace {
            Some(workspace) => workspace,
            None => {
                own = Workspace::new(reducer.device(), &plan);
                &own
            }
        };
        workspace.check(&plan)?;
        let (params, prologue) = reducer.parameters(&plan, sources.count)?;
        // Exact sums read words, whatever the elements are.
        let vector = if reducer.monoid().format().is_some() { 16 } else { 4 * reducer.monoid().stride() };
        let bound = Bound { plan: &plan, sources, output, workspace, params: &params, vector };
        let launches = plan.launches.iter().enumerate().map(|(index, launch)| {
            let compiled = reducer.stage(launch.stage)?;
            let resources = compiled.slots.iter().map(|&slot| (slot, bound.slot(slot, index, launch)));
            let device = reducer.device();
            let bindings = binding::bind(device, "halofold::reduce::bindings", &compiled.layout, resources);
            Ok(Dispatch { pipeline: compiled.pipeline, bindings, grid: launch.grid })
        });
        let launches: Vec<_> =
            prologue.into_iter().map(Ok).chain(launches).collect::<Result<_, ReduceError>>()?;
        Ok(Prepared::new(plan, launches, reducer.monoid().name()))
    }

    /// Records everything into an encoder of its own, with a copy of the results, and submits it. Answers the copy, and how many
    /// bytes it has.
    fn submit<T: FromResults>(&self, queue: &Queue) -> Result<(Readback, u64), ReduceError> {
        let plan = self.plan()?;
        results::check::<T>(self.reducer, plan.results)?;
        let readback = read::submit((self.reducer.device(), queue), plan.output, |results, encoder| {
            self.prepare(results.into())?.encode(encoder);
            Ok::<_, ReduceError>(())
        })?;
        Ok((readback, plan.results * self.reducer.format().stride))
    }
}
