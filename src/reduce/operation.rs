//! A reduction as a plain value, and the check that a device supports it.

use std::borrow::Cow;
use std::sync::Arc;

use wgpu::{Device, TextureSampleType};

use crate::gpu::data::{Data, Host, Planned};
use crate::gpu::error::Error;
use crate::gpu::kernel::{Kernel, Pipelines};
use crate::gpu::limits::{self, LimitError};
use crate::gpu::operation::OnDevice;
use crate::gpu::{Launches, Options, TextureError};
#[cfg(feature = "ladder")]
use crate::ladder::plan::Setup;
use crate::reduce::compose::Text;
use crate::reduce::exact::{Accuracy, EXACT_FOLD};
use crate::reduce::kernel::ACCUMULATE;
use crate::reduce::monoid::Monoid;
use crate::reduce::plan::request::Whole;
use crate::reduce::plan::{BufferRange, Plan, Request, Stage};
use crate::reduce::reduction::check_list;
use crate::reduce::refused::{no_atomic, not_exact};
use crate::reduce::results::OutputLayout;
use crate::reduce::shape::{Shape, ShapeKind};

/// A reduction: an operator, and what it reads and writes. [`Compiled`](crate::Compiled) brings it to a device.
///
/// ```
/// use halofold::reduce::{Op, Reduce};
/// use halofold::{Compiled, Element, Options};
///
/// # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
/// # let elements = buffer(bytemuck::cast_slice(&[1.0f32, -3.0, 2.0, -3.0]));
/// let least = Reduce::new(Op::ArgMin.over(Element::F32)?);
/// let least = Compiled::new(&device, least, &Options::default())?;
/// let (value, index): (f32, u32) = least.of(&elements).run(&queue)?;
/// assert_eq!((value, index), (-3.0, 1));
/// // Of rows of two elements:
/// let rows: Vec<(f32, u32)> = least.of(&elements).segments(2).run(&queue)?;
/// assert_eq!(rows, [(-3.0, 1), (-3.0, 1)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reduce {
    monoid: Monoid,
    /// The planner of whole inputs; `None` for halofold's own.
    pub(super) rung: Option<Arc<dyn Whole>>,
    pub(super) from_states: bool,
    pub(super) to_states: bool,
    accuracy: Accuracy,
}

impl Reduce {
    /// A reduction of elements to results, by the fastest kernels.
    pub const fn new(monoid: Monoid) -> Self {
        Reduce { monoid, rung: None, from_states: false, to_states: false, accuracy: Accuracy::Fast }
    }

    /// Returns it with a rung of the [`ladder`](crate::ladder) for whole inputs, in the place of the fastest kernels with halofold's own
    /// tuning for each length.
    #[cfg(feature = "ladder")]
    #[must_use]
    pub fn with_rung(self, setup: Setup) -> Self {
        Reduce { rung: Some(Arc::new(setup)), ..self }
    }

    /// Returns it with [states](crate::reduce#states) as inputs, or with elements. States are combined without `map`.
    #[must_use]
    pub fn with_from_states(self, from_states: bool) -> Self {
        Reduce { from_states, ..self }
    }

    /// Returns it with [states](crate::reduce#states) as output, or with results.
    #[must_use]
    pub fn with_to_states(self, to_states: bool) -> Self {
        Reduce { to_states, ..self }
    }

    /// Returns it with [exact](crate::reduce::exact) sums, or with fast ones.
    #[must_use]
    pub fn with_accuracy(self, accuracy: Accuracy) -> Self {
        Reduce { accuracy, ..self }
    }

    /// The operator. On a device it is that of its adapter and accuracy.
    pub fn monoid(&self) -> &Monoid {
        &self.monoid
    }

    /// All kernels that its plans may dispatch on a device with these limits.
    pub fn stages(&self, form: ShapeKind, options: &Options<'_>, limits: &wgpu::Limits) -> Vec<Stage> {
        let monoid = self.exact().unwrap_or(Cow::Borrowed(&self.monoid));
        self.request(&monoid, form, options.launches, limits).stages()
    }

    /// Checks that a device with these features and limits can run it in shapes of a form. [`Compiled`](crate::Compiled) makes this check
    /// before it compiles a kernel.
    ///
    /// # Errors
    ///
    /// - The device lacks a feature.
    /// - The device allows fewer storage buffers per shader than a kernel needs.
    /// - The form is [`ShapeKind::Accumulate`], and the operator does not support it.
    pub fn check(
        &self,
        form: ShapeKind,
        options: &Options<'_>,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Result<(), Error> {
        let monoid = &*self.exact()?;
        let monoid = &*monoid.on(features);
        let request = self.request(monoid, form, options.launches, limits);
        self.rung.iter().try_for_each(|rung| rung.check(&request))?;
        let features = options.features(features);
        let texts = request.stages().into_iter().map(|stage| Text { monoid, stage, features });
        texts.into_iter().try_for_each(|text| check(&text, options.subgroups, limits))
    }

