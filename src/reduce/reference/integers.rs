//! References over integers, in 128 bits.

use super::floats::{self, Terms};
use super::{Bound, Expected, Real};
use crate::element::{Element, Value};
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

pub(super) fn reduce(op: Op, element: Element, items: &[i128], second: Option<&[i128]>) -> Option<Expected> {
    let own = |x: i128| Scalar::One(truncate(element, x));
    let unsigned = |x: i128| Scalar::One(Value::Unsigned(x as u64));
    let sum_of_magnitudes = || items.iter().map(|x| x.abs()).sum::<i128>();
    Some(Expected::same(match op {
        Op::Sum => own(items.iter().sum()),
        Op::Product => own(items.iter().fold(1, |a, b| a.wrapping_mul(*b))),
        Op::Min => own(*items.iter().min().unwrap_or(&range(element).1)),
        Op::Max => own(*items.iter().max().unwrap_or(&range(element).0)),
        Op::WideSum => wide(element, items.iter().sum())?,
        Op::WideProduct => {
            wide(element, items.iter().fold(1, |a, b| a.wrapping_mul(*b))).filter(|_| element.size() == 4)?
        }
        Op::MinMax => {
            let (lowest, highest) = range(element);
            let min = *items.iter().min().unwrap_or(&highest);
            let max = *items.iter().max().unwrap_or(&lowest);
            Scalar::Range { min: truncate(element, min), max: truncate(element, max) }
        }
        Op::ArgMin => first_best(element, items, |x| -x),
        Op::ArgMax => first_best(element, items, |x| x),
        Op::Mean => quotient(element, items.iter().sum(), items.len() as u64),
        Op::Dot => {
            // Products may need more than 128 bits. Only the low bits count.
            let pairs = items.iter().zip(second?);
            own(pairs.fold(0i128, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b))))
        }
        Op::L1 if element.size() == 8 => Scalar::One(Value::Wide(sum_of_magnitudes())),
        Op::L1 => unsigned(sum_of_magnitudes()),
        Op::MaxNorm => unsigned(items.iter().map(|x| x.abs()).max().unwrap_or(0)),
        Op::Count => unsigned(items.iter().filter(|x| **x != 0).count() as i128),
        Op::Any => unsigned(items.iter().any(|x| *x != 0).into()),
        Op::All => unsigned(items.iter().all(|x| *x != 0).into()),
        Op::And => own(items.iter().fold(-1, |a, b| a & b)),
        Op::Or => own(items.iter().fold(0, |a, b| a | b)),
        Op::Xor => own(items.iter().fold(0, |a, b| a ^ b)),
        Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation if element.size() == 4 => {
            return Some(spread(op, element, items));
        }
        // From their differences from one of them, which changes no variance.
        Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation => {
            let first = items.first().copied().unwrap_or(0);
            let distances: Vec<_> = items.iter().map(|x| (x - first) as f64).collect();
            return floats::with_terms(op, &distances, Real::of(element), Terms::Rounded);
        }
        // Every other operator first rounds each integer to a float: one more rounding, relative to the
        // integer.
        _ => {
            let exact: Vec<_> = items.iter().map(|&x| x as f64).collect();
            return floats::with_terms(op, &exact, Real::of(element), Terms::Rounded);
        }
    }))
}

/// The variance of 32-bit integers, from their differences from one of them. The differences are exact, and
/// their squares fit.
///
/// The GPU's sums are exact. Rounding happens only in the conversion of four words to a float, in two
/// divisions, and in a root.
fn spread(op: Op, element: Element, items: &[i128]) -> Expected {
    let real = Real::of(element);
    let correction = usize::from(matches!(op, Op::SampleVariance | Op::SampleDeviation));
    let n = items.len();
    if n <= correction {
        return real.same(f64::NAN);
    }
    let first = items[0];
    let (sum, squares) = items.iter().fold((0i128, 0i128), |(sum, squares), x| {
        let d = x - first;
        (sum + d, squares + d * d)
    });
    // Both terms fit 128 bits only if the quotient is split into its whole part and the remainder.
    let (quotient, rest) = (sum.unsigned_abs() / n as u128, sum.unsigned_abs() % n as u128);
    let inner = squares.unsigned_abs() - sum.unsigned_abs() * quotient;
    let around = inner as f64 - sum.unsigned_abs() as f64 * (rest as f64 / n as f64);
    let root = matches!(op, Op::Deviation | Op::SampleDeviation).then_some(8.0 * real.unit);
    let exact = around.max(0.0) / (n - correction) as f64;
    let bound = Bound { exact, fixed: 16.0 * real.unit * exact, root, ..Bound::default() };
    real.within(exact, bound)
}

/// An integer of twice the element's width.
fn wide(element: Element, x: i128) -> Option<Scalar> {
    Some(Scalar::One(match element {
        Element::U32 => Value::Unsigned(x as u64),
        Element::I32 => Value::Signed(x as i64),
        Element::U64 | Element::I64 => Value::Wide(x),
        _ => return None,
    }))
}

/// The low bits of an integer, as a value of the element's type.
fn truncate(element: Element, x: i128) -> Value {
    match element {
        Element::U32 => Value::Unsigned((x as u32).into()),
        Element::I32 => Value::Signed((x as i32).into()),
        Element::U64 => Value::Unsigned(x as u64),
        _ => Value::Signed(x as i64),
    }
}

fn range(element: Element) -> (i128, i128) {
    match element {
        Element::U32 => (0, u32::MAX.into()),
        Element::I32 => (i32::MIN.into(), i32::MAX.into()),
        Element::U64 => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    }
}

/// The first element of the highest rank.
fn first_best(element: Element, items: &[i128], rank: impl Fn(i128) -> i128) -> Scalar {
    let (lowest, highest) = range(element);
    let worst = if rank(lowest) < rank(highest) { lowest } else { highest };
    // `max_by_key` returns the last of equal elements, so this iterates backwards.
    let best = items.iter().enumerate().rev().max_by_key(|(_, x)| rank(**x));
    let (index, value) = best.map_or((u32::MAX.into(), worst), |(index, x)| (index as u64, *x));
    Scalar::At { value: truncate(element, value), index }
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
