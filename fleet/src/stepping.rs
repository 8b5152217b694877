//! The loop that steps a grid in rounds, and its end by a condition: for teams, ranks and streams. No GPU here.

use halofold::stencil::slab::Change;
use halofold::stencil::{Outcome, StencilError, Until};

/// The steps from one exchange of faces to the next, or of one pass over a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Round {
    /// The steps that it makes.
    pub steps: u32,
    /// True if it ends with a check of the changes of its last step.
    pub is_checked: bool,
}

/// The rounds of a run. It ends after this many steps, or once a check finds that a step changed little enough: checks come after every
/// [`Until::every`] steps since the first, and after the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rounds {
    /// The most steps of a round.
    pub depth: u32,
    /// The steps after which the run ends.
    pub end: u32,
    /// The condition to end before.
    pub until: Option<Until>,
}

impl Rounds {
    /// Steps from one check to the next; all of them without checks.
    pub fn period(&self) -> u32 {
        self.until.map_or(self.end, |until| until.every).max(1)
    }

    /// The round after this many steps.
    pub fn after(&self, done: u32) -> Round {
        let due = self.until.map_or(self.end, |until| until.next_check(done, self.end));
        let steps = due.saturating_sub(done).min(self.depth);
        Round { steps, is_checked: self.until.is_some() && steps > 0 && done + steps == due }
    }

    /// The next round of a run that has come so far; `None` if it is over.
    pub fn next(&self, outcome: &Outcome) -> Option<Round> {
        (outcome.steps < self.end && !outcome.converged).then(|| self.after(outcome.steps))
    }

    /// Adds a round, and the result of its check, to an outcome.
    pub fn add(&self, round: Round, change: Option<&Change>, outcome: &mut Outcome) {
        outcome.steps += round.steps;
        if let (Some(until), Some(change)) = (&self.until, change) {
            (outcome.max, outcome.l2) = (change.max(), change.l2());
            outcome.converged = change.meets(until);
        }
    }
}

/// The loop of a run in rounds, for a [`Team`](crate::Team) and other drivers of [`Worker`](crate::Worker)s.
#[derive(Clone, Copy, Debug)]
pub struct Stepping {
    outcome: Outcome,
    /// The condition that the outcome is about.
    until: Option<Until>,
    /// The most steps of a round.
    depth: u32,
}

impl Stepping {
    /// The beginning of a run in rounds of up to `depth` steps.
    pub const fn new(depth: u32) -> Self {
        Stepping { outcome: Outcome::NONE, until: None, depth }
    }

    /// The steps done, and the result of the last check.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Makes so many steps in rounds, or if there is a condition fewer, as soon as a check finds that it is met. A run that has converged
    /// makes no more steps for this condition; without one, and for another one, it goes on.
    ///
    /// `run` makes a round. If it is checked it returns the change of its last step.
    ///
    /// # Errors
    ///
    /// - The condition is no number, or checks come after every zero steps.
    /// - Those of `run`.
    pub fn advance<E: From<StencilError>>(
        &mut self,
        steps: u32,
        until: Option<&Until>,
        mut run: impl FnMut(Round) -> Result<Option<Change>, E>,
    ) -> Result<Outcome, E> {
        until.map_or(Ok(()), Until::check)?;
        let Stepping { outcome, depth, .. } = self;
        if steps > 0 && self.until != until.copied() {
            self.until = until.copied();
            outcome.converged = false;
        }
        let end = outcome.steps.saturating_add(steps);
        let rounds = Rounds { depth: *depth, end, until: until.copied() };
        while let Some(round) = rounds.next(outcome) {
            let change = run(round)?;
            rounds.add(round, change.as_ref(), outcome);
        }
        Ok(*outcome)
    }
}
