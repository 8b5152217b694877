//! Answers as the elements of an array on disk.

use std::fmt;
use std::fs::File;
use std::io;
use std::ops::RangeInclusive;

use halofold::reduce::Answer;
use halofold::{Element, Value};

use crate::files::npy;

/// The element type of an array of answers, with the bytes of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    Bool,
    Unsigned(u8),
    Signed(u8),
    Float(u8),
}

impl Dtype {
    /// The type of numbers of so many bytes that have an element type on the GPU; 16-bit floats become 32-bit ones.
    pub fn of(element: Element, bytes: u64) -> Self {
        match (element, bytes as u8) {
            (Element::U32 | Element::U64, bytes) => Dtype::Unsigned(bytes),
            (Element::I32 | Element::I64, bytes) => Dtype::Signed(bytes),
            (_, bytes) => Dtype::Float(bytes.max(4)),
        }
    }

    /// Bytes of one.
    pub fn size(self) -> usize {
        match self {
            Dtype::Bool => 1,
            Dtype::Unsigned(bytes) | Dtype::Signed(bytes) | Dtype::Float(bytes) => bytes.into(),
        }
    }

    /// Appends an answer, little-endian; a range as two elements, the mean of no elements and the like as NaN. `None` if the type does
    /// not hold it.
    pub fn encode(self, answer: Option<Answer>, bytes: &mut Vec<u8>) -> Option<()> {
        match answer {
            None => self.encode_value(Value::F64(f64::NAN), bytes),
            Some(Answer::Value(value)) => self.encode_value(value, bytes),
            Some(Answer::Range { min, max }) => {
                self.encode_value(min, bytes).and_then(|()| self.encode_value(max, bytes))
            }
            Some(Answer::At { index, .. }) => self.encode_value(Value::Unsigned(index), bytes),
            Some(_) => None,
        }
    }

    /// The integers that it holds.
    fn range(self) -> RangeInclusive<i128> {
        let bits = 8 * self.size();
        match self {
            Dtype::Bool => 0..=1,
            Dtype::Signed(_) => -1 << (bits - 1)..=(1 << (bits - 1)) - 1,
            Dtype::Unsigned(_) | Dtype::Float(_) => 0..=(1 << bits) - 1,
        }
    }

    fn encode_value(self, value: Value, bytes: &mut Vec<u8>) -> Option<()> {
        if let Dtype::Float(size) = self {
            match size {
                4 => bytes.extend((value.as_f64() as f32).to_le_bytes()),
                _ => bytes.extend(value.as_f64().to_le_bytes()),
            }
            return Some(());
        }
        let integer: i128 = match value {
            Value::Unsigned(x) => x.into(),
            Value::Signed(x) => x.into(),
            Value::Wide(x) => x,
            _ => return None,
        };
        if !self.range().contains(&integer) {
            return None;
        }
        bytes.extend(&integer.to_le_bytes()[..self.size()]);
        Some(())
    }
}

/// The name of NumPy, without a byte order.
impl fmt::Display for Dtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self {
            Dtype::Bool => 'b',
            Dtype::Unsigned(_) => 'u',
            Dtype::Signed(_) => 'i',
            Dtype::Float(_) => 'f',
        };
        write!(f, "{kind}{}", self.size())
    }
}

/// Writes an array of little-endian elements.
pub fn write_npy(
    dtype: Dtype,
    shape: &[u64],
    fortran: bool,
    bytes: &[u8],
    file: &mut File,
) -> io::Result<()> {
    let mark = if dtype.size() == 1 { '|' } else { '<' };
    npy::write(file, &format!("{mark}{dtype}"), shape, fortran, bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_type_does_not_hold_is_refused() {
        let fits = |dtype: Dtype, value| dtype.encode(Some(Answer::Value(value)), &mut Vec::new()).is_some();
        assert!(fits(Dtype::Signed(8), Value::Wide(i64::MAX.into())));
        assert!(!fits(Dtype::Signed(8), Value::Wide(1 << 63)));
        assert!(fits(Dtype::Unsigned(8), Value::Wide(1 << 63)));
        assert!(!fits(Dtype::Signed(4), Value::F32(1.0)));
        assert!(fits(Dtype::Signed(1), Value::Signed(-128)) && !fits(Dtype::Signed(1), Value::Signed(128)));
        assert!(fits(Dtype::Unsigned(2), Value::Unsigned(65535)) && !fits(Dtype::Bool, Value::Unsigned(2)));
    }

    #[test]
    fn nothing_is_a_nan() {
        let mut bytes = Vec::new();
        Dtype::Float(4).encode(None, &mut bytes).unwrap();
        assert!(f32::from_le_bytes(bytes[..].try_into().unwrap()).is_nan());
    }
}
