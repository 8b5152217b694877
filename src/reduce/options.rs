//! Options for the compilation of a reducer, and the check that a device supports it.

use std::borrow::Cow;

use crate::gpu::error::Error;
use crate::gpu::kernel::{Checks, Kernels};
use crate::gpu::limits::{self, LimitError};
use crate::ladder::plan::{Setup, check as check_rung};
use crate::reduce::compose::Text;
use crate::reduce::exact::{Accuracy, EXACT_FOLD};
use crate::reduce::kernel::ACCUMULATE;
use crate::reduce::launches::Launches;
use crate::reduce::monoid::Monoid;
use crate::reduce::plan::request::Whole;
use crate::reduce::plan::{BufferRange, Plan, Request, Stage};
#[cfg(doc)]
use crate::reduce::reducer::Reducer;
use crate::reduce::refused::{no_atomic, not_exact};
use crate::reduce::shape::{Shape, ShapeKind};

/// Options for the compilation of a reducer. Start with [`Options::default`], which [`Reducer::new`] uses, and set what
/// differs: `Options::default().with_accuracy(Accuracy::Exact)`.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options<'a> {
    /// True, the default: kernels may use subgroup operations. They use them if the device has
    /// [`wgpu::Features::SUBGROUP`] and the accumulator is one word of 32 bits. Float sums with subgroup
    /// operations may differ in their last bits from those without.
    pub subgroups: bool,
    /// The caller's pipeline cache: `None` by default.
    pub cache: Option<&'a wgpu::PipelineCache>,
    /// Kernels to share with other operations: `None` by default. See [`Kernels`].
    pub kernels: Option<&'a Kernels>,
    /// A rung of the [`ladder`](crate::ladder) for [`Shape::Whole`]: `None` by default, for the fastest kernels with halofold's own tuning
    /// for each length.
    pub rung: Option<Setup>,
    /// The number of launches of [`Shape::Whole`] and [`Shape::Strided`], one or two, unless a rung says it:
    /// [`Launches::ByAdapter`] by default.
    pub launches: Launches,
    /// True: inputs are [states](crate::reduce#states) instead of elements. `false` by default. States are
    /// combined without `map`.
    pub from_states: bool,
    /// True: the reducer writes [states](crate::reduce#states) instead of results. `false` by default.
    pub to_states: bool,
    /// Accuracy of sums, which may be [exact](crate::reduce::exact): [`Accuracy::Fast`] by default.
    pub accuracy: Accuracy,
    pub(crate) checks: Checks,
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            subgroups: true,
            cache: None,
            kernels: None,
            rung: None,
            launches: Launches::ByAdapter,
            from_states: false,
            to_states: false,
            accuracy: Accuracy::Fast,
            checks: Checks::On,
        }
    }
}

impl<'a> Options<'a> {
    /// Returns these options with or without subgroup operations.
    pub const fn with_subgroups(self, subgroups: bool) -> Self {
        Options { subgroups, ..self }
    }

    /// Returns these options with a pipeline cache.
    pub const fn with_cache(self, cache: &'a wgpu::PipelineCache) -> Self {
        Options { cache: Some(cache), ..self }
    }

    /// Returns these options with [kernels to share](Kernels).
    pub const fn with_kernels(self, kernels: &'a Kernels) -> Self {
        Options { kernels: Some(kernels), ..self }
    }

    /// Returns these options without the checks that wgpu adds to shaders: no clamping of indices, no bounds on
    /// loops.
    ///
    /// # Safety
    ///
    /// halofold's own kernels stay inside their buffers and terminate. The `map`, `combine` and `finish` of a
    /// custom operator must do so as well: they may neither index out of bounds nor loop forever.
    pub const unsafe fn unchecked(self) -> Self {
        Options { checks: Checks::Off, ..self }
    }

    /// Returns these options with a rung of the ladder for whole inputs.
    pub const fn with_rung(self, setup: Setup) -> Self {
        Options { rung: Some(setup), ..self }
    }

    /// Returns these options with one launch or two for whole and strided inputs.
    pub const fn with_launches(self, launches: Launches) -> Self {
        Options { launches, ..self }
    }

    /// Returns these options with states as inputs, or with elements.
    pub const fn with_from_states(self, from_states: bool) -> Self {
        Options { from_states, ..self }
    }

    /// Returns these options with states as output, or with results.
    pub const fn with_to_states(self, to_states: bool) -> Self {
        Options { to_states, ..self }
    }

