//! The stopping condition: how large the change of a step may be. Plain values; no GPU here.

use std::str::FromStr;

use crate::gpu::SettingError;
use crate::gpu::error::Error;
use crate::parse;
use crate::reduce::Accuracy;

/// The norm of the change from one step to the next, over all cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Norm {
    /// The largest change: max |new − old|.
    #[default]
    Max,
    /// The square root of the sum of all squared changes.
    L2,
}

impl FromStr for Norm {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let name_of = |norm| if norm == Norm::Max { "max" } else { "l2" };
        parse::named(("norm", "norms"), [Norm::Max, Norm::L2], name_of, name)
    }
}

/// A stopping condition: a run stops once a check finds the residual below `epsilon`. The residual is the change made by the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Until {
    /// The bound that the residual must be below. With 0 no check succeeds, and all steps are done.
    pub epsilon: f64,
    /// The norm of the residual.
    pub norm: Norm,
    /// The number of steps from one check to the next. A check reads both grids, so it takes about as long as a step.
    pub every: u32,
    /// Method of adding the squares of changes: [`Accuracy::Fast`] by default, as 32-bit floats (64-bit floats for
    /// grids of `f64`), whose last bits depend on the GPU.
    ///
    /// [`Accuracy::Exact`] adds them without rounding: equal grids give [`Outcome::l2`] with the same bits on every GPU, and a run by [`Norm::L2`]
    /// stops at the same step. A check then reads both grids twice. The largest change has the same bits with either.
    pub accuracy: Accuracy,
}

impl Until {
    /// Stops when the largest change is below `epsilon`, checked after every ten steps.
    pub const fn new(epsilon: f64) -> Self {
        Until { epsilon, norm: Norm::Max, every: 10, accuracy: Accuracy::Fast }
    }

    /// Returns this condition with another norm.
    pub const fn with_norm(self, norm: Norm) -> Self {
        Until { norm, ..self }
    }

    /// Returns this condition with a check after every `every` steps.
    pub const fn with_every(self, every: u32) -> Self {
        Until { every, ..self }
    }

    /// Returns this condition with another way to add up squares.
    pub const fn with_accuracy(self, accuracy: Accuracy) -> Self {
        Until { accuracy, ..self }
    }

    /// The steps after which the next check comes, in a run that has made `done` steps and ends after `end`: a check comes after every
    /// [`Until::every`] steps since the first, and after the last one.
    pub fn next_check(&self, done: u32, end: u32) -> u32 {
        (done / self.every.max(1)).saturating_add(1).saturating_mul(self.every).min(end)
    }

    /// Checks the fields.
    ///
    /// # Errors
    ///
    /// Epsilon is negative or not a number, or checks come after every zero steps.
    pub fn check(&self) -> Result<(), Error> {
        if self.epsilon.is_nan() || self.epsilon < 0.0 {
            let remedy = "use a positive number, or 0 to take every step";
            let message = format!("an epsilon of {}: a residual is never below that; {remedy}", self.epsilon);
            return Err(Error::setting("Until::epsilon", message));
        }
        Ok(SettingError::unless("Until::every", self.every, 1..=u32::MAX)?)
    }
}

/// The outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// The number of steps done.
    pub steps: u32,
    /// True if a check found the residual below epsilon.
    pub converged: bool,
    /// True if a submitted piece did not continue the run, because an odd number of steps before it was never submitted, or was submitted twice. No
    /// step was taken after that. The grid is that after [`Outcome::steps`] steps.
    pub interrupted: bool,
    /// The largest change at the last check. Infinite before the first check; NaN if any change is NaN.
    pub max: f64,
    /// The square root of the sum of squared changes at the last check. Infinite before the first check; NaN if any change is NaN.
    pub l2: f64,
}

impl Outcome {
    /// The outcome before the first step of a run.
    pub const NONE: Outcome =
        Outcome { steps: 0, converged: false, interrupted: false, max: f64::INFINITY, l2: f64::INFINITY };

    /// Returns true if the last check found a change that is NaN, which has ended the run.
    pub const fn is_nan(&self) -> bool {
        self.max.is_nan()
    }

    /// Returns true if the result is in the first buffer: after an even number of steps. Otherwise it is in the second.
    pub const fn in_first(&self) -> bool {
        self.steps.is_multiple_of(2)
    }
}
