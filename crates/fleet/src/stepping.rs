//! The rounds of a run, and its end by a condition: for teams and ranks. No GPU here.

use halofold::stencil::slab::Change;
use halofold::stencil::{Outcome, Until};

/// The steps from one exchange of faces to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// The steps that it makes.
    pub steps: u32,
    /// True if it ends with a check of the changes of its last step.
    pub is_checked: bool,
}

/// The state of a run in rounds, for a [`Team`](crate::Team) and other drivers of [`Worker`](crate::Worker)s.
#[derive(Clone, Debug)]
pub struct Stepping {
    /// The most steps of a round.
    depth: u32,
    outcome: Outcome,
    /// The condition that the outcome is about.
    until: Option<Until>,
}

impl Stepping {
    /// The beginning of a run in rounds of up to `depth` steps.
    pub const fn new(depth: u32) -> Self {
        Stepping { depth, outcome: Outcome::NONE, until: None }
    }

    /// The most steps of a round.
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The steps done, and the result of the last check.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Makes this many steps, or if there is a condition fewer: checks come after every [`Until::every`] steps since the first, and after
    /// the last one, and the run ends once one of them finds the condition met or a change that is NaN. A run that has converged makes no
    /// more steps for this condition; without one, and for another one, it goes on.
    ///
    /// `make` makes a round, and returns the change of its last step if it is checked.
    ///
    /// # Errors
    ///
    /// - The condition is no number, or checks come after every zero steps.
    /// - The errors of `make`.
    pub fn run<E: From<halofold::Error>>(
        &mut self,
        steps: u32,
        until: Option<&Until>,
        mut make: impl FnMut(Round) -> Result<Option<Change>, E>,
    ) -> Result<Outcome, E> {
        until.map_or(Ok(()), Until::check)?;
        if steps > 0 && self.until != until.copied() {
            self.until = until.copied();
            self.outcome.converged = false;
        }
        let end = self.outcome.steps.saturating_add(steps);
        let is_over = |outcome: Outcome| until.is_some() && (outcome.converged || outcome.is_nan());
        while self.outcome.steps < end && !is_over(self.outcome) {
            let done = self.outcome.steps;
            let due = until.map_or(end, |until| until.next_check(done, end));
            let steps = (due - done).min(self.depth);
            let change = make(Round { steps, is_checked: until.is_some() && done + steps == due })?;
            self.outcome.steps += steps;
            if let (Some(until), Some(change)) = (until, change) {
                (self.outcome.max, self.outcome.l2) = (change.max(), change.l2());
                self.outcome.converged = change.meets(until);
            }
        }
        Ok(self.outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_end_at_checks_and_at_the_end() {
        let mut run = Stepping::new(4);
        let mut rounds = |steps, until: Option<&Until>| {
            let mut made = Vec::new();
            let run = run.run(steps, until, |round| {
                made.push((round.steps, round.is_checked));
                Ok::<_, halofold::Error>(None)
            });
            run.map(|_| made)
        };
        assert_eq!(rounds(9, None).unwrap(), [(4, false), (4, false), (1, false)]);
        let until = Until::new(0.0).with_every(6);
        assert_eq!(rounds(5, Some(&until)).unwrap(), [(3, true), (2, true)]);
        assert_eq!(rounds(0, None).unwrap(), []);
        assert!(rounds(1, Some(&Until::new(f64::NAN))).is_err());
    }
}
