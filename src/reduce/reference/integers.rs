//! References over integers, in 128 bits.

use super::floats::{self, Terms};
use super::keys::{Keys, range};
use super::{Bound, Expected, Real};
use crate::element::{Element, Value};
use crate::reduce::exact::{self, Format, State};
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

pub(super) fn reduce(op: Op, element: Element, items: &[i128], second: Option<&[i128]>) -> Option<Expected> {
    let folded = |of: fn(i128) -> i128| {
        let total = items.iter().fold(none(op, element), |total, x| fold(op, total, of(*x)));
        Scalar::One(in_width(op, element, total))
    };
    let keys = Keys::of(element);
    let (least, greatest) = (items.iter().min().copied(), items.iter().max().copied());
    let first = |best: Option<i128>, rank: fn(Keys, i128) -> i128| {
        let place = |best| Some((rank(keys, best), items.iter().position(|x| *x == best)? as u64));
        keys.place(op, best.and_then(place))
    };
    Some(Expected::same(match op {
        _ if !op.is_over(element) => return None,
        Op::Sum | Op::Product | Op::WideSum | Op::WideProduct | Op::And | Op::Or | Op::Xor => folded(|x| x),
        Op::L1 => folded(i128::abs),
        Op::CountNonzero | Op::Any | Op::All => folded(|x| (x != 0).into()),
        Op::Min => keys.extreme(op, least),
        Op::Max => keys.extreme(op, greatest),
        Op::MaxNorm => keys.extreme(op, items.iter().map(|x| x.abs()).max()),
        Op::MinMax => keys.range(least.zip(greatest).map(|(least, greatest)| [least, greatest])),
        Op::ArgMin => first(least, Keys::not),
        Op::ArgMax => first(greatest, |_, key| key),
        Op::Mean => Scalar::One(mean(items.iter().sum(), items.len() as u64, element.size() == 8)),
        Op::Dot => {
            let pairs = items.iter().zip(second?);
            let sum = pairs.fold(0i128, |sum, (a, b)| sum.wrapping_add(a.wrapping_mul(*b)));
            Scalar::One(in_width(op, element, sum))
        }
        Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation => {
            return spread(op, element, items);
        }
        // Each integer is first rounded to a float: one more rounding, relative to the integer.
        _ => {
            let rounded: Vec<_> = items.iter().map(|&x| x as f64).collect();
            return floats::with_terms(op, &rounded, Real::of(element), Terms::Rounded);
        }
    }))
}

/// The variance. The GPU's sums of 32-bit integers are exact. Rounding happens only in the conversion of four words to a float, in two
/// divisions, and in a root.
fn spread(op: Op, element: Element, items: &[i128]) -> Option<Expected> {
    let real = Real::of(element);
    if element.size() == 8 {
        // The differences from one of the integers have the same variance.
        let first = items.first().copied().unwrap_or(0);
        let rounded: Vec<_> = items.iter().map(|x| (x - first) as f64).collect();
        return floats::with_terms(op, &rounded, real, Terms::Rounded);
    }
    let (n, correction) = (items.len() as u64, correction(op));
    if n <= correction {
        return Some(real.same(f64::NAN));
    }
    let exact = variance(items.iter().sum(), items.iter().map(|x| x * x).sum(), n, correction);
    let root = matches!(op, Op::Deviation | Op::SampleDeviation).then_some(8.0 * real.unit);
    let bound = Bound { exact, fixed: 16.0 * real.unit * exact, root, ..Bound::default() };
    Some(real.within(exact, bound))
}

/// What is taken off the number of elements by which an operator divides squares.
pub(super) fn correction(op: Op) -> u64 {
    matches!(op, Op::SampleVariance | Op::SampleDeviation).into()
}

/// The variance of `n` integers with this sum and this sum of squares, which is divided by `n - correction`.
pub(super) fn variance(sum: i128, squares: i128, n: u64, correction: u64) -> f64 {
    let [sum, squares] = [sum, squares].map(|x| [0, 32, 64, 96].map(|at| (x.unsigned_abs() >> at) as u32));
    exact::of_words(&sum, &squares, (n, correction), 0)
}

/// The mean of `n` integers with this sum, rounded once to 64 bits or to 32; NaN if there are none.
pub(super) fn mean(sum: i128, n: u64, is_double: bool) -> Value {
    let format = if is_double { Format::Double } else { Format::Single };
    State::of_integers(format, sum, n).mean()
}

/// The result of an operator over no integers.
pub(super) fn none(op: Op, element: Element) -> i128 {
    match op {
        Op::Product | Op::WideProduct | Op::All => 1,
        Op::And => -1,
        Op::Min => range(element).1,
        Op::Max => range(element).0,
        _ => 0,
    }
}

/// Combines integers of an operator.
pub(super) fn fold(op: Op, a: i128, b: i128) -> i128 {
    match op {
        Op::Product | Op::WideProduct => (a as u64).wrapping_mul(b as u64).into(),
        Op::Any | Op::Or => a | b,
        Op::All | Op::And => a & b,
        Op::Xor => a ^ b,
        Op::Min => a.min(b),
        Op::Max => a.max(b),
        _ => a + b,
    }
}

/// An integer in the width of an operator's result.
pub(super) fn in_width(op: Op, element: Element, x: i128) -> Value {
    let is_wide = matches!(op, Op::WideSum | Op::WideProduct);
    match (op, element) {
        (Op::CountNonzero | Op::Any | Op::All, _) => Value::Unsigned(x as u64),
        (Op::WideSum | Op::L1, Element::U64 | Element::I64) => Value::Wide(x),
        (Op::L1, _) | (_, Element::U64) => Value::Unsigned(x as u64),
        (_, Element::U32) if is_wide => Value::Unsigned(x as u64),
        (_, Element::U32) => Value::Unsigned((x as u32).into()),
        (_, Element::I32) if !is_wide => Value::Signed((x as i32).into()),
        _ => Value::Signed(x as i64),
    }
}
