//! Sums by whole numbers of any length: what an exact sum must be, bit by bit.
//!
//! Shares nothing with what it checks: neither digits nor windows, and it rounds by a search.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use halofold::Element;
use halofold::reduce::Op;
use num_bigint::{BigInt, BigUint, Sign};

use super::decode;

/// The smallest 64-bit float is two to the power of minus this.
const SCALE: u32 = 1074;

/// A number as an integer times a power of two times the smallest float. Infinity is what would come after the largest float.
fn parts(x: f64) -> (i128, u32) {
    let (power, fraction) = ((x.to_bits() >> 52 & 0x7ff) as u32, i128::from(x.to_bits() % (1 << 52)));
    let integer = if power == 0 { fraction } else { fraction + (1 << 52) };
    (if x < 0.0 { -integer } else { integer }, power.max(1) - 1)
}

/// The bits of a result that its type holds; of NaN those of the quiet one without a sign.
fn bits(x: f64, is_double: bool) -> u64 {
    match is_double {
        true if x.is_nan() => 0x7ff8 << 48,
        true => x.to_bits(),
        false if x.is_nan() => 0x7fc0_0000,
        false => (x as f32).to_bits().into(),
    }
}

/// The bits of the number nearest to a fraction, in units of the smallest float's square.
fn nearest(numerator: &BigUint, denominator: &BigUint, is_double: bool) -> u64 {
    let infinity = bits(f64::INFINITY, is_double);
    let magnitude = |bits: u64| {
        let number = match is_double {
            true => f64::from_bits(bits),
            false if bits == infinity => 2f64.powi(128),
            false => f32::from_bits(bits as u32).into(),
        };
        let (integer, power) = parts(number);
        (BigUint::from(integer.unsigned_abs()) << (power + SCALE)) * denominator
    };
    // Bits in order are magnitudes in order: the largest that is not above, then the closer of it and the next.
    let low = (0..63).rev().fold(0, |low, bit| {
        let more = low | 1 << bit;
        if more < infinity && magnitude(more) <= *numerator { more } else { low }
    });
    match (numerator * 2u32).cmp(&(magnitude(low) + magnitude(low + 1))) {
        Ordering::Less => low,
        Ordering::Greater => low + 1,
        Ordering::Equal => low + low % 2,
    }
}

/// The bits of an exact sum, mean, L1 norm or dot product, as the result's type has them; NaN as the quiet one without a sign.
pub fn expected(op: Op, element: Element, first: &[u8], second: Option<&[u8]>) -> u64 {
    let is_double = element == Element::F64;
    let bits = |x: f64| bits(x, is_double);
    let first = decode(element, first);
    let second = second.map_or_else(|| vec![1.0; first.len()], |second| decode(element, second));
    let first = first.into_iter().map(|x| if op == Op::L1 { x.abs() } else { x });
    let products: Vec<_> = first.zip(second).collect();
    if products.is_empty() {
        return bits(if op == Op::Mean { f64::NAN } else { 0.0 });
    }
    // Infinities and NaN add up as floats do.
    let is_special = |(a, b): &&(f64, f64)| !a.is_finite() || !b.is_finite();
    let special: f64 = products.iter().filter(is_special).map(|(a, b)| a * b).sum();
    if !special.is_finite() {
        return bits(special);
    }
    let is_minus_zero =
        |(a, b): &(f64, f64)| (*a == 0.0 || *b == 0.0) && a.is_sign_negative() != b.is_sign_negative();
    if products.iter().all(is_minus_zero) {
        return bits(-0.0);
    }
    // Integers of one power add up as they are.
    let mut sums = BTreeMap::<u32, i128>::new();
    for ((a, first), (b, second)) in products.iter().map(|(a, b)| (parts(*a), parts(*b))) {
        *sums.entry(first + second).or_default() += a * b;
    }
    let sum: BigInt = sums.into_iter().map(|(power, sum)| BigInt::from(sum) << power).sum();
    let denominator = BigUint::from(if op == Op::Mean { products.len() } else { 1 });
    let sign = if sum.sign() == Sign::Minus { bits(-0.0) } else { 0 };
    sign | nearest(sum.magnitude(), &denominator, is_double)
}
