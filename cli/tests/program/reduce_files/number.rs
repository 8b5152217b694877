//! The numbers that files are made of, and what NumPy makes of them.

use half::f16;
use halofold::Element;
use serde_json::Value;

use crate::files::npy;

/// A number of the test, exact in every type it is written as.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
    Nothing,
}

impl Number {
    pub fn of_json(value: &Value) -> Self {
        match value {
            Value::Null => Number::Nothing,
            Value::Number(number) if number.is_u64() => Number::Integer(number.as_u64().unwrap().into()),
            Value::Number(number) if number.is_i64() => Number::Integer(number.as_i64().unwrap().into()),
            Value::Number(number) => Number::Float(number.as_f64().unwrap()),
            Value::String(name) => Number::Float(name.parse().unwrap()),
            other => panic!("{other} is no value"),
        }
    }

    pub fn bytes(self, element: Element) -> Vec<u8> {
        match (self, element) {
            (Number::Integer(x), Element::U32 | Element::I32) => (x as u32).to_le_bytes().to_vec(),
            (Number::Integer(x), _) => (x as u64).to_le_bytes().to_vec(),
            (Number::Float(x), Element::F16) => f16::from_f64(x).to_le_bytes().to_vec(),
            (Number::Float(x), Element::F32) => (x as f32).to_le_bytes().to_vec(),
            (Number::Float(x), _) => x.to_le_bytes().to_vec(),
            (Number::Nothing, _) => Vec::new(),
        }
    }

    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(x) => x as f64,
            Number::Float(x) => x,
            Number::Nothing => f64::NAN,
        }
    }

    /// Equality where every NaN is the same and -0 is not +0.
    pub fn same(self, other: Number) -> bool {
        match (self, other) {
            (Number::Float(a), Number::Float(b)) => (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits(),
            (a, b) => a == b,
        }
    }
}

/// Pseudo-random numbers, the same every time. Integers take every (odd) pattern; floats are ±1 with a few twos and
/// halves, which every type adds and multiplies without rounding.
pub fn numbers(element: Element, len: usize) -> Vec<Number> {
    let mut state = len as u64 + element as u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state ^ (state >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
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

/// What NumPy makes of them.
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

/// Whether a value is the expected one: to the bit, but for the rounding of means.
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

/// NumPy's name of an element type.
pub fn dtype(element: Element) -> String {
    format!("{}{}", &element.name()[..1], element.size())
}

/// A one-dimensional little-endian array.
pub fn plain(element: Element, numbers: &[Number]) -> Vec<u8> {
    npy(&format!("<{}", dtype(element)), false, &[numbers.len()], &encode(element, numbers, false))
}
