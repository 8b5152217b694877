//! Answers as the elements of an array on disk.

use std::fs::File;
use std::io;
use std::ops::RangeInclusive;

use halofold::reduce::Scalar;
use halofold::{Element, Value};

use crate::files::{Stored, npy};

/// The type of results that are numbers of an element type: 16-bit floats become 32-bit ones.
pub fn of(element: Element) -> Stored {
    if element == Element::F16 { Element::F32.into() } else { element.into() }
}

/// Appends an answer, little-endian; a range as two elements, the mean of no elements and the like as NaN. `None` if the type does
/// not hold it.
pub fn encode(dtype: Stored, answer: Option<Scalar>, bytes: &mut Vec<u8>) -> Option<()> {
    match answer {
        None => encode_value(dtype, Value::F64(f64::NAN), bytes),
        Some(Scalar::One(value)) => encode_value(dtype, value, bytes),
        Some(Scalar::Range { min, max }) => {
            encode_value(dtype, min, bytes).and_then(|()| encode_value(dtype, max, bytes))
        }
        Some(Scalar::At { index, .. }) => encode_value(dtype, Value::Unsigned(index), bytes),
        Some(_) => None,
    }
}

/// The integers that a type holds.
fn range(dtype: Stored) -> RangeInclusive<i128> {
    let bits = 8 * dtype.size();
    match dtype {
        Stored::Bool => 0..=1,
        _ if dtype.is_signed() => -1 << (bits - 1)..=(1 << (bits - 1)) - 1,
        _ => 0..=(1 << bits) - 1,
    }
}

/// The number of a type that is the closest to an integer; any other number as it is.
pub fn closest(dtype: Stored, value: Value) -> Value {
    let range = range(dtype);
    integer(value).map_or(value, |integer| Value::Wide(integer.clamp(*range.start(), *range.end())))
}

/// An integer of whatever width.
fn integer(value: Value) -> Option<i128> {
    match value {
        Value::Unsigned(x) => Some(x.into()),
        Value::Signed(x) => Some(x.into()),
        Value::Wide(x) => Some(x),
        _ => None,
    }
}

fn encode_value(dtype: Stored, value: Value, bytes: &mut Vec<u8>) -> Option<()> {
    match dtype {
        Stored::Element(Element::F32) => bytes.extend((value.as_f64() as f32).to_le_bytes()),
        Stored::Element(Element::F64) => bytes.extend(value.as_f64().to_le_bytes()),
        _ => {
            let integer = integer(value)?;
            if !range(dtype).contains(&integer) {
                return None;
            }
            bytes.extend(&integer.to_le_bytes()[..dtype.size() as usize]);
        }
    }
    Some(())
}

/// Writes an array of little-endian elements.
pub fn write_npy(
    dtype: Stored,
    shape: &[u64],
    fortran: bool,
    bytes: &[u8],
    file: &mut File,
) -> io::Result<()> {
    npy::write(file, &dtype.descr(), shape, fortran, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_that_a_type_does_not_hold_are_refused() {
        let fits = |dtype: Stored, value| encode(dtype, Some(Scalar::One(value)), &mut Vec::new()).is_some();
        let [long, unsigned] = [Element::I64, Element::U64].map(Stored::from);
        assert!(fits(long, Value::Wide(i64::MAX.into())));
        assert!(!fits(long, Value::Wide(1 << 63)));
        assert!(fits(unsigned, Value::Wide(1 << 63)));
        assert!(!fits(Element::I32.into(), Value::F32(1.0)));
        assert!(fits(Stored::I8, Value::Signed(-128)) && !fits(Stored::I8, Value::Signed(128)));
        assert!(fits(Stored::U16, Value::Unsigned(65535)) && !fits(Stored::Bool, Value::Unsigned(2)));
    }

    #[test]
    fn nothing_is_a_nan() {
        let mut bytes = Vec::new();
        encode(Element::F32.into(), None, &mut bytes).unwrap();
        assert!(f32::from_le_bytes(bytes[..].try_into().unwrap()).is_nan());
    }
}
