//! Values in the bytes of an output.

use crate::element::{Element, Value};

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
