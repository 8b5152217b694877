//! How far a run in rounds is. No GPU here.

use halofold::stencil::slab::Change;
use halofold::stencil::{Outcome, StencilError, Until};

/// How far a run in rounds is, and what its last check found: for [`Team`](crate::Team), and for whatever else drives
/// [`Worker`](crate::Worker)s.
#[derive(Clone, Copy, Debug)]
pub struct Course {
    outcome: Outcome,
    /// The condition that the outcome is about.
    until: Option<Until>,
    /// The most steps of a round.
    depth: u32,
}

impl Course {
    /// The beginning of a run in rounds of up to `depth` steps.
    pub const fn new(depth: u32) -> Self {
        Course { outcome: Outcome::NONE, until: None, depth }
    }

    /// Steps done.
    pub const fn done(&self) -> u32 {
        self.outcome.steps
    }

    /// What the last check found.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Makes so many steps in rounds: `round` is told how many a round makes.
    ///
    /// # Errors
    ///
    /// Those of `round`.
    pub fn advance<E>(&mut self, steps: u32, mut round: impl FnMut(u32) -> Result<(), E>) -> Result<(), E> {
        if steps > 0 {
            self.outcome.converged = false;
        }
        let mut left = steps;
        while left > 0 {
            let steps = left.min(self.depth);
            round(steps)?;
            self.outcome.steps += steps;
            left -= steps;
        }
        Ok(())
    }

    /// Makes up to so many steps, until a check finds that the last step changed little enough. A check comes after every
    /// [`Until::every`] steps since the first, and after the last one. A run that has converged makes no more steps for this condition;
    /// [`Course::advance`] and another condition go on.
    ///
    /// `round` is told how many steps a round makes and whether it is checked: then it returns what its last step changed.
    ///
    /// # Errors
    ///
    /// - The condition is no number, or checks come after every zero steps.
    /// - Those of `round`.
    pub fn advance_until<E: From<StencilError>>(
        &mut self,
        steps: u32,
        until: &Until,
        mut round: impl FnMut(u32, bool) -> Result<Option<Change>, E>,
    ) -> Result<Outcome, E> {
        until.check()?;
        if self.until.replace(*until) != Some(*until) {
            self.outcome.converged = false;
        }
        let end = self.done().saturating_add(steps);
        while self.done() < end && !self.outcome.converged {
            let due = until.next_check(self.done(), end);
            let steps = (due - self.done()).min(self.depth);
            let change = round(steps, self.done() + steps == due)?;
            self.outcome.steps += steps;
            if let Some(change) = change {
                (self.outcome.max, self.outcome.l2) = (change.max(), change.l2());
                self.outcome.converged = change.meets(until);
            }
        }
        Ok(self.outcome)
    }
}
