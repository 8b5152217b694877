//! The fields of a state, read from its bytes.

use bytemuck::{AnyBitPattern, pod_read_unaligned};

use super::Real;
use crate::element::Element;

/// The number at a place among others of its type.
pub(super) fn read<T: AnyBitPattern>(state: &[u8], at: usize) -> T {
    pod_read_unaligned(&state[at * size_of::<T>()..][..size_of::<T>()])
}

/// The float at a place among words of its width.
pub(super) fn real(element: Element, state: &[u8], at: usize) -> f64 {
    if Real::of(element).is_double { read(state, at) } else { read::<f32>(state, at).into() }
}

/// A 32-bit word, the first or the second one, of the number at a place among floats of the accumulator's width.
pub(super) fn word(element: Element, state: &[u8], at: usize, nth: usize) -> u32 {
    let width = if Real::of(element).is_double { 8 } else { 4 };
    read(&state[width * at..], nth)
}

/// A short mean, and the unit in the bits that it leaves.
pub(super) fn mean_and_unit(element: Element, state: &[u8], at: usize) -> (f64, f64) {
    let (mean, unit) = match element.size() {
        8 => {
            let bits = read::<u64>(state, at);
            (f64::from_bits(bits & !0x1fff), (bits & 0x1fff) as u32)
        }
        _ => {
            let bits = read::<u32>(state, at);
            (f32::from_bits(bits & !0xfff).into(), bits & 0xfff)
        }
    };
    (mean, power(element, unit))
}

/// The power of two with an exponent as it lies in the bits of a float; 0 of 0.
pub(super) fn power(element: Element, exponent: u32) -> f64 {
    match element.size() {
        8 => f64::from_bits(u64::from(exponent) << 52),
        _ => f32::from_bits(exponent << 23).into(),
    }
}
