//! What one operator makes of one file, piece after piece.

use halofold::reduce::Op;

use super::check::Check;
use super::layout::{Layout, Share};
use super::op;
use super::results::Results;
use super::rule::{Rule, Span, State};
use super::slot::Outcome;
use crate::failure::Failure;

/// The state of one operator on its way through a file.
pub struct Tally {
    rule: Rule,
    parts: Vec<Op>,
    /// One for each result that the piece has a part of.
    states: Vec<State>,
    /// Elements so far.
    n: u64,
    results: Results,
    gpu_ms: Option<f64>,
    check: Check,
}

impl Tally {
    /// Before the first piece; with `verify` every piece will be computed on the CPU as well.
    pub fn new(rule: Rule, results: Results, verify: bool) -> Self {
        let check = if verify { Check::Right } else { Check::Unchecked };
        let parts = op::parts(rule.op, rule.stored.element());
        Tally { rule, parts, states: vec![rule.start()], n: 0, results, gpu_ms: None, check }
    }

    /// The library's operators whose outcomes it wants, in order.
    pub fn parts(&self) -> &[Op] {
        &self.parts
    }

    /// Adds what the GPU made of a piece by each of the parts.
    pub fn add(&mut self, share: &Share, outcomes: &[(&Outcome, &Check)]) -> Result<(), Failure> {
        let so_far = if self.n == 0 { Some(0.0) } else { self.gpu_ms };
        self.gpu_ms = outcomes.iter().fold(so_far, |ms, (outcome, _)| Some(ms? + outcome.gpu_ms?));
        outcomes.iter().for_each(|(_, check)| self.check.worsen(check));
        self.n += share.elements();

        if share.before == 0 {
            self.states = vec![self.rule.start(); share.results() as usize];
        }
        let place = outcomes.first().and_then(|(outcome, _)| outcome.place);
        let span = Span { before: share.before, len: share.len, place };
        let mut answers = Vec::new();
        for (result, state) in self.states.iter_mut().enumerate() {
            answers.clear();
            answers.extend(outcomes.iter().map(|(outcome, _)| outcome.answers[result]));
            self.rule.add(state, &answers, span);
        }
        if share.completes { self.complete(share.before + share.len) } else { Ok(()) }
    }

    /// The results that the states stand for, each of this many elements.
    fn complete(&mut self, n: u64) -> Result<(), Failure> {
        self.states.iter().try_for_each(|state| self.results.push(self.rule.finish(state, n)))
    }

    /// What comes after the last piece: the only result of everything, or those of an axis without elements.
    pub fn end(&mut self, layout: &Layout) -> Result<(), Failure> {
        match layout {
            Layout::Whole => self.complete(self.n),
            Layout::Axis(axis) if axis.len == 0 => {
                let answer = self.rule.finish(&self.rule.start(), 0);
                (0..axis.results()).try_for_each(|_| self.results.push(answer))
            }
            Layout::Axis(_) => Ok(()),
        }
    }

    /// How many elements there were.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// How long the GPU took for all pieces; unknown if there was none, or if it did not tell of each.
    pub fn gpu_ms(&self) -> Option<f64> {
        self.gpu_ms
    }

    /// What the CPU says, and the results.
    pub fn into_parts(self) -> (Check, Results) {
        (self.check, self.results)
    }
}

#[cfg(test)]
mod tests {
    use halofold::reduce::Answer;
    use halofold::{Element, Value};

    use super::*;

    #[test]
    fn times_add_up_unless_one_is_missing() {
        let rule = Rule { op: Op::Sum, stored: Element::U32.into(), ddof: 0 };
        let mut tally =
            Tally::new(rule, Results::new(Op::Sum, Element::U32.into(), &Layout::Whole, false), false);
        let mut before = 0;
        let mut add = |tally: &mut Tally, gpu_ms| {
            let answers = vec![Answer::Value(Value::Unsigned(3))];
            let outcome = Outcome { answers, place: None, depth: 2, gpu_ms };
            let share = Share { plane: 0, before, outer: 1, len: 2, inner: 1, completes: false };
            before += 2;
            tally.add(&share, &[(&outcome, &Check::Unchecked)]).map_err(|_| ()).unwrap();
            tally.gpu_ms()
        };
        assert_eq!(tally.gpu_ms(), None);
        assert_eq!(add(&mut tally, Some(0.5)), Some(0.5));
        assert_eq!(add(&mut tally, Some(0.25)), Some(0.75));
        assert_eq!(add(&mut tally, None), None);
        assert_eq!(add(&mut tally, Some(1.0)), None);
        assert_eq!(tally.n(), 8);
        assert_eq!(tally.into_parts().0, Check::Unchecked);
    }
}
