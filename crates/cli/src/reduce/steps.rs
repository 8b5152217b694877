//! Steps that all pieces of a file go through, and the states that are left of each.

use halofold::reduce::Scalar;
use serde::{Deserialize, Serialize};

use super::buffers::{Kernel, Made};
use super::c_order;
use super::check::{self, Check};
use super::file::Work;
use super::kernels;
use super::layout::Share;
use super::op;
use super::parts::Part;
use crate::failure::Failure;

/// The kernels that reduce the pieces of a file, and the work of the host on them.
pub struct Steps<'a> {
    pub work: &'a Work,
    /// The kernels, by their numbers.
    pub used: Vec<usize>,
    /// True if the host looks at the elements too.
    pub is_looked_at: bool,
    /// True if searches count places in C's order, and not in that of memory.
    in_c_order: bool,
    /// True if the CPU computes everything as well.
    verify: bool,
    /// True if the pieces take turns: each starts from where the one before has ended.
    pub in_turn: bool,
}

/// The states that one kernel leaves of a piece.
#[derive(Serialize, Deserialize)]
pub struct Reduced {
    /// One state for each result. They are sent separately.
    #[serde(skip)]
    pub states: Vec<u8>,
    /// The place in the whole where a search found its element, if it is not counted in the order of the pieces.
    pub place: Option<u64>,
    pub gpu_ms: Option<f64>,
    pub check: Check,
}

impl Reduced {
    /// The bytes that all states of a piece take on the host.
    pub fn bytes(all: &[Reduced]) -> usize {
        all.iter().map(|reduced| size_of::<Reduced>() + reduced.states.len()).sum()
    }
}

impl<'a> Steps<'a> {
    /// Those that leave some states.
    pub fn new(work: &'a Work, kernels: &[Kernel], parts: &[Part], verify: bool) -> Self {
        let number = |part: &Part| {
            let number = kernels::number(kernels, *part);
            number.expect("every part has a reducer for every element type of the files")
        };
        let in_c_order = work.is_turned() && parts.iter().any(is_search);
        Steps {
            work,
            used: parts.iter().map(number).collect(),
            is_looked_at: verify || in_c_order,
            in_c_order,
            verify,
            in_turn: false,
        }
    }

    /// Those of the first kernels, so many, without a look at the elements.
    pub fn counting(work: &'a Work, kernels: usize, in_turn: bool) -> Self {
        let used = (0..kernels).collect();
        Steps { work, used, is_looked_at: false, in_c_order: false, verify: false, in_turn }
    }

    /// Returns the states that each kernel leaves of a piece. `made` waits for the GPU; `pieces` are its elements, as they lie in each
    /// source, if they are looked at.
    pub fn left(
        &self,
        kernels: &[Kernel],
        share: &Share,
        pieces: &[&[u8]],
        made: impl FnOnce() -> Result<Vec<Made>, Failure>,
    ) -> Result<Vec<Reduced>, Failure> {
        let kernels = self.used.iter().map(|&number| &kernels[number]);
        // While the GPU is at work.
        let widened: Vec<_> =
            pieces.iter().filter(|_| self.verify).map(|piece| self.work.stored.widened(piece)).collect();
        let widened: Vec<_> = widened.iter().map(|piece| &**piece).collect();
        let expect = |kernel: &Kernel| self.verify.then(|| check::expected(kernel.part, share, &widened));
        let expected: Vec<_> = kernels.clone().map(expect).collect();
        let left = kernels.zip(expected).zip(made()?).map(|((kernel, expected), made)| Reduced {
            check: expected.map_or(Check::Unchecked, |expected| {
                check::judge(kernel.part, &self.work.layout, share, &expected, (&made.states, made.depth))
            }),
            place: self.place(kernel.part, share, pieces, &made.states),
            states: made.states,
            gpu_ms: made.gpu_ms,
        });
        Ok(left.collect())
    }

    /// The place where a search found its element, if that is not counted in the order of memory.
    fn place(&self, part: Part, share: &Share, pieces: &[&[u8]], states: &[u8]) -> Option<u64> {
        if !self.in_c_order || !is_search(&part) {
            return None;
        }
        let Some(Scalar::At { index, .. }) = part.answers(states, share.len).next() else { return None };
        // If nothing is kept, nothing is found.
        if index >= share.len {
            return None;
        }
        let (stored, before) = (self.work.stored, self.work.before);
        let kept = part.is_masked.then(|| check::without_masked(pieces, stored.size() as usize, index));
        let (array, piece) = ((stored, &self.work.shape[..]), kept.as_deref().unwrap_or(pieces[0]));
        Some(before + c_order::first(array, piece, share.before - before, index))
    }
}

fn is_search(part: &Part) -> bool {
    part.op.is_some_and(op::is_search)
}