    /// Plans the dispatches for a shape over inputs of these lengths, on a device with these limits. It is pure and needs no device.
    ///
    /// `parts` are the parts of the first input: one, or several if the shape takes several. `second` is the
    /// second input of an operator with two inputs.
    ///
    /// ```
    /// use halofold::reduce::{BufferRange, Op, Reduce, Shape};
    /// use halofold::{Element, Options, wgpu};
    ///
    /// let sum = Reduce::new(Op::Sum.over(Element::F32)?);
    /// let (options, limits) = (Options::default(), wgpu::Limits::default());
    /// let plan = |shape, len| sum.plan(shape, &[BufferRange { offset: 0, len }], None, &options, &limits);
    ///
    /// let rows = plan(Shape::Segments { len: 1000 }, 1_000_000)?;
    /// assert_eq!((rows.launches().len(), rows.results(), rows.output(), rows.scratch()), (1, 1000, 4000, [0, 0]));
    /// // One long row is cut into chunks, to keep the GPU busy: 64 partials of 4 bytes.
    /// let row = plan(Shape::Segments { len: 1 << 20 }, 1 << 20)?;
    /// assert_eq!((row.launches().len(), row.results(), row.output(), row.scratch()), (2, 1, 4, [256, 0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// - The inputs do not fit the operator or the shape.
    /// - An offset is not the start of an element.
    /// - The device cannot bind or count that many elements or results.
    /// - The shape is [`Shape::Accumulate`], and the operator does not support it.
    pub fn plan(
        &self,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
        options: &Options<'_>,
        limits: &wgpu::Limits,
    ) -> Result<Plan, Error> {
        self.request(&*self.exact()?, shape.kind(), options.launches, limits).plan(shape, parts, second)
    }

    /// The same plan as data, with the kernels, for a host that runs it without this library. Segments between offsets have the input `offsets`,
    /// a list that starts at a multiple of `min_storage_buffer_offset_alignment`.
    ///
    /// # Errors
    ///
    /// Those of [`Reduce::check`] and [`Reduce::plan`]; an operator over texels; a count that does not go with the shape.
    pub fn data(
        &self,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
        host: &Host,
    ) -> Result<Data, Error> {
        let (options, Host { features, limits, .. }) = (Options::default(), host);
        self.check(shape.kind(), &options, *features, limits)?;
        if self.sample().is_some() {
            return Err(TextureError::NoTexture.into());
        }
        let monoid = self.exact()?.on(*features).into_owned();
        let reduce = Reduce { monoid: monoid.clone(), ..self.clone() };
        let plan = reduce.plan(shape, parts, second, &options, limits)?;
        check_list(&shape, matches!(shape, Shape::Offsets { .. }), host.count.is_some(), &plan)?;
        let list = matches!(shape, Shape::Offsets { .. }).then_some("offsets");
        let inputs = vec!["input"; parts.len()].into_iter().chain(second.map(|_| "second input")).chain(list);
        let depth = Some(plan.depth());
        let planned = Planned {
            label: label(&monoid),
            most: plan.most(),
            plan: plan.work,
            inputs: inputs.collect(),
            vector: vector(&monoid),
            declared: monoid.parameters(),
        };
        let text = |stage| Text { monoid: &monoid, stage, features: *features };
        Ok(Data { depth, ..planned.data(host, &|stage| kernel(&text(stage), true, limits))? })
    }

