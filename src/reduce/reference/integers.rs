//! References over integers, in 128 bits.

use super::floats::{self, Terms};
use super::states::{self, Merger};
use super::{Bound, Expected, Real};
use crate::element::Element;
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

pub(super) fn reduce(op: Op, element: Element, items: &[i128], second: Option<&[i128]>) -> Option<Expected> {
    let merged = |merger: Merger| Expected::same(merger.finish(items.len() as u64));
    let with_terms = |terms: Vec<f64>| floats::with_terms(op, &terms, Real::of(element), Terms::Rounded);
    match op {
        Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation if element.size() == 4 => {
            spread(op, element, items)
        }
        // From their differences from one of them, which changes no variance.
        Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation => {
            let first = items.first().copied().unwrap_or(0);
            with_terms(items.iter().map(|x| (x - first) as f64).collect())
        }
        // Each integer is first rounded to a float: one more rounding, relative to the integer.
        Op::L2 | Op::LogSumExp | Op::GeometricMean => with_terms(items.iter().map(|&x| x as f64).collect()),
        Op::Dot => {
            let products = items.iter().zip(second?).map(|(a, b)| a.wrapping_mul(*b));
            states::of_integers(op, element, products).map(merged)
        }
        _ => states::of_integers(op, element, items.iter().copied()).map(merged),
    }
}

/// The variance of 32-bit integers, whose sums are exact, on the GPU as well. Rounding happens only in the conversion of
/// four words to a float, in two divisions, and in a root.
fn spread(op: Op, element: Element, items: &[i128]) -> Option<Expected> {
    let real = Real::of(element);
    let correction = usize::from(matches!(op, Op::SampleVariance | Op::SampleDeviation));
    if items.len() <= correction {
        return Some(real.same(f64::NAN));
    }
    let merger = states::of_integers(op, element, items.iter().copied())?;
    let root = matches!(op, Op::Deviation | Op::SampleDeviation).then_some(8.0 * real.unit);
    let exact = merger.variance(items.len() as u64, correction as u64);
    let bound = Bound { exact, fixed: 16.0 * real.unit * exact, root, ..Bound::default() };
    Some(real.within(exact, bound))
}

/// The correctly rounded mean: a quotient of many digits, whose last digit is set if there is a remainder.
pub(super) fn quotient(element: Element, sum: i128, n: u64) -> Scalar {
    let real = Real::of(element);
    if n == 0 {
        return real.answer(f64::NAN);
    }
    let (magnitude, n) = (sum.unsigned_abs(), u128::from(n));
    if magnitude == 0 {
        return real.answer(0.0);
    }
    // Two bits below the top, so that a value that rounds up to 2^127 is still a 32-bit float.
    let shift = magnitude.leading_zeros() - 2;
    let scaled = magnitude << shift;
    let digits = (scaled / n) | u128::from(scaled % n != 0);
    let sign = if sum < 0 { -1.0 } else { 1.0 };
    // Rounded once, by the cast to the type of the result; powers of two are exact.
    let rounded = if real.is_double { digits as f64 } else { f64::from(digits as f32) };
    real.answer(sign * rounded * (-f64::from(shift)).exp2())
}
