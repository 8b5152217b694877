//! One row of a ladder: a rung for an operator over an element type, with its tuning.

use halofold::ladder::{Finish, Rung, Setup};
use halofold::reduce::plan::Stage;
use halofold::reduce::{Arity, BufferRange, Monoid, Op, Plan, Reduce, Shape, ShapeKind, Tuning};
use halofold::{Compiled, Element, Options};
use wgpu::{Device, Features, Limits};

/// A rung with its operator, element type and configuration.
#[derive(Clone, Copy, Debug)]
pub struct Job {
    /// The kernel.
    pub rung: &'static Rung,
    /// The operator. One of two inputs takes the same input twice.
    pub op: Op,
    /// The element type.
    pub element: Element,
    /// The tuning.
    pub tuning: Tuning,
    /// Method that combines partial results.
    pub finish: Finish,
    /// True: kernels may use subgroup operations where they are optional.
    pub subgroups: bool,
}

impl Job {
    /// A rung that finishes in its own way, tuned by halofold for `len` elements; `None` if the operator is not defined for
    /// the element type.
    pub fn new(rung: &'static Rung, op: Op, element: Element, limits: &Limits, len: u64) -> Option<Self> {
        if !op.is_over(element) {
            return None;
        }
        let bytes = len.saturating_mul(element.size());
        let tuning = Tuning::for_operator(rung.kernel, &op.over(element).ok()?, limits, bytes);
        Some(Job { rung, op, element, tuning, finish: rung.finishes[0], subgroups: true })
    }

    /// The operator over the element type.
    ///
    /// # Panics
    ///
    /// If it is not defined for it.
    pub fn monoid(&self) -> Monoid {
        self.op.over(self.element).expect("a job's operator is defined for its element type")
    }

    fn reduce(&self) -> Reduce {
        let Job { rung, finish, tuning, .. } = *self;
        Reduce::new(self.monoid()).with_rung(Setup { rung, finish, tuning })
    }

    fn options(&self) -> Options<'static> {
        Options::default().with_subgroups(self.subgroups)
    }

    /// Its reduction on a device.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub fn reducer(&self, device: &Device) -> Result<Compiled<Reduce>, halofold::Error> {
        Compiled::new(device, self.reduce(), &self.options())
    }

    /// Checks that a device with these features and limits runs it.
    ///
    /// # Errors
    ///
    /// Names the feature or the limit.
    pub fn check(&self, features: Features, limits: &Limits) -> Result<(), halofold::Error> {
        self.reduce().check(ShapeKind::Whole, &self.options(), features, limits)
    }

    /// The stages that its plans may dispatch.
    pub fn stages(&self, limits: &Limits) -> Vec<Stage> {
        self.reduce().stages(ShapeKind::Whole, &self.options(), limits)
    }

    /// Its plan for `len` elements that start `offset` bytes into a buffer.
    ///
    /// # Errors
    ///
    /// A size that the limits do not allow.
    pub fn plan(&self, offset: u64, len: u64, limits: &Limits) -> Result<Plan, halofold::Error> {
        let reduce = self.reduce();
        let input = BufferRange { offset, len };
        let second = (reduce.monoid().arity() == Arity::Two).then_some(input);
        reduce.plan(Shape::Whole, &[input], second, &self.options(), limits)
    }
}
