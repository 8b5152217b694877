//! Options of a reduction apart from its operator.

use halofold::ladder::Setup;
use halofold::reduce::plan::Stage;
use halofold::reduce::{Accuracy, BufferRange, Monoid, Plan, Reduce, Shape, ShapeKind};
use halofold::wgpu::{Device, Features, Limits};
use halofold::{Compiled, Error, Launches, Options};

/// Options of a reduction apart from its operator.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    pub options: Options<'static>,
    pub rung: Option<Setup>,
    pub accuracy: Accuracy,
    pub from_states: bool,
    pub to_states: bool,
}

impl How {
    pub fn with_subgroups(self, subgroups: bool) -> Self {
        How { options: self.options.with_subgroups(subgroups), ..self }
    }

    pub fn with_launches(self, launches: Launches) -> Self {
        How { options: self.options.with_launches(launches), ..self }
    }

    pub fn with_rung(self, setup: Setup) -> Self {
        How { rung: Some(setup), ..self }
    }

    pub fn with_accuracy(self, accuracy: Accuracy) -> Self {
        How { accuracy, ..self }
    }

    pub fn with_from_states(self, from_states: bool) -> Self {
        How { from_states, ..self }
    }

    pub fn with_to_states(self, to_states: bool) -> Self {
        How { to_states, ..self }
    }

    /// Builds the reduction of `monoid`.
    pub fn of(&self, monoid: &Monoid) -> Reduce {
        let How { rung, accuracy, from_states, to_states, .. } = *self;
        let reduce = Reduce::new(monoid.clone()).with_accuracy(accuracy);
        let reduce = reduce.with_from_states(from_states).with_to_states(to_states);
        rung.into_iter().fold(reduce, Reduce::with_rung)
    }

    /// Compiles the reduction of `monoid` on a device.
    pub fn on(&self, device: &Device, monoid: &Monoid) -> Result<Compiled<Reduce>, Error> {
        Compiled::new(device, self.of(monoid), &self.options)
    }

    pub fn stages(&self, monoid: &Monoid, form: ShapeKind, limits: &Limits) -> Vec<Stage> {
        self.of(monoid).stages(form, &self.options, limits)
    }

    pub fn check(
        &self,
        monoid: &Monoid,
        form: ShapeKind,
        features: Features,
        limits: &Limits,
    ) -> Result<(), Error> {
        self.of(monoid).check(form, &self.options, features, limits)
    }

    pub fn plan(
        &self,
        monoid: &Monoid,
        shape: Shape,
        parts: &[BufferRange],
        second: Option<BufferRange>,
        limits: &Limits,
    ) -> Result<Plan, Error> {
        self.of(monoid).plan(shape, parts, second, &self.options, limits)
    }
}
