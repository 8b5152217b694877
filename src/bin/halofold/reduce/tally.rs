//! What one operator makes of one file, piece after piece.

use halofold::reduce::reference::{self, Verdict};
use halofold::{Element, Value};

use super::kernel::Outcome;
use super::op::Op;
use super::total::Total;

/// What came of holding results against the CPU's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Check {
    /// It was not asked for.
    Unchecked,
    /// They are right.
    Right,
    /// For one of them there is nothing to hold it against: the order in which floats are combined decides.
    Undecided,
    /// One is wrong, and how.
    Wrong(String),
}

/// The state of one operator on its way through a file.
#[derive(Clone, Debug)]
pub struct Tally {
    op: Op,
    element: Element,
    total: Total,
    gpu_ms: Option<f64>,
    check: Check,
}

impl Tally {
    /// Before the first piece; with `verify` every piece will be computed on the CPU as well.
    pub fn new(op: Op, element: Element, verify: bool) -> Self {
        let check = if verify { Check::Right } else { Check::Unchecked };
        Tally { op, element, total: Total::new(op, element), gpu_ms: None, check }
    }

    /// Adds what the GPU made of a piece.
    pub fn add(&mut self, piece: &[u8], outcome: &Outcome) {
        let first = self.total.n();
        let n = piece.len() as u64 / self.element.size();
        if self.check != Check::Unchecked {
            self.verify(piece, outcome, first, n);
        }
        let so_far = if first == 0 { Some(0.0) } else { self.gpu_ms };
        self.gpu_ms = so_far.zip(outcome.gpu_ms).map(|(so_far, more)| so_far + more);
        self.total.add(outcome.value, n);
    }

    /// Holds the outcome against the CPU's. The worst that is found stays.
    fn verify(&mut self, piece: &[u8], outcome: &Outcome, first: u64, n: u64) {
        let operator = self.op.operator(self.element);
        let verdict = reference::reduce(operator, self.element, piece)
            .map_or(Verdict::Undecided, |expected| expected.judge(outcome.value, outcome.depth));
        match (verdict, &self.check) {
            (_, Check::Wrong(_)) | (Verdict::Right, _) => {}
            (Verdict::Undecided, _) => self.check = Check::Undecided,
            (Verdict::Wrong(mismatch), _) => {
                let last = first + n - 1;
                self.check = Check::Wrong(format!("`{operator}` of elements {first} to {last}: {mismatch}"));
            }
        }
    }

    /// What is computed.
    pub fn op(&self) -> Op {
        self.op
    }

    /// How many elements there were.
    pub fn n(&self) -> u64 {
        self.total.n()
    }

    /// The result; `None` for the minimum, maximum or mean of nothing.
    pub fn value(&self) -> Option<Value> {
        self.total.value()
    }

    /// How long the GPU took for all pieces; unknown if there was none, or if it did not tell of each.
    pub fn gpu_ms(&self) -> Option<f64> {
        self.gpu_ms
    }

    /// What the CPU says.
    pub fn check(&self) -> &Check {
        &self.check
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(value: Value, gpu_ms: Option<f64>) -> Outcome {
        Outcome { value, depth: 2, gpu_ms }
    }

    #[test]
    fn times_add_up_unless_one_is_missing() {
        let mut tally = Tally::new(Op::Sum, Element::U32, false);
        assert_eq!(tally.gpu_ms(), None);
        let piece = bytemuck::bytes_of(&[1u32, 2]);
        tally.add(piece, &outcome(Value::Unsigned(3), Some(0.5)));
        tally.add(piece, &outcome(Value::Unsigned(3), Some(0.25)));
        assert_eq!((tally.n(), tally.value(), tally.gpu_ms()), (4, Some(Value::Unsigned(6)), Some(0.75)));
        tally.add(piece, &outcome(Value::Unsigned(3), None));
        tally.add(piece, &outcome(Value::Unsigned(3), Some(1.0)));
        assert_eq!(tally.gpu_ms(), None);
        assert_eq!(tally.check(), &Check::Unchecked);
    }

    #[test]
    fn the_worst_verdict_stays() {
        let mut tally = Tally::new(Op::Product, Element::F32, true);
        assert_eq!(tally.check(), &Check::Right);
        tally.add(bytemuck::bytes_of(&[2.0f32, 0.5]), &outcome(Value::F32(1.0), None));
        assert_eq!(tally.check(), &Check::Right);
        let overflows = [1e30f32, 1e30, 1e-30, 1e-30];
        tally.add(bytemuck::bytes_of(&overflows), &outcome(Value::F32(0.0), None));
        assert_eq!(tally.check(), &Check::Undecided);
        tally.add(bytemuck::bytes_of(&[2.0f32, 3.0]), &outcome(Value::F32(7.0), None));
        let wrong = tally.check().clone();
        assert!(matches!(&wrong, Check::Wrong(how) if how.contains("elements 6 to 7: got 7, expected 6")));
        tally.add(bytemuck::bytes_of(&[2.0f32, 3.0]), &outcome(Value::F32(6.0), None));
        assert_eq!(tally.check(), &wrong);
    }
}
