//! References of prefixes: running results, each with its error bound.

use std::cmp::Ordering;

use super::floats::{Product, Sum};
use super::integers::{range, truncate};
use super::{Expected, Real, floats_of, integers_of};
use crate::element::Element;
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

/// The expected results of all elements up to each, or of those before each, in the host's byte order. `None` if the operator is another
/// one than [`Op::Sum`], [`Op::Product`], [`Op::Min`] and [`Op::Max`].
///
/// # Panics
///
/// If the length is not a multiple of the element's size.
pub fn prefixes(op: Op, element: Element, bytes: &[u8], is_exclusive: bool) -> Option<Vec<Expected>> {
    let results = if element.is_float() {
        let real = Real::of(element);
        let items = floats_of(element, bytes);
        match op {
            Op::Sum => running(&items, Sum::default(), |sum, x| sum.add(*x), |sum| sum.expected(real)),
            Op::Product => running(
                &items,
                Product::default(),
                |product, x| product.mul(*x),
                |product| product.expected(real),
            ),
            Op::Min => extremes(&items, f64::INFINITY, Ordering::Less, real),
            Op::Max => extremes(&items, f64::NEG_INFINITY, Ordering::Greater, real),
            _ => return None,
        }
    } else {
        let (lowest, highest) = range(element);
        let (none, combine): (i128, fn(i128, i128) -> i128) = match op {
            Op::Sum => (0, i128::wrapping_add),
            Op::Product => (1, i128::wrapping_mul),
            Op::Min => (highest, Ord::min),
            Op::Max => (lowest, Ord::max),
            _ => return None,
        };
        let own = |x: &i128| Expected::same(Scalar::One(truncate(element, *x)));
        running(&integers_of(element, bytes), none, |sum, x| combine(sum, *x), own)
    };
    let len = results.len() - 1;
    Some(if is_exclusive { results[..len].to_vec() } else { results[1..].to_vec() })
}

/// The results of no items, of the first, of the first two, and so on.
fn running<T, S: Copy>(
    items: &[T],
    none: S,
    add: impl Fn(S, &T) -> S,
    expected: impl Fn(&S) -> Expected,
) -> Vec<Expected> {
    let sums = items.iter().scan(none, |sum, x| {
        *sum = add(*sum, x);
        Some(*sum)
    });
    std::iter::once(none).chain(sums).map(|sum| expected(&sum)).collect()
}

/// Running minima or maxima: −0 is less than +0, and a NaN stays.
fn extremes(items: &[f64], none: f64, wins: Ordering, real: Real) -> Vec<Expected> {
    let better = |best: f64, x: &f64| match best.total_cmp(x) {
        _ if best.is_nan() || x.is_nan() => f64::NAN,
        order if order == wins => best,
        _ => *x,
    };
    running(items, none, better, |best| real.same(*best))
}
