//! Values in the bytes of an output.

use wgpu::Limits;

use crate::element::{Element, Value};
use crate::gpu::error::Error;
use crate::gpu::io::Output;
use crate::gpu::limits::LimitError;
use crate::reduce::FromResults;
use crate::reduce::results::OutputLayout;

/// Checks that a device can bind outputs.
pub(super) fn check(outputs: &[Output], limits: &Limits) -> Result<(), LimitError> {
    let error = |error: LimitError| error.of("the output").or("ask for less");
    outputs.iter().try_for_each(|output| LimitError::unless_bound(limits, output.size).map_err(error))
}

/// The bytes of a value. A 16-bit float has become one of 32 bits.
pub(super) fn size(element: Element) -> u64 {
    element.size().max(4)
}

/// Elements of a type.
pub(super) fn of<T: FromResults>(name: &str, element: Element, output: &[u8]) -> Result<Vec<T>, Error> {
    let stored = if element == Element::F16 { Element::F32 } else { element };
    OutputLayout::of(name, stored).read_all(output)
}

/// The number on the way from an element of 64 bits to another one that is not less, from the nearer end, as NumPy does it. On the way to an
/// infinity every number is infinite. Integers and their distances do not wrap, and are not rounded before the end.
pub fn between(low: Value, high: Value, way: f64) -> f64 {
    if way.is_nan() {
        return f64::NAN;
    }
    if let (Some(low), Some(high)) = (low.integer(), high.integer()) {
        return between_integers(low, high, way);
    }
    let [low, high] = [low, high].map(Value::as_f64);
    let distance = high - low;
    match way {
        _ if low == high => low,
        _ if low.is_infinite() || high.is_infinite() => low + high,
        _ if distance.is_infinite() => low * (1.0 - way) + high * way,
        _ if way < 0.5 => low + distance * way,
        _ => high - distance * (1.0 - way),
    }
}

/// All numbers are sums of two floats; what the larger ones lose is added last.
fn between_integers(low: i128, high: i128, way: f64) -> f64 {
    let split = |x: i128| (x as f64, (x - x as f64 as i128) as f64);
    let ((low, low_rest), (distance, distance_rest)) = (split(low), split(high - low));
    let step = distance * way;
    let step_rest = distance.mul_add(way, -step) + distance_rest * way;
    let sum = low + step;
    let rest = (low - (sum - (sum - low))) + (step - (sum - low));
    sum + (rest + step_rest + low_rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_floats_are_rounded_once() {
        let between = |low: i64, high: i64, way| between(Value::Signed(low), Value::Signed(high), way);
        assert_eq!(between(i64::MIN, i64::MAX, 0.5), -0.5);
        assert_eq!(between(1 - (1 << 62), 1 << 62, 0.5), 0.5);
        assert_eq!(between(i64::MAX - 2, i64::MAX, 0.5), i64::MAX as f64);
        assert_eq!(between(7, 9, 0.25), 7.5);
    }
}
