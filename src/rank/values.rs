//! Values in the bytes of an output.

use wgpu::Limits;

use crate::element::{Element, Value};
use crate::operation::limits::LimitError;

/// Checks that a device can bind an output of so many bytes.
pub(super) fn check(output: u64, limits: &Limits) -> Result<(), LimitError> {
    let error = |error: LimitError| error.of("the output").or("ask for less");
    LimitError::unless_bound(limits, output).map_err(error)
}

/// Elements of a type.
pub(super) fn of(element: Element, output: &[u8]) -> Vec<Value> {
    let words: Vec<u32> = bytemuck::pod_collect_to_vec(output);
    let value = |word: u32| match element {
        Element::U32 => Value::Unsigned(word.into()),
        Element::I32 => Value::Signed((word as i32).into()),
        _ => Value::F32(f32::from_bits(word)),
    };
    words.into_iter().map(value).collect()
}
