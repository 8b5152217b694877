//! The loop that steps a grid in rounds, and its end by a condition: for teams, ranks and streams. No GPU here.

use std::time::Instant;

use halofold::stencil::slab::Change;
use halofold::stencil::{Outcome, StencilError, Until};

use crate::search::Search;

/// The steps from one exchange of faces to the next, or of one pass over a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Round {
    /// The steps that it makes.
    pub steps: u32,
    /// True if it ends with a check of the changes of its last step.
    pub is_checked: bool,
    /// The most steps of the round after it: its faces are for as many.
    pub next: u32,
}

/// The rounds of a run. It is over after this many steps, or once a check finds that a step changed little enough: checks come after every
/// [`Until::every`] steps since the first, and after the last one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rounds {
    /// The most steps of a round.
    pub(crate) depth: u32,
    /// The steps after which the run ends.
    pub(crate) end: u32,
    /// The condition to end before.
    pub(crate) until: Option<Until>,
}

impl Rounds {
    /// The steps of the run after which it is over at the latest.
    pub const fn end(&self) -> u32 {
        self.end
    }

    /// Steps from one check to the next; all of them without checks.
    pub(crate) fn period(&self) -> u32 {
        self.until.map_or(self.end, |until| until.every).max(1)
    }

    /// The round after this many steps.
    pub(crate) fn after(&self, done: u32) -> Round {
        let due = self.until.map_or(self.end, |until| until.next_check(done, self.end));
        let steps = due.saturating_sub(done).min(self.depth);
        let is_checked = self.until.is_some() && steps > 0 && done + steps == due;
        Round { steps, is_checked, next: self.depth }
    }

    /// The next round of a run that has come so far; `None` if it is over.
    pub(crate) fn next(&self, outcome: &Outcome) -> Option<Round> {
        (outcome.steps < self.end && !outcome.converged).then(|| self.after(outcome.steps))
    }

    /// Adds a round, and the result of its check, to an outcome.
    pub(crate) fn add(&self, round: Round, change: Option<&Change>, outcome: &mut Outcome) {
        outcome.steps += round.steps;
        if let (Some(until), Some(change)) = (&self.until, change) {
            (outcome.max, outcome.l2) = (change.max(), change.l2());
            outcome.converged = change.meets(until);
        }
    }
}

/// The state of a run in rounds, for a [`Team`](crate::Team) and other drivers of [`Worker`](crate::Worker)s.
#[derive(Clone, Debug)]
pub struct Stepping {
    outcome: Outcome,
    /// The condition that the outcome is about.
    until: Option<Until>,
    /// The most steps of the next round: as many as the halos are enough for.
    depth: u32,
    /// The search for the best depth, unless it is given.
    search: Option<Search>,
    /// The end of the last round, if it was full and another one followed at once.
    last: Option<Instant>,
}

impl Stepping {
    /// The beginning of a run in rounds of up to `depth` steps.
    pub const fn new(depth: u32) -> Self {
        Stepping { outcome: Outcome::NONE, until: None, depth, search: None, last: None }
    }

    /// The beginning of a run in rounds of `depth` steps at first, which the times of rounds correct: to multiples of `unit`, up to `most`.
    pub fn corrected(depth: u32, unit: u32, most: u32) -> Self {
        Stepping { search: Some(Search::new(depth, unit, most)), ..Stepping::new(depth) }
    }

    /// Goes on in rounds of up to `depth` steps.
    pub(crate) fn set_depth(&mut self, depth: u32) {
        (self.depth, self.search, self.last) = (depth, None, None);
    }

    /// The steps done, and the result of the last check.
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The most steps of the next round.
    pub const fn depth(&self) -> u32 {
        self.depth
    }

    /// The most steps of any round.
    pub fn most(&self) -> u32 {
        self.search.as_ref().map_or(self.depth, Search::most)
    }

    /// The most steps of a round as the run has found them best so far.
    pub fn best(&self) -> u32 {
        self.search.as_ref().map_or(self.depth, Search::best)
    }

    /// True once no other depth is tried any more.
    pub fn is_settled(&self) -> bool {
        self.search.as_ref().is_none_or(Search::is_settled)
    }

    /// Begins to make so many steps in rounds, or if there is a condition fewer, as soon as a check finds that it is met. A run that has converged
    /// makes no more steps for this condition; without one, and for another one, it goes on.
    ///
    /// # Errors
    ///
    /// The condition is no number, or checks come after every zero steps.
    pub fn begin(&mut self, steps: u32, until: Option<&Until>) -> Result<Rounds, StencilError> {
        until.map_or(Ok(()), Until::check)?;
        if steps > 0 && self.until != until.copied() {
            self.until = until.copied();
            self.outcome.converged = false;
        }
        self.last = None;
        let end = self.outcome.steps.saturating_add(steps);
        Ok(Rounds { depth: self.depth, end, until: until.copied() })
    }

    /// The next round; `None` if all are made.
    pub fn next(&self, rounds: &Rounds) -> Option<Round> {
        let next = self.search.as_ref().map_or(self.depth, Search::depth);
        let round = Rounds { depth: self.depth, ..*rounds }.next(&self.outcome)?;
        Some(Round { next, ..round })
    }

    /// Adds a round that was made, and if it was checked the change of its last step. Where several processes make the same rounds, each with a
    /// `Stepping`, `agree` returns one time for all of them, of the seconds of each.
    pub fn add(
        &mut self,
        rounds: &Rounds,
        round: Round,
        change: Option<&Change>,
        agree: impl FnOnce(f64) -> f64,
    ) {
        rounds.add(round, change, &mut self.outcome);
        let is_full = round.steps == self.depth && !round.is_checked;
        self.depth = round.next;
        let Some(search) = &mut self.search else { return };
        let now = is_full.then(Instant::now);
        if let (Some(before), Some(now)) = (self.last, now)
            && round.steps == search.depth()
        {
            search.add((now - before).as_secs_f64(), agree);
        }
        self.last = now;
    }
}
