//! When to stop: how large the change of a step may still be. Plain values, no GPU here.

use crate::stencil::error::StencilError;

/// How the change from one step to the next is measured, over all cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Norm {
    /// The largest change: max |new − old|.
    #[default]
    Max,
    /// The square root of the sum of all squared changes.
    L2,
}

/// Stop as soon as a check finds the residual, the change made by the last step, below `epsilon`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Until {
    /// What the residual must be less than. Zero is never reached: all steps are done.
    pub epsilon: f64,
    /// How the residual is measured.
    pub norm: Norm,
    /// A check comes after so many steps. It reads both grids, so it takes about as long as a step.
    pub every: u32,
}

impl Until {
    /// Stops below `epsilon`: the largest change, checked after every ten steps.
    pub const fn new(epsilon: f64) -> Self {
        Until { epsilon, norm: Norm::Max, every: 10 }
    }

    /// The same by another norm.
    pub const fn with_norm(self, norm: Norm) -> Self {
        Until { norm, ..self }
    }

    /// The same with a check after every so many steps.
    pub const fn with_every(self, every: u32) -> Self {
        Until { every, ..self }
    }

    /// Checks the numbers.
    ///
    /// # Errors
    ///
    /// An epsilon that is negative or not a number, a check after every zero steps.
    pub fn check(&self) -> Result<(), StencilError> {
        if self.epsilon.is_nan() || self.epsilon < 0.0 {
            return Err(StencilError::Epsilon(self.epsilon));
        }
        if self.every == 0 {
            return Err(StencilError::NoChecks);
        }
        Ok(())
    }

    /// Whether changes are small enough. Those with a NaN among them never are.
    pub fn is_met(&self, max: f64, l2: f64) -> bool {
        !l2.is_nan() && max < self.epsilon && (self.norm == Norm::Max || l2 < self.epsilon)
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Outcome {
    /// Steps done.
    pub steps: u32,
    /// Whether a check found the residual below epsilon.
    pub converged: bool,
    /// Whether a piece of the run was submitted that does not go on where the run was: an odd number of steps before it had been recorded
    /// and never submitted, or submitted twice. From there on no step was taken; the grid is that of [`Outcome::steps`] steps.
    pub interrupted: bool,
    /// The largest change, as of the last check. Infinite before the first; NaN if any change is.
    pub max: f64,
    /// The root of the sum of squared changes, likewise.
    pub l2: f64,
}

impl Outcome {
    /// That of a run before its first step.
    pub const NONE: Outcome =
        Outcome { steps: 0, converged: false, interrupted: false, max: f64::INFINITY, l2: f64::INFINITY };

    /// Whether the result is in the first buffer: after an even number of steps. Else it is in the second.
    pub const fn in_first(&self) -> bool {
        self.steps.is_multiple_of(2)
    }
}
