//! Numbers of files, of JSON and of the reference, and how far they may be apart.

use half::f16;
use halofold::{Element, Value};
use serde_json::Value as Json;

/// A number of either side, exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
    Nothing,
}

impl Number {
    pub fn of_json(value: &Json) -> Self {
        match value {
            Json::Null => Number::Nothing,
            Json::Number(number) if number.is_u64() => Number::Integer(number.as_u64().unwrap().into()),
            Json::Number(number) if number.is_i64() => Number::Integer(number.as_i64().unwrap().into()),
            Json::Number(number) => Number::Float(number.as_f64().unwrap()),
            Json::String(name) => Number::Float(name.parse().unwrap()),
            other => panic!("{other} is no value"),
        }
    }

    pub fn of_value(value: Value) -> Self {
        match value {
            Value::Unsigned(x) => Number::Integer(x.into()),
            Value::Signed(x) => Number::Integer(x.into()),
            // As a JSON reader takes integers of more than 64 bits.
            Value::Wide(x) => u64::try_from(x)
                .map(i128::from)
                .or(i64::try_from(x).map(i128::from))
                .map_or(Number::Float(x as f64), Number::Integer),
            float => Number::Float(float.as_f64()),
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

/// The numbers of nested lists, in order. What is true is one.
pub fn flattened(json: &Json) -> Vec<Number> {
    match json {
        Json::Array(items) => items.iter().flat_map(flattened).collect(),
        Json::Bool(truth) => vec![Number::Integer((*truth).into())],
        other => vec![Number::of_json(other)],
    }
}

/// Asserts that integers are equal, and floats no farther apart than that, relatively.
#[track_caller]
pub fn close(got: &[Number], want: &[Number], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        let near = match (got, want) {
            (Number::Integer(a), Number::Integer(b)) => a == b,
            (Number::Nothing, _) | (_, Number::Nothing) => false,
            _ => {
                let (a, b) = (got.as_f64(), want.as_f64());
                (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= tolerance * b.abs()
            }
        };
        assert!(near, "{what}: result {at} is {got:?} instead of {want:?}");
    }
}
