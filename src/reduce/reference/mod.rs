//! The CPU reference of every operator: the expected result, and the error bound of floats.
//!
//! It knows nothing of GPUs. Integers are computed in 128 bits and are exact. Floats are computed in 64 bits
//! with compensated sums, so that the reference's own error is negligible compared with the bound. Bounds are
//! derived from the unit of the accumulator's type, the magnitude of the terms, and the
//! [`depth`](crate::reduce::Plan::depth) of the plan.

mod exact;
mod fields;
mod floats;
mod integers;
mod keys;
mod merged_moments;
mod moments;
mod prefixes;
mod states;

use crate::element::{Element, Value};
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

pub(in crate::reduce) use exact::power_of_two;
use exact::{ExactProduct, ExactSum};
pub use prefixes::running;
pub use states::{Merger, combine};

/// The expected result of a reduction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Expected {
    /// The result, as exact as its type allows.
    pub answer: Scalar,
    accept: Accept,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Accept {
    /// The result must have these bits; if it is NaN, any NaN is accepted.
    Same,
    /// The result must be within a distance that grows with the depth.
    Within(Bound),
    /// The order of operations decides whether partial results overflow or underflow the type.
    OrderDecides,
}

/// A distance from an exact value: `fixed + linear · depth + quadratic · depth²`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Bound {
    exact: f64,
    fixed: f64,
    linear: f64,
    quadratic: f64,
    /// If the result is the root of the bounded value, the relative error of the root.
    root: Option<f64>,
}

impl Bound {
    /// The exact result, and the largest distance from it at this depth.
    fn at(self, depth: u64) -> (f64, f64) {
        let depth = depth as f64;
        let distance = self.fixed + self.linear * depth + self.quadratic * depth * depth;
        let Some(rounding) = self.root else { return (self.exact, distance) };
        let root = self.exact.sqrt();
        // |√a - √b| is at most √|a - b|, and |a - b| / √b.
        let moved = if root > 0.0 { distance.sqrt().min(distance / root) } else { distance.sqrt() };
        (root, moved + rounding * root)
    }
}

/// The verdict on a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is equal to the expected result, or within the bound.
    Right,
    /// It is wrong: the message names it and the expected result.
    Wrong(String),
    /// It cannot be judged: in some orders partial results overflow or underflow the type.
    Undecided,
}

impl Expected {
    fn same(answer: Scalar) -> Self {
        Expected { answer, accept: Accept::Same }
    }

    /// Judges the result of a plan with this [depth](crate::reduce::Plan::depth).
    pub fn judge(&self, got: Scalar, depth: u64) -> Verdict {
        let wrong = |bound: f64| {
            let bound = if bound > 0.0 { format!(" ± {bound:e}") } else { String::new() };
            Verdict::Wrong(format!("got {got}, expected {}{bound}", self.answer))
        };
        match (self.accept, got.value()) {
            (Accept::OrderDecides, _) => Verdict::Undecided,
            (Accept::Within(bound), Some(value)) => {
                let (exact, distance) = bound.at(depth);
                if (value.as_f64() - exact).abs() <= distance { Verdict::Right } else { wrong(distance) }
            }
            _ if self.answer.same(got) => Verdict::Right,
            _ => wrong(0.0),
        }
    }
}

/// Reduces elements in the host's byte order; [`Op::arity`] says how many inputs an operator takes. `None` if the operator is not
/// defined for the type, or if its second input is missing.
///
/// # Panics
///
/// If the length is not a multiple of the element's size.
pub fn reduce(op: Op, element: Element, first: &[u8], second: Option<&[u8]>) -> Option<Expected> {
    if element.is_float() {
        let second = second.map(|bytes| floats_of(element, bytes));
        floats::reduce(op, element, &floats_of(element, first), second.as_deref())
    } else {
        let second = second.map(|bytes| integers_of(element, bytes));
        integers::reduce(op, element, &integers_of(element, first), second.as_deref())
    }
}

fn integers_of(element: Element, bytes: &[u8]) -> Vec<i128> {
    element.read_all(bytes).filter_map(Value::integer).collect()
}

fn floats_of(element: Element, bytes: &[u8]) -> Vec<f64> {
    element.read_all(bytes).map(Value::as_f64).collect()
}

/// A float type in which results are accumulated.
#[derive(Clone, Copy)]
struct Real {
    /// Half a unit in the last place of 1.
    unit: f64,
    /// The largest finite value.
    largest: f64,
    /// The smallest normal value. Smaller values may be flushed to zero.
    smallest: f64,
    is_double: bool,
}

impl Real {
    /// The float type in which an element is accumulated.
    fn of(element: Element) -> Self {
        let is_double = element.size() == 8;
        let (epsilon, largest, smallest) = match is_double {
            true => (f64::EPSILON, f64::MAX, f64::MIN_POSITIVE),
            false => (f32::EPSILON.into(), f32::MAX.into(), f32::MIN_POSITIVE.into()),
        };
        Real { unit: epsilon / 2.0, largest, smallest, is_double }
    }

    fn value(self, x: f64) -> Value {
        if self.is_double { Value::F64(x) } else { Value::F32(x as f32) }
    }

    fn answer(self, x: f64) -> Scalar {
        Scalar::One(self.value(x))
    }

    fn same(self, x: f64) -> Expected {
        Expected::same(self.answer(x))
    }

    /// Expects a value within a bound. A value that is not finite must match exactly. If `magnitude`, which
    /// no partial result exceeds, is out of range, the order decides.
    fn within(self, magnitude: f64, bound: Bound) -> Expected {
        let exact = if bound.root.is_some() { bound.exact.sqrt() } else { bound.exact };
        let accept = if !exact.is_finite() {
            Accept::Same
        } else if magnitude > self.largest {
            Accept::OrderDecides
        } else {
            Accept::Within(bound)
        };
        Expected { answer: self.answer(exact), accept }
    }
}

#[cfg(test)]
mod tests;
