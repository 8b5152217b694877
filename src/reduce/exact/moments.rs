//! Variances from exact sums, rounded at the end.

use super::{Format, State, round};
use crate::reduce::reference::power_of_two;

/// The variance of numbers of which `sum` is the exact sum and `squares` that of their squares: the state of [`Op::Dot`] of an input with
/// itself. The sum of squared distances from the mean is divided by the number of elements less `correction`.
///
/// n Σx² − (Σx)² is computed as one long integer, so a mean that is large compared with the deviation costs no digits. What follows rounds
/// a 64-bit float three times. NaN if an element is infinite or NaN, or if there are none.
///
/// # Panics
///
/// If the states are not of [`Format::Single`] and [`Format::Product`], of equally many elements.
///
/// [`Op::Dot`]: crate::reduce::Op::Dot
pub fn variance(sum: &State, squares: &State, correction: u64) -> f64 {
    assert_eq!((sum.format(), squares.format()), (Format::Single, Format::Product));
    assert_eq!(sum.count(), squares.count());
    let (Some((_, total)), Some((_, squares))) = (sum.finite(), squares.finite()) else { return f64::NAN };
    of_words(&total, &squares, (sum.count(), correction), Format::Product.unit())
}

/// The 32-bit float nearest to that variance: it is rounded once.
pub(crate) fn nearest_variance(sum: &State, squares: &State, correction: u64) -> f32 {
    let n = sum.count();
    let divisor = n * n.saturating_sub(correction);
    let (Some((_, total)), Some((_, squares)), 1..) = (sum.finite(), squares.finite(), divisor) else {
        return f32::NAN;
    };
    let bits = round::nearest(&around_mean(&total, &squares, n), divisor, Format::Product.target());
    f32::from_bits(bits as u32)
}

/// The variance of `n` integers of which the sum has this magnitude, from the sum of their squares in units of 2^`unit`.
pub(in crate::reduce) fn of_words(
    sum: &[u32],
    squares: &[u32],
    (n, correction): (u64, u64),
    unit: i32,
) -> f64 {
    if n == 0 {
        return f64::NAN;
    }
    nearest(&around_mean(sum, squares, n), unit) / n as f64 / n.saturating_sub(correction) as f64
}

/// n Σx² − (Σx)² of `n` numbers.
fn around_mean(sum: &[u32], squares: &[u32], n: u64) -> Vec<u32> {
    let n_squares = product(squares, &[n as u32, (n >> 32) as u32]);
    difference(&n_squares, &product(sum, sum))
}

/// The product of two integers, lowest word first.
fn product(a: &[u32], b: &[u32]) -> Vec<u32> {
    let mut words = vec![0; a.len() + b.len()];
    for (at, &x) in a.iter().enumerate() {
        let mut carry = 0u64;
        for (word, &y) in words[at..].iter_mut().zip(b.iter().chain(std::iter::repeat(&0))) {
            carry += u64::from(*word) + u64::from(x) * u64::from(y);
            *word = carry as u32;
            carry >>= 32;
        }
    }
    words
}

/// The difference of an integer and one that is not larger.
fn difference(a: &[u32], b: &[u32]) -> Vec<u32> {
    let len = a.len().max(b.len());
    let word = |words: &[u32], at: usize| i64::from(words.get(at).copied().unwrap_or(0));
    let mut borrow = 0;
    let words = (0..len).map(|at| {
        borrow += word(a, at) - word(b, at);
        let low = borrow as u32;
        borrow >>= 32;
        low
    });
    words.collect()
}

/// The 64-bit float nearest to an integer of units of 2^`unit`.
pub(super) fn nearest(words: &[u32], unit: i32) -> f64 {
    // As if the unit were the last place of the smallest float, 2^-1074. In two steps: the power of two alone may be out of range.
    let bits = round::nearest(words, 1, Format::Double.target());
    let scale = 1074 + unit;
    f64::from_bits(bits) * power_of_two(scale / 2) * power_of_two(scale - scale / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::reduce::op::Op;

    fn of(items: &[f32], correction: u64) -> f64 {
        let (mut sum, mut squares) = (State::new(Format::Single), State::new(Format::Product));
        let bytes = bytemuck::cast_slice(items);
        sum.add(Element::F32, bytes);
        squares.add_of(Op::Dot, Element::F32, bytes, Some(bytes));
        variance(&sum, &squares, correction)
    }

    #[test]
    fn large_means_cost_no_digits() {
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0], 0), 1.25);
        assert_eq!(of(&[1.0, 2.0, 3.0, 4.0], 1), 5.0 / 3.0);
        assert_eq!(of(&[1e38, 1e38, 1e38], 0), 0.0);
        assert_eq!(of(&[16_777_215.0, 16_777_216.0], 0), 0.25);
        // The distance 2^-100 beside a mean of 2^20 takes 240 bits.
        let least = (-100f32).exp2();
        let mean = 1_048_576.0 / 3.0;
        let squares = (2.0 * mean * mean + 4.0 * mean * mean) / 3.0;
        assert!((of(&[0.0, least, 1_048_576.0], 0) / squares - 1.0).abs() < 1e-15);
        assert_eq!(of(&[least, -least], 0), (-200f64).exp2());
    }

    #[test]
    fn elements_that_are_not_finite_have_no_variance() {
        for items in [&[][..], &[f32::NAN, 1.0], &[f32::INFINITY], &[f32::INFINITY, f32::NEG_INFINITY]] {
            assert!(of(items, 0).is_nan(), "{items:?}");
        }
        assert!(of(&[3.0], 1).is_nan());
        assert!(of(&[3.0, 4.0], 2).is_infinite());
    }
}
