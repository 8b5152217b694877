//! What operators make of the pieces of a file, for the tallies that want it.

use halofold::reduce::reference::Expected;
use halofold::reduce::{Answer, Op};

use super::check::{self, Check};
use super::file::Work;
use super::lane::{Job, Steps};
use super::layout::Share;
use super::place::Turned;
use super::slot::{Kernel, Made, Outcome};
use super::tally::Tally;
use super::{kernels, op};
use crate::failure::Failure;

/// What a file's pieces are for.
pub struct Outcomes<'a> {
    steps: Steps<'a>,
    /// How searches count places, if not in the order of memory.
    turned: Option<Turned>,
    /// For each tally, which of the outcomes of a piece are its parts.
    wanted: Vec<Vec<usize>>,
    /// Whether the CPU computes everything as well.
    verify: bool,
}

impl<'a> Outcomes<'a> {
    /// Those of some tallies.
    pub fn new(work: &'a Work, kernels: &[Kernel], tallies: &[Tally], verify: bool) -> Self {
        let mut used = Vec::new();
        let mut place = |op: Op| {
            let number = kernels::number(kernels, op, work.stored.element());
            let number = number.expect("every part has a reducer for every element type of the files");
            used.iter().position(|seen| *seen == number).unwrap_or_else(|| {
                used.push(number);
                used.len() - 1
            })
        };
        let wanted =
            tallies.iter().map(|tally| tally.parts().iter().map(|&op| place(op)).collect()).collect();
        let turned = work.turned().filter(|_| used.iter().any(|&number| op::is_search(kernels[number].op)));
        let is_looked_at = verify || turned.is_some();
        let steps = Steps { stored: work.stored, layout: &work.layout, used, is_looked_at };
        Outcomes { steps, turned, wanted, verify }
    }

    /// Adds the outcomes of a piece to the tallies that want them.
    pub fn tell(
        &self,
        share: &Share,
        outcomes: &[(Outcome, Check)],
        tallies: &mut [Tally],
    ) -> Result<(), Failure> {
        for (tally, wanted) in tallies.iter_mut().zip(&self.wanted) {
            let of = |&place: &usize| {
                let (outcome, check) = &outcomes[place];
                (outcome, check)
            };
            tally.add(share, &wanted.iter().map(of).collect::<Vec<_>>())?;
        }
        Ok(())
    }

    /// What the CPU makes of a piece, by each kernel.
    fn expect(&self, kernels: &[Kernel], share: &Share, pieces: &[&[u8]]) -> Vec<Vec<Expected>> {
        let stored = self.steps.stored;
        let pieces: Vec<_> = pieces.iter().map(|piece| stored.widened(piece)).collect();
        let one = |&number: &usize| {
            let op = kernels[number].op;
            let second = pieces.get(1).map(|piece| &**piece).filter(|_| op == Op::Dot);
            check::expected(op, stored.element(), share, &pieces[0], second)
        };
        self.steps.used.iter().map(one).collect()
    }

    /// Where a search found its element, if that is not counted in the order of memory.
    fn place(&self, share: &Share, pieces: &[&[u8]], outcome: &Outcome) -> Option<u64> {
        let turned = self.turned.as_ref()?;
        let Some(Answer::At { index, .. }) = outcome.answers.first() else { return None };
        Some(turned.first(pieces[0], share.before, u64::from(*index)))
    }
}

impl Job for Outcomes<'_> {
    /// The outcomes of a piece, one for each kernel, and what the CPU says.
    type Part = Vec<(Outcome, Check)>;

    fn steps(&self) -> &Steps<'_> {
        &self.steps
    }

    fn part(
        &self,
        kernels: &[Kernel],
        share: &Share,
        pieces: &[&[u8]],
        made: impl FnOnce() -> Result<Vec<Made>, Failure>,
    ) -> Result<Self::Part, Failure> {
        // While the GPU is at work.
        let expected = self.verify.then(|| self.expect(kernels, share, pieces));
        let judged = made()?.into_iter().enumerate().map(|(place, made)| {
            let kernel = &kernels[self.steps.used[place]];
            let mut outcome = kernel.outcome(made);
            let check = expected.as_ref().map_or(Check::Unchecked, |expected| {
                check::judge(kernel.op, self.steps.layout, share, &expected[place], &outcome)
            });
            outcome.place = self.place(share, pieces, &outcome);
            (outcome, check)
        });
        Ok(judged.collect())
    }
}
