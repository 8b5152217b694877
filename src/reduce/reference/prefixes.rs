//! CPU references of prefix sums, each result with its error bound.

use std::cmp::Ordering;

use super::floats::{Product, Sum};
use super::integers::range;
use super::{Expected, Real, floats_of, integers_of};
use crate::element::Element;
use crate::reduce::exact::{Accuracy, Format, State};
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

/// Takes the next elements and returns the expected result of each.
type Running = Box<dyn FnMut(&[u8]) -> Vec<Expected>>;

/// Returns a function that computes expected prefixes of elements that arrive in chunks. Each call takes the next elements, in the
/// host's byte order, and returns one result per element: over all elements up to it, or before it if `is_exclusive`.
/// Exact results are those of [`State`], for operators with a [`Format`].
///
/// Supports [`Op::Sum`], [`Op::Product`], [`Op::Min`] and [`Op::Max`], and over 32-bit integers [`Op::WideSum`] and
/// [`Op::WideProduct`]; returns `None` for other operators.
pub fn running(op: Op, element: Element, accuracy: Accuracy, is_exclusive: bool) -> Option<Running> {
    if accuracy == Accuracy::Exact {
        let size = element.size() as usize;
        let items = move |bytes: &[u8]| bytes.chunks_exact(size).map(<[u8]>::to_vec).collect();
        let add = move |state: &mut State, item: Vec<u8>| state.add_of(op, element, &item, None);
        let none = State::new(Format::of(op, element)?);
        return Some(each(is_exclusive, none, items, add, |state| Expected::same(Scalar::One(state.sum()))));
    }
    if !element.is_float() {
        let (lowest, highest) = range(element);
        let (none, combine): (i128, fn(i128, i128) -> i128) = match op {
            Op::Sum | Op::WideSum => (0, i128::wrapping_add),
            Op::Product | Op::WideProduct => (1, i128::wrapping_mul),
            Op::Min => (highest, Ord::min),
            Op::Max => (lowest, Ord::max),
            _ => return None,
        };
        if matches!(op, Op::WideSum | Op::WideProduct) && element.size() == 8 {
            return None;
        }
        let own = move |x: &i128| Expected::same(Scalar::One(op.number(element).wrap(*x)));
        let add = move |sum: &mut i128, x| *sum = combine(*sum, x);
        return Some(each(is_exclusive, none, move |bytes| integers_of(element, bytes), add, own));
    }
    let real = Real::of(element);
    let items = move |bytes: &[u8]| floats_of(element, bytes);
    let extremes = |none: f64, wins: Ordering| {
        // -0 is less than +0. NaN wins over every number.
        let better = move |best: &mut f64, x: f64| match best.total_cmp(&x) {
            _ if best.is_nan() || x.is_nan() => *best = f64::NAN,
            order if order == wins => {}
            _ => *best = x,
        };
        each(is_exclusive, none, items, better, move |best| real.same(*best))
    };
    Some(match op {
        Op::Sum => {
            let add = |sum: &mut Sum, x| *sum = sum.add(x);
            each(is_exclusive, Sum::default(), items, add, move |sum| sum.expected(real))
        }
        Op::Product => {
            let mul = |product: &mut Product, x| *product = product.mul(x);
            each(is_exclusive, Product::default(), items, mul, move |product| product.expected(real))
        }
        Op::Min => extremes(f64::INFINITY, Ordering::Less),
        Op::Max => extremes(f64::NEG_INFINITY, Ordering::Greater),
        _ => return None,
    })
}

/// Makes a [`Running`]: `items` decodes elements, `add` combines one with `sum`, `expected` makes a result of `sum`.
fn each<T, S: 'static>(
    is_exclusive: bool,
    mut sum: S,
    items: impl Fn(&[u8]) -> Vec<T> + 'static,
    add: impl Fn(&mut S, T) + 'static,
    expected: impl Fn(&S) -> Expected + 'static,
) -> Running {
    Box::new(move |bytes| {
        let result = |x| {
            let before = is_exclusive.then(|| expected(&sum));
            add(&mut sum, x);
            before.unwrap_or_else(|| expected(&sum))
        };
        items(bytes).into_iter().map(result).collect()
    })
}
