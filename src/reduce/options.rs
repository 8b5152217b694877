//! How a reducer is compiled, and whether a device can.

use crate::pipeline;
use crate::reduce::compose::Text;
use crate::reduce::error::{PlanError, ReduceError};
use crate::reduce::ladder::{ACCUMULATE, Delivery, Subgroups};
use crate::reduce::meeting::Meeting;
use crate::reduce::monoid::Monoid;
use crate::reduce::plan::{self, Extent, Plan, Request, Stage};
#[cfg(doc)]
use crate::reduce::reducer::Reducer;
use crate::reduce::shape::{Form, Shape};
use crate::reduce::tuning::Strategy;

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
    /// Whether [`Shape::Whole`] and [`Shape::Strided`] take one launch or two, unless the strategy says: by the adapter by default.
    pub meeting: Meeting,
    /// Whether inputs are [states](crate::reduce#states) instead of elements, which are combined as they are: `false` by default.
    pub from_states: bool,
    /// Whether to leave [states](crate::reduce#states) instead of results: `false` by default.
    pub to_states: bool,
    /// Texts to replace in every kernel, and what by: faults that a test puts in to see that they are found.
    #[doc(hidden)]
    pub replacements: &'a [[&'a str; 2]],
}

impl Default for Options<'_> {
    fn default() -> Self {
        Options {
            subgroups: true,
            cache: None,
            strategy: Strategy::Fastest,
            meeting: Meeting::ByAdapter,
            from_states: false,
            to_states: false,
            replacements: &[],
        }
    }
}

impl Options<'_> {
    /// Everything that plans of a reducer with these options may launch, on a device with these limits.
    pub fn stages(&self, monoid: &Monoid, form: Form, limits: &wgpu::Limits) -> Vec<Stage> {
        self.request(monoid, form, limits).stages()
    }

    /// Checks that a device with these features and limits runs an operator so: what a [`Reducer`] checks before it compiles a
    /// kernel.
    ///
    /// # Errors
    ///
    /// A feature that is missing, fewer storage buffers in a shader than a kernel has, a custom operator whose names collide with
    /// halofold's, or [`Form::Accumulate`] for an operator that does not go with it.
    pub fn check(
        &self,
        monoid: &Monoid,
        form: Form,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Result<(), ReduceError> {
        let request = self.request(monoid, form, limits);
        if let Strategy::Rung { rung, finish, tuning } = self.strategy {
            plan::check(&request, rung, finish, tuning)?;
        }
        let features = self.features(features);
        let texts = request.stages().into_iter().map(|stage| Text { monoid, stage, features });
        texts.into_iter().try_for_each(|text| check(&text, self.subgroups, limits))
    }

    /// The launches of a reducer with these options: [`Reducer::plan`] without a device. [`Meeting::ByAdapter`] is one launch here.
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
        self.request(monoid, shape.form(), limits).plan(shape, parts, second)
    }

    /// Checks what every form needs of a device.
    pub(super) fn check_operator(
        &self,
        monoid: &Monoid,
        features: wgpu::Features,
        limits: &wgpu::Limits,
    ) -> Result<(), ReduceError> {
        if matches!(self.strategy, Strategy::Rung { .. }) {
            return self.check(monoid, Form::Whole, features, limits);
        }
        missing(monoid, monoid.name(), monoid.own_features() - features)?;
        // Of a custom operator: whether it goes together with a kernel at all is better known early.
        let stages = self.stages(monoid, Form::Whole, limits);
        let text = |stage: &Stage| Text { monoid, stage: *stage, features: self.features(features) };
        stages.first().map_or(Ok(()), |stage| text(stage).checked())
    }

    pub(super) fn request<'r>(
        &self,
        monoid: &'r Monoid,
        form: Form,
        limits: &'r wgpu::Limits,
    ) -> Request<'r> {
        let Options { strategy, meeting, from_states, to_states, .. } = *self;
        let in_two_launches = meeting == Meeting::TwoLaunches;
        Request { strategy, in_two_launches, from_states, to_states, ..Request::new(monoid, form, limits) }
    }

    /// What kernels may use of a device's features.
    pub(super) fn features(&self, mut features: wgpu::Features) -> wgpu::Features {
        features.set(wgpu::Features::SUBGROUP, self.subgroups && features.contains(wgpu::Features::SUBGROUP));
        features
    }
}

/// Checks that a device with these limits runs a kernel, and that a custom operator goes together with it.
pub(super) fn check(text: &Text<'_>, subgroups: bool, limits: &wgpu::Limits) -> Result<(), ReduceError> {
    let kernel = text.stage.kernel;
    if kernel.subgroups == Subgroups::Required && !subgroups {
        return Err(ReduceError::SubgroupsDisabled { rung: kernel.name });
    }
    check_features(text)?;
    check_bindings(text.monoid, &text.slots(), limits)?;
    text.checked()
}

/// Nothing may be missing.
fn missing(monoid: &Monoid, name: &str, feature: wgpu::Features) -> Result<(), ReduceError> {
    let (name, element) = (name.to_owned(), monoid.element_name());
    if feature.is_empty() { Ok(()) } else { Err(ReduceError::MissingFeature { name, element, feature }) }
}

/// Checks that the device has what a stage needs.
fn check_features(text: &Text<'_>) -> Result<(), ReduceError> {
    let Text { monoid, stage, features } = text;
    let missing = |name: &str, needed: wgpu::Features| missing(monoid, name, needed - *features);
    let kernel = stage.kernel;
    if *kernel == ACCUMULATE {
        let besides = monoid.accumulates().ok_or_else(|| ReduceError::no_atomic(monoid))?;
        missing(monoid.name(), monoid.features() | besides)?;
    }
    if kernel.subgroups == Subgroups::Required {
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
    Ok(pipeline::check(slots, limits).map_err(PlanError::from)?)
}
