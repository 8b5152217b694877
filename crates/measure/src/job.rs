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
    /// The operator. An operator of two inputs takes the same input twice.
    pub op: Op,
    /// The element type.
    pub element: Element,
    /// The tuning.
    pub tuning: Tuning,
    /// The method that combines partial results.
    pub finish: Finish,
    /// True if kernels may use subgroup operations where these are optional.
    pub subgroups: bool,
}

impl Job {
    /// Makes a job of a rung with its own finish, tuned for `len` elements. `None` if the operator is not defined for
    /// the element type.
    pub fn new(rung: &'static Rung, op: Op, element: Element, limits: &Limits, len: u64) -> Option<Self> {
        if !op.is_over(element) {
            return None;
        }
        let bytes = len.saturating_mul(element.size());
        let tuning = Tuning::for_operator(rung.kernel, &op.over(element).ok()?, limits, bytes);
        Some(Job { rung, op, element, tuning, finish: rung.finishes[0], subgroups: true })
    }

    /// Returns the operator over the element type.
    ///
    /// # Panics
    ///
    /// If the operator is not defined for the type.
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

    /// Returns the reduction for a device.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`].
    pub fn reducer(&self, device: &Device) -> Result<Compiled<Reduce>, halofold::Error> {
        Compiled::new(device, self.reduce(), &self.options())
    }

    /// Checks that a device with these features and limits can run the job.
    ///
    /// # Errors
    ///
    /// Names the missing feature or limit.
    pub fn check(&self, features: Features, limits: &Limits) -> Result<(), halofold::Error> {
        self.reduce().check(ShapeKind::Whole, &self.options(), features, limits)
    }

    /// Returns the stages that its plans may dispatch.
    pub fn stages(&self, limits: &Limits) -> Vec<Stage> {
        self.reduce().stages(ShapeKind::Whole, &self.options(), limits)
    }

    /// Plans `len` elements that start `offset` bytes into a buffer.
    ///
    /// # Errors
    ///
    /// A size exceeds the limits.
    pub fn plan(&self, offset: u64, len: u64, limits: &Limits) -> Result<Plan, halofold::Error> {
        let reduce = self.reduce();
        let input = BufferRange { offset, len };
        let second = (reduce.monoid().arity() == Arity::Two).then_some(input);
        reduce.plan(Shape::Whole, &[input], second, &self.options(), limits)
    }
}
