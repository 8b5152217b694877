//! Results as JSON, the reference and NumPy have them, and how far they may be apart.

use halofold::reduce::Op;
use halofold::{Element, Value};
use serde_json::Value as Json;

/// A number of either side, exact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// An integer.
    Integer(i128),
    /// A float.
    Float(f64),
}

impl Number {
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

    pub fn as_f64(self) -> f64 {
        match self {
            Number::Integer(x) => x as f64,
            Number::Float(x) => x,
        }
    }
}

/// The numbers of nested lists, in order.
fn flat(json: &Json, numbers: &mut Vec<Number>) {
    match json {
        Json::Array(items) => items.iter().for_each(|item| flat(item, numbers)),
        Json::Bool(truth) => numbers.push(Number::Integer((*truth).into())),
        Json::Number(number) if number.is_u64() => {
            numbers.push(Number::Integer(number.as_u64().unwrap().into()));
        }
        Json::Number(number) if number.is_i64() => {
            numbers.push(Number::Integer(number.as_i64().unwrap().into()));
        }
        Json::Number(number) => numbers.push(Number::Float(number.as_f64().unwrap())),
        Json::String(name) => numbers.push(Number::Float(name.parse().unwrap())),
        other => panic!("{other} is no result"),
    }
}

pub fn flattened(json: &Json) -> Vec<Number> {
    let mut numbers = Vec::new();
    flat(json, &mut numbers);
    numbers
}

/// How far floats may be apart, relatively: all floats are of one sign and of one size. Integers of 32 bits are rounded
/// before their squares are taken, which shows where few large ones lie close together; --verify knows how much exactly.
pub fn tolerance(op: Op, element: Element) -> f64 {
    let spread = matches!(op, Op::Variance | Op::SampleVariance | Op::Deviation | Op::SampleDeviation);
    match element {
        Element::U32 | Element::I32 if spread => 1e-2,
        element if element.size() == 8 => 1e-11,
        _ => 2e-5,
    }
}

#[track_caller]
pub fn close(got: &[Number], want: &[Number], tolerance: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (at, (got, want)) in got.iter().zip(want).enumerate() {
        let near = match (got, want) {
            (Number::Integer(a), Number::Integer(b)) => a == b,
            _ => {
                let (a, b) = (got.as_f64(), want.as_f64());
                (a.is_nan() && b.is_nan()) || a == b || (a - b).abs() <= tolerance * b.abs()
            }
        };
        assert!(near, "{what}: result {at} is {got:?} instead of {want:?}");
    }
}
