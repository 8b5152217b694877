//! Values in the bytes of an output.

use wgpu::Limits;

use crate::element::{Element, Value};
use crate::operation::limits::LimitError;

/// Checks that a device can bind an output of so many bytes.
pub(super) fn check(output: u64, limits: &Limits) -> Result<(), LimitError> {
    let error = |error: LimitError| error.of("the output").or("ask for less");
    LimitError::unless_bound(limits, output).map_err(error)
}

/// The bytes of a value. A 16-bit float has become one of 32 bits.
pub(super) fn size(element: Element) -> u64 {
    element.size().max(4)
}

/// Elements of a type.
pub(super) fn of(element: Element, output: &[u8]) -> Vec<Value> {
    let stored = if element == Element::F16 { Element::F32 } else { element };
    output.chunks_exact(size(element) as usize).map(|bytes| stored.read(bytes)).collect()
}

/// The number on the way from one 64-bit element to another, from the nearer end, as NumPy does it. Infinities are limits.
pub(super) fn between(low: Value, high: Value, way: f64) -> Value {
    let ends = [low, high].map(Value::as_f64);
    let distance = match (low, high) {
        // A float has fewer bits than the integers.
        (Value::Unsigned(low), Value::Unsigned(high)) => (high - low) as f64,
        (Value::Signed(low), Value::Signed(high)) => high.abs_diff(low) as f64,
        _ => ends[1] - ends[0],
    };
    let [low, high] = ends;
    Value::F64(if way.is_nan() {
        f64::NAN
    } else if low == high {
        low
    } else if low.is_infinite() || high.is_infinite() {
        low + high
    } else if distance.is_infinite() {
        low * (1.0 - way) + high * way
    } else if way < 0.5 {
        low + distance * way
    } else {
        high - distance * (1.0 - way)
    })
}