    /// The operator with the accuracy of the reduction.
    fn exact(&self) -> Result<Cow<'_, Monoid>, Error> {
        let monoid = &self.monoid;
        let rung = self.rung.as_ref().map(|rung| rung.kernel());
        let is_exact_rung = rung.is_some_and(|kernel| EXACT_FOLD.has(kernel));
        if self.accuracy != Accuracy::Exact && !is_exact_rung && monoid.format().is_none() {
            return Ok(Cow::Borrowed(monoid));
        }
        if let Some(kernel) = rung.filter(|_| !is_exact_rung) {
            let message = "rounds at every addition: exact sums have the rung `exact`";
            return Err(Error::setting("rung", format!("`{}` {message}", kernel.name)));
        }
        monoid.exact().map(Cow::Owned).ok_or_else(|| not_exact(monoid))
    }

    /// A request for plans of the operator with the accuracy of the reduction.
    pub(super) fn request<'r>(
        &'r self,
        monoid: &'r Monoid,
        form: ShapeKind,
        launches: Launches,
        limits: &'r wgpu::Limits,
    ) -> Request<'r> {
        Request { reduce: self, monoid, form, limits, in_two_launches: launches == Launches::Two }
    }

    /// The layout of an output: the numbers of a result, and the bytes from one result to the next.
    pub(super) fn output_layout(&self) -> OutputLayout {
        let monoid = &self.monoid;
        if self.to_states {
            let (name, fields) = (monoid.name().to_owned(), monoid.state_fields.clone().unwrap_or_default());
            return OutputLayout { name, fields, stride: monoid.acc_size() };
        }
        monoid.layout()
    }

    /// The type of the samples that it reads; `None` if it reads buffers.
    pub(super) fn sample(&self) -> Option<TextureSampleType> {
        self.monoid.sample().filter(|_| !self.from_states)
    }
}

impl OnDevice for Reduce {
    type Own = Pipelines<Stage>;

    fn on(self, device: &Device, options: &Options<'_>) -> Result<(Self, Self::Own), Error> {
        let (features, limits) = (device.features(), device.limits());
        let monoid = self.exact()?.on(features).into_owned().for_adapter(&device.adapter_info());
        let reduce = Reduce { monoid, ..self };
        if reduce.rung.is_some() {
            reduce.check(ShapeKind::Whole, options, features, &limits)?;
        } else {
            reduce.monoid.check_features(features)?;
            // An operator that does not compose with the kernels should be reported early.
            let (monoid, features) = (&reduce.monoid, options.features(features));
            let stages = reduce.stages(ShapeKind::Whole, options, &limits).into_iter().take(1);
            stages.map(|stage| Text { monoid, stage, features }).try_for_each(|text| text.checked())?;
        }
        Ok((reduce, Pipelines::new(device, *options)))
    }
}

/// The label of an operator's passes.
pub(super) fn label(monoid: &Monoid) -> String {
    format!("halofold::reduce::{}", monoid.name())
}

/// Bytes of the vectors of an operator's inputs.
pub(super) fn vector(monoid: &Monoid) -> u64 {
    if monoid.exact.is_some() { 16 } else { 4 * monoid.stride() }
}

/// The kernel of a text, on a device with these limits that can run it.
pub(super) fn kernel(text: &Text<'_>, subgroups: bool, limits: &wgpu::Limits) -> Result<Kernel, Error> {
    check(text, subgroups, limits)?;
    let Text { monoid, stage, .. } = text;
    Ok(Kernel::new(monoid.label(*stage), text.compose(), text.slots(), stage.overrides()))
}

/// Checks that a device with these limits can run a kernel, and that a custom operator composes with it.
pub(super) fn check(text: &Text<'_>, subgroups: bool, limits: &wgpu::Limits) -> Result<(), Error> {
    let kernel = text.stage.kernel;
    if kernel.needs_subgroups() && !subgroups {
        let message = "is about subgroup operations, which the options turn off";
        return Err(Error::setting("rung", format!("`{}` {message}", kernel.name)));
    }
    check_features(text)?;
    let named = |error: LimitError| error.of(format!("`{}`", text.monoid.name()));
    limits::check(&text.slots(), limits).map_err(named)?;
    text.checked()
}

/// Checks that the device has the features that a stage needs.
pub(super) fn check_features(text: &Text<'_>) -> Result<(), Error> {
    let Text { monoid, stage, features } = text;
    let check = |name: &str, needed: wgpu::Features| monoid.needs(name, needed - *features);
    let kernel = stage.kernel;
    if *kernel == ACCUMULATE {
        let besides = monoid.accumulates().ok_or_else(|| no_atomic(monoid))?;
        check(monoid.name(), monoid.features() | besides)?;
    }
    if kernel.needs_subgroups() {
        check(kernel.name, wgpu::Features::SUBGROUP)?;
    }
    if kernel.adds_to_total() {
        let no_word = || {
            let message = format!("no atomic word holds {}: use another rung", monoid.acc_type());
            Error::setting("rung", message)
        };
        check(kernel.name, monoid.atomic(*features).ok_or_else(no_word)?.features)?;
    }
    let in_words = kernel.collects_partials() || text.uses_subgroups() && !monoid.acc.is_word();
    Ok(check(monoid.name(), if in_words { monoid.features() } else { monoid.own_features() })?)
}
