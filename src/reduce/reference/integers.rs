//! CPU references over integers, computed in 128 bits.

use super::floats::{self, Terms};
use super::{Bound, Expected, Real};
use crate::element::{Element, Value};
use crate::reduce::exact::{Format, State};
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

pub(super) fn reduce(op: Op, element: Element, items: &[i128], second: Option<&[i128]>) -> Option<Expected> {
    if !op.is_over(element) {
        return None;
    }
    let value = |x| op.number(element).wrap(x);
    let one = |x| Scalar::One(value(x));
    let (lowest, highest) = range(element);
    let least = || *items.iter().min().unwrap_or(&highest);
    let greatest = || *items.iter().max().unwrap_or(&lowest);
    let first = |x| {
        let index = items.iter().position(|item| *item == x);
        Scalar::At { value: value(x), index: index.map_or(u32::MAX.into(), |index| index as u64) }
    };
    let product = || items.iter().fold(1i128, |product, x| product.wrapping_mul(*x));
    let magnitudes = || items.iter().map(|x| x.abs());
    Some(Expected::same(match op {
        Op::Sum | Op::WideSum => one(items.iter().sum()),
        Op::Product | Op::WideProduct => one(product()),
        Op::Min => one(least()),
        Op::Max => one(greatest()),
        Op::MinMax => Scalar::Range { min: value(least()), max: value(greatest()) },
        Op::ArgMin => first(least()),
        Op::ArgMax => first(greatest()),
        Op::Mean => Scalar::One(mean(items.iter().sum(), items.len() as u64, element.size() == 8)),
        Op::Dot => {
            // Products may need more than 128 bits. Only the low bits matter.
            let pairs = items.iter().zip(second?);
            one(pairs.fold(0i128, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b))))
        }
        Op::L1 => one(magnitudes().sum()),
        Op::MaxNorm => one(magnitudes().max().unwrap_or(0)),
        Op::CountNonzero => one(items.iter().filter(|x| **x != 0).count() as i128),
        Op::Any => one(items.iter().any(|x| *x != 0).into()),
        Op::All => one(items.iter().all(|x| *x != 0).into()),
        Op::And => one(items.iter().fold(-1, |a, b| a & b)),
        Op::Or => one(items.iter().fold(0, |a, b| a | b)),
        Op::Xor => one(items.iter().fold(0, |a, b| a ^ b)),
        Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation => {
            return spread(op, element, items);
        }
        // The GPU first rounds each integer to a float: one more rounding, relative to the integer.
        _ => {
            let rounded: Vec<_> = items.iter().map(|&x| x as f64).collect();
            return floats::with_terms(op, &rounded, Real::of(element), Terms::Rounded);
        }
    }))
}

/// Computes the variance from differences to one of the integers, which leaves it unchanged.
///
/// The GPU's sums of 32-bit integers are exact. It rounds only when it converts four words to a float, in two divisions, and in a root.
fn spread(op: Op, element: Element, items: &[i128]) -> Option<Expected> {
    let real = Real::of(element);
    let first = items.first().copied().unwrap_or(0);
    let differences = items.iter().map(|x| x - first);
    if element.size() == 8 {
        let rounded: Vec<_> = differences.map(|d| d as f64).collect();
        return floats::with_terms(op, &rounded, real, Terms::Rounded);
    }
    let correction = usize::from(matches!(op, Op::SampleVariance | Op::SampleDeviation));
    let n = items.len();
    if n <= correction {
        return Some(real.same(f64::NAN));
    }
    let (sum, squares) =
        differences.fold((0i128, 0u128), |(sum, squares), d| (sum + d, squares + (d * d).unsigned_abs()));
    // Splitting the quotient into whole part and remainder keeps both terms below 128 bits.
    let sum = sum.unsigned_abs();
    let (quotient, rest) = (sum / n as u128, sum % n as u128);
    let around = (squares - sum * quotient) as f64 - sum as f64 * (rest as f64 / n as f64);
    let exact = around.max(0.0) / (n - correction) as f64;
    let root = matches!(op, Op::Deviation | Op::SampleDeviation).then_some(8.0 * real.unit);
    let bound = Bound { exact, fixed: 16.0 * real.unit * exact, root, ..Bound::default() };
    Some(real.within(exact, bound))
}

/// Returns the mean of `n` integers with this sum, rounded once to 64 or 32 bits. NaN for no integers.
pub(super) fn mean(sum: i128, n: u64, is_double: bool) -> Value {
    let format = if is_double { Format::Double } else { Format::Single };
    State::of_integers(format, sum, n).mean()
}

/// Returns the lowest and the highest integer of a type.
pub(super) fn range(element: Element) -> (i128, i128) {
    match element {
        Element::U32 => (0, u32::MAX.into()),
        Element::I32 => (i32::MIN.into(), i32::MAX.into()),
        Element::U64 => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}
