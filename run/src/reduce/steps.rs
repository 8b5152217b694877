//! Steps that all pieces of a file go through, and the states that are left of each.

use halofold::reduce::Answer;
use serde::{Deserialize, Serialize};

use super::buffers::{Kernel, Made};
use super::c_order::COrder;
use super::check::{self, Check};
use super::file::Work;
use super::kernels;
use super::layout::{Layout, Share};
use super::op;
use super::parts::Part;
use crate::failure::Failure;
use crate::files::Stored;

/// The kernels that reduce the pieces of a file, and what else is done with them.
pub struct Steps<'a> {
    pub stored: Stored,
    pub layout: &'a Layout,
    /// The kernels, by their numbers.
    pub used: Vec<usize>,
    /// True if the host looks at the elements too.
    pub is_looked_at: bool,
    /// The order in which searches count places, if not that of memory.
    c_order: Option<COrder>,
    /// True if the CPU computes everything as well.
    verify: bool,
}

/// The states that one kernel leaves of a piece.
#[derive(Serialize, Deserialize)]
pub struct Reduced {
    /// One state for each result. They travel by themselves.
    #[serde(skip)]
    pub states: Vec<u8>,
    /// The place in the whole where a search found its element, if it is not counted in the order of the pieces.
    pub place: Option<u64>,
    pub gpu_ms: Option<f64>,
    pub check: Check,
}

impl<'a> Steps<'a> {
    /// Those that leave some states.
    pub fn new(work: &'a Work, kernels: &[Kernel], parts: &[Part], verify: bool) -> Self {
        let number = |part: &Part| {
            let number = kernels::number(kernels, *part);
            number.expect("every part has a reducer for every element type of the files")
        };
        let c_order = work.c_order().filter(|_| parts.iter().any(|part| part.op.is_some_and(op::is_search)));
        Steps {
            stored: work.stored,
            layout: &work.layout,
            used: parts.iter().map(number).collect(),
            is_looked_at: verify || c_order.is_some(),
            c_order,
            verify,
        }
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
            pieces.iter().filter(|_| self.verify).map(|piece| self.stored.widened(piece)).collect();
        let widened: Vec<_> = widened.iter().map(|piece| &**piece).collect();
        let expect = |kernel: &Kernel| self.verify.then(|| check::expected(kernel.part, share, &widened));
        let expected: Vec<_> = kernels.clone().map(expect).collect();
        let left = kernels.zip(expected).zip(made()?).map(|((kernel, expected), made)| Reduced {
            check: expected.map_or(Check::Unchecked, |expected| {
                check::judge(kernel.part, self.layout, share, &expected, (&made.states, made.depth))
            }),
            place: self.place(kernel.part, share, pieces, &made.states),
            states: made.states,
            gpu_ms: made.gpu_ms,
        });
        Ok(left.collect())
    }

    /// The place where a search found its element, if that is not counted in the order of memory.
    fn place(&self, part: Part, share: &Share, pieces: &[&[u8]], states: &[u8]) -> Option<u64> {
        let order = self.c_order.as_ref().filter(|_| part.op.is_some_and(op::is_search))?;
        let Some(Answer::At { index, .. }) = part.answers(states, share.len).next() else { return None };
        Some(order.first(pieces[0], share.before, index))
    }
}
