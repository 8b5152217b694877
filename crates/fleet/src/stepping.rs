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
    /// The steps after which the run ends.
    end: u32,
}

impl Stepping {
    /// The beginning of a run in rounds of up to `depth` steps.
    pub const fn new(depth: u32) -> Self {
        Stepping { depth, outcome: Outcome::NONE, until: None, end: 0 }
    }

    /// The most steps of a round.
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The steps done, and the result of the last check.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Begins to make this many steps, or if there is a condition fewer: checks come after every [`Until::every`] steps since the first, and after
    /// the last one, and the run ends once one of them finds the condition met or a change that is NaN. A run that has converged makes no
    /// more steps for this condition; without one, and for another one, it goes on.
    ///
    /// # Errors
    ///
    /// The condition is no number, or checks come after every zero steps.
    pub fn begin(&mut self, steps: u32, until: Option<&Until>) -> Result<(), halofold::Error> {
        until.map_or(Ok(()), Until::check)?;
        if steps > 0 && self.until != until.copied() {
            self.until = until.copied();
            self.outcome.converged = false;
        }
        self.end = self.outcome.steps.saturating_add(steps);
        Ok(())
    }

    /// The next round; `None` if the run is over.
    pub fn next(&self) -> Option<Round> {
        let Outcome { steps: done, converged, .. } = self.outcome;
        let is_over = done >= self.end || self.until.is_some() && (converged || self.outcome.is_nan());
        let due = self.until.map_or(self.end, |until| until.next_check(done, self.end));
        let steps = due.saturating_sub(done).min(self.depth);
        let is_checked = self.until.is_some() && done + steps == due;
        (!is_over).then_some(Round { steps, is_checked })
    }

    /// Adds a round that was made, and if it was checked the change of its last step.
    pub fn add(&mut self, round: Round, change: Option<&Change>) {
        self.outcome.steps += round.steps;
        if let (Some(until), Some(change)) = (&self.until, change) {
            (self.outcome.max, self.outcome.l2) = (change.max(), change.l2());
            self.outcome.converged = change.meets(until);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_end_at_checks_and_at_the_end() {
        let mut run = Stepping::new(4);
        let mut rounds = |steps, until: Option<&Until>| {
            run.begin(steps, until).unwrap();
            let mut made = Vec::new();
            while let Some(round) = run.next() {
                made.push((round.steps, round.is_checked));
                run.add(round, None);
            }
            made
        };
        assert_eq!(rounds(9, None), [(4, false), (4, false), (1, false)]);
        let until = Until::new(0.0).with_every(6);
        assert_eq!(rounds(5, Some(&until)), [(3, true), (2, true)]);
        assert_eq!(rounds(0, None), []);
        assert!(run.begin(1, Some(&Until::new(f64::NAN))).is_err());
    }
}
