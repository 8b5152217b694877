//! Order statistics on the CPU, with which those of the GPU are compared. They compare numbers with each other, and know nothing of keys.

use std::cmp::Ordering;

use crate::element::{Element, Value};
use crate::rank::{Method, values};

/// The elements with ranks counted from 0, in NumPy's order: −0 is 0, and NaNs are last. A rank past the end has no element: NaN, or 0
/// if elements are integers.
pub fn nth(element: Element, bytes: &[u8], ranks: &[u64]) -> Vec<Value> {
    let sorted = sorted(element, bytes);
    ranks.iter().map(|rank| sorted.get(*rank as usize).copied().unwrap_or(missing(element))).collect()
}

/// The quantiles `at` of elements, each from 0 to 1. Discrete methods return elements; the others 64-bit floats, as NumPy does. All are
/// NaN if an element is, or if there are none; of no integers, a discrete method returns 0.
///
/// Infinities interpolate to what the formula tends to: 1 and +∞ to +∞, −∞ and +∞ to NaN. In NumPy differences of infinities are NaN, and those of
/// integers wrap.
pub fn quantiles(element: Element, bytes: &[u8], method: Method, at: &[f64]) -> Vec<Value> {
    let sorted = sorted(element, bytes);
    let nan = if method.is_discrete() { missing(element) } else { Value::F64(f64::NAN) };
    let quantile = |q: &f64| {
        let (lower, upper, gamma) = method.position(*q, sorted.len() as u64);
        let (lower, upper) = (sorted[lower as usize], sorted[upper as usize]);
        if method.is_discrete() { lower } else { Value::F64(between(lower, upper, gamma)) }
    };
    match sorted.last() {
        Some(last) if !last.as_f64().is_nan() => at.iter().map(quantile).collect(),
        _ => vec![nan; at.len()],
    }
}

/// The `k` largest elements, or the smallest, and their indices, in order; of equal ones the smaller index is first. NaNs are equal, and
/// larger than all others. There are fewer if there are fewer elements.
pub fn top(element: Element, bytes: &[u8], k: usize, smallest: bool) -> Vec<(Value, u32)> {
    let mut ranked: Vec<_> = elements(element, bytes).zip(0..).collect();
    // The sort is stable.
    ranked.sort_by(|(a, _), (b, _)| if smallest { order(*a, *b) } else { order(*b, *a) });
    ranked.truncate(k);
    ranked
}

fn sorted(element: Element, bytes: &[u8]) -> Vec<Value> {
    let mut sorted: Vec<_> = elements(element, bytes).collect();
    sorted.sort_by(|a, b| order(*a, *b));
    sorted
}

/// The elements in memory, with 0 for −0.
fn elements(element: Element, bytes: &[u8]) -> impl Iterator<Item = Value> {
    element.read_all(bytes).map(|value| match value {
        Value::F32(x) => Value::F32(x + 0.0),
        Value::F64(x) => Value::F64(x + 0.0),
        integer => integer,
    })
}

/// NumPy's order of two elements of one type.
fn order(a: Value, b: Value) -> Ordering {
    if let (Some(a), Some(b)) = (a.integer(), b.integer()) {
        return a.cmp(&b);
    }
    // Only NaNs have no order. True is larger than false.
    let (a, b) = (a.as_f64(), b.as_f64());
    a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan()))
}

/// The number between two elements.
fn between(lower: Value, upper: Value, gamma: f64) -> f64 {
    match (lower.integer(), upper.integer()) {
        (Some(lower), Some(upper)) => between_integers(lower, upper, gamma),
        _ => values::between(lower, upper, gamma),
    }
}

/// The same of integers, as a whole number and a fraction: gamma is a multiple of 2^-1074, and those of interest of 2^-64.
fn between_integers(lower: i128, upper: i128, gamma: f64) -> f64 {
    let parts = (gamma * 64f64.exp2()) as i128;
    let way = (upper - lower) * (parts >> 32);
    let (whole, fraction) = (lower + (way >> 32), (way & 0xffff_ffff) as f64 * (-32f64).exp2());
    let rest = ((upper - lower) as f64) * (parts & 0xffff_ffff) as f64 * (-64f64).exp2();
    let near = whole as f64;
    near + ((whole - near as i128) as f64 + (fraction + rest))
}

fn missing(element: Element) -> Value {
    match element {
        Element::U32 | Element::U64 => Value::Unsigned(0),
        Element::I32 | Element::I64 => Value::Signed(0),
        Element::F32 | Element::F16 => Value::F32(f32::NAN),
        Element::F64 => Value::F64(f64::NAN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_numpy() {
        let elements = [3.5f32, -0.0, 1.25, 0.0, -7.0, 100.0];
        let quantile = |method, q| quantiles(Element::F32, bytemuck::cast_slice(&elements), method, &[q])[0];
        assert_eq!(quantile(Method::Linear, 0.7), Value::F64(2.375));
        assert_eq!(quantile(Method::Weibull, 0.9), Value::F64(100.0));
        assert_eq!(quantile(Method::Hazen, 0.8), Value::F64(32.45000000000007));
        assert_eq!(quantile(Method::Higher, 0.7), Value::F32(3.5));
    }

    #[test]
    fn a_nan_is_last_and_makes_quantiles_nan() {
        let bytes: &[u8] = bytemuck::cast_slice(&[2.0f64, f64::NAN, f64::NEG_INFINITY]);
        let [last, missing, first] = nth(Element::F64, bytes, &[2, 3, 0])[..] else { panic!("three ranks") };
        assert!(last.as_f64().is_nan() && missing.as_f64().is_nan());
        assert_eq!(first, Value::F64(f64::NEG_INFINITY));
        assert!(quantiles(Element::F64, bytes, Method::Lower, &[0.0])[0].as_f64().is_nan());
    }

    #[test]
    fn infinities_interpolate_to_limits() {
        let between = |a, b| between(Value::F64(a), Value::F64(b), 0.5);
        assert_eq!(between(1.0, f64::INFINITY), f64::INFINITY);
        assert_eq!(between(f64::INFINITY, f64::INFINITY), f64::INFINITY);
        assert!(between(f64::NEG_INFINITY, f64::INFINITY).is_nan());
        assert_eq!(between(f64::MIN, f64::MAX), 0.0);
    }

    #[test]
    fn equal_elements_are_in_order_of_their_indices() {
        let bytes: &[u8] = bytemuck::cast_slice(&[-1i64, i64::MAX, 5, i64::MAX, -1]);
        let of = |pairs: &[(i64, u32)]| -> Vec<_> {
            pairs.iter().map(|(value, index)| (Value::Signed(*value), *index)).collect()
        };
        assert_eq!(top(Element::I64, bytes, 3, false), of(&[(i64::MAX, 1), (i64::MAX, 3), (5, 2)]));
        assert_eq!(top(Element::I64, bytes, 3, true), of(&[(-1, 0), (-1, 4), (5, 2)]));
        assert_eq!(top(Element::I64, bytes, 9, true).len(), 5);
    }
}