    /// Returns these options with exact sums, or with fast ones.
    pub const fn with_accuracy(self, accuracy: Accuracy) -> Self {
        Options { accuracy, ..self }
    }

    /// All kernels that plans with these options may launch on a device with these limits.
    pub fn stages(&self, monoid: &Monoid, form: ShapeKind, limits: &wgpu::Limits) -> Vec<Stage> {
        let monoid = self.exact(monoid).unwrap_or(Cow::Borrowed(monoid));
        self.request(&monoid, form, limits).stages()
    }

    /// Checks that a device with these features and limits can run an operator with these options. A
    /// [`Reducer`] makes this check before it compiles a kernel.
    ///
    /// # Errors
    ///
    /// - The device lacks a feature.
    /// - The device allows fewer storage buffers per shader than a kernel needs.
    /// - A custom operator declares a name that halofold's kernels also declare.
    /// - The form is [`ShapeKind::Accumulate`], and the operator does not support it.
    pub fn check(
        &self,
        monoid: &Monoid,
        form: ShapeKind,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Result<(), Error> {
        let monoid = &*self.exact(monoid)?;
        let monoid = &*monoid.on(features);
        let request = self.request(monoid, form, limits);
        if let Some(setup) = &self.rung {
            check_rung(&request, setup)?;
        }
        let features = self.features(features);
        let texts = request.stages().into_iter().map(|stage| Text { monoid, stage, features });
        texts.into_iter().try_for_each(|text| check(&text, self.subgroups, limits))
    }

    /// Plans the launches of a reducer with these options. This is [`Reducer::plan`] without a device.
    /// [`Launches::ByAdapter`] is one launch here.
    ///
    /// # Errors
    ///
    /// See [`Plan::of`].
    pub fn plan(
        &self,
        monoid: &Monoid,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
        limits: &wgpu::Limits,
    ) -> Result<Plan, Error> {
        self.request(&*self.exact(monoid)?, shape.kind(), limits).plan(shape, parts, second)
    }

    /// Checks the device for the features that every form needs of an operator, which has the options' accuracy.
    pub(super) fn check_operator(
        &self,
        monoid: &Monoid,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Result<(), Error> {
        if self.rung.is_some() {
            return self.check(monoid, ShapeKind::Whole, features, limits);
        }
        monoid.check_features(features)?;
        // A custom operator that collides with the kernels should be reported early.
        let stages = self.stages(monoid, ShapeKind::Whole, limits);
        let text = |stage: &Stage| Text { monoid, stage: *stage, features: self.features(features) };
        stages.first().map_or(Ok(()), |stage| text(stage).checked())
    }

    /// The operator with the accuracy that the options set.
    pub(super) fn exact<'r>(&self, monoid: &'r Monoid) -> Result<Cow<'r, Monoid>, Error> {
        if !self.is_exact() && monoid.format().is_none() {
            return Ok(Cow::Borrowed(monoid));
        }
        if let Some(Setup { rung, .. }) = self.rung {
            if !EXACT_FOLD.has(rung.kernel) {
                let message = "rounds at every addition: exact sums have the rung `exact`";
                return Err(Error::setting("rung", format!("`{}` {message}", rung.name())));
            }
        }
        if monoid.format().is_some() {
            return Ok(Cow::Borrowed(monoid));
        }
        monoid.exact().map(Cow::Owned).ok_or_else(|| not_exact(monoid))
    }

    fn is_exact(&self) -> bool {
        self.accuracy == Accuracy::Exact || self.rung.is_some_and(|setup| EXACT_FOLD.has(setup.rung.kernel))
    }

    /// A request for plans of an operator, which has the options' accuracy.
    pub(super) fn request<'r>(
        &'r self,
        monoid: &'r Monoid,
        form: ShapeKind,
        limits: &'r wgpu::Limits,
    ) -> Request<'r> {
        let Options { launches, from_states, to_states, .. } = *self;
        Request {
            whole: self.rung.as_ref().map(|setup| setup as &dyn Whole),
            in_two_launches: launches == Launches::Two,
            from_states,
            to_states,
            ..Request::new(monoid, form, limits)
        }
    }

    /// The features of a device that kernels may use.
    pub(super) fn features(&self, mut features: wgpu::Features) -> wgpu::Features {
        features.set(wgpu::Features::SUBGROUP, self.subgroups && features.contains(wgpu::Features::SUBGROUP));
        features
    }
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
fn check_features(text: &Text<'_>) -> Result<(), Error> {
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
