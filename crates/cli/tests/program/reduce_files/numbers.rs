//! Numbers for files, and NumPy's results over them.

use halofold::Element;

use crate::files::{dtype, npy, random};
use crate::number::Number;

/// Pseudo-random numbers, the same every time. Integers take every (odd) pattern; floats are ±1 with a few twos and
/// halves, which every type adds and multiplies without rounding.
pub fn numbers(element: Element, len: usize) -> Vec<Number> {
    let mut next = random(len as u64 + element as u64);
    let number = |index: usize| {
        let word = next() | 1;
        match element {
            Element::U32 => Number::Integer((word as u32).into()),
            Element::I32 => Number::Integer((word as i32).into()),
            Element::U64 => Number::Integer(word.into()),
            Element::I64 => Number::Integer((word as i64).into()),
            _ => {
                let rare = index % (len / 6 + 2) == 1;
                let magnitude = if !rare {
                    1.0
                } else if word >> 20 & 1 == 0 {
                    2.0
                } else {
                    0.5
                };
                Number::Float(if word >> 40 & 1 == 0 { magnitude } else { -magnitude })
            }
        }
    };
    (0..len).map(number).collect()
}

/// NumPy's result over them.
pub fn expected(op: &str, element: Element, numbers: &[Number]) -> Number {
    if numbers.is_empty() && !["sum", "product"].contains(&op) {
        return Number::Nothing;
    }
    let signed = matches!(element, Element::I32 | Element::I64);
    let in_64_bits = |x: u64| Number::Integer(if signed { i128::from(x as i64) } else { x.into() });
    if element.is_float() {
        let items = numbers.iter().map(|x| x.as_f64());
        return Number::Float(match op {
            "sum" => items.sum::<f64>() + 0.0,
            "product" => items.product(),
            "min" => items.fold(f64::INFINITY, f64::min),
            "max" => items.fold(f64::NEG_INFINITY, f64::max),
            _ => {
                let mean = items.sum::<f64>() / numbers.len() as f64;
                if element == Element::F64 { mean } else { f64::from(mean as f32) }
            }
        });
    }
    let items = numbers.iter().map(|x| match x {
        Number::Integer(x) => *x,
        other => panic!("{other:?} is no integer"),
    });
    match op {
        "sum" => in_64_bits(items.sum::<i128>() as u64),
        "product" => in_64_bits(items.fold(1, |product: u64, x| product.wrapping_mul(x as u64))),
        "min" => Number::Integer(items.min().unwrap()),
        "max" => Number::Integer(items.max().unwrap()),
        _ => Number::Float(items.sum::<i128>() as f64 / numbers.len() as f64),
    }
}

/// Returns true if a value is the expected one: to the bit, but for the rounding of means.
pub fn agrees(op: &str, got: Number, expected: Number) -> bool {
    let rounding = expected.as_f64().abs() * f64::EPSILON * 4.0;
    got.same(expected) || (op == "mean" && (got.as_f64() - expected.as_f64()).abs() <= rounding)
}

/// Elements one after the other, with the big end first if asked.
pub fn encode(element: Element, numbers: &[Number], big: bool) -> Vec<u8> {
    let bytes = |number: &Number| {
        let mut bytes = number.bytes(element);
        if big {
            bytes.reverse();
        }
        bytes
    };
    numbers.iter().flat_map(bytes).collect()
}

/// A one-dimensional little-endian array.
pub fn plain(element: Element, numbers: &[Number]) -> Vec<u8> {
    npy(&format!("<{}", dtype(element)), false, &[numbers.len()], &encode(element, numbers, false))
}
