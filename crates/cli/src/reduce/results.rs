//! Results of an operator: their dimensions and bytes as an array.

use std::ops::RangeInclusive;

use halofold::reduce::Scalar;
use halofold::{Element, Value};

use super::verify::Check;
use crate::failure::Failure;
use crate::files::{Stored, npy};

pub struct Results {
    pub name: String,
    pub q: Option<f64>,
    /// The dimensions of the lines, after the dimension of groups.
    pub shape: Vec<u64>,
    /// Numbers per line, the last dimension. `None` if a line has one number.
    pub several: Option<usize>,
    /// The numbers of each line; `None` if an empty line has no result.
    pub values: Vec<Option<Scalar>>,
    /// The types of the numbers: one, except for custom operators.
    pub dtypes: Vec<Stored>,
    pub is_ranges: bool,
    pub is_exact: bool,
    /// Number of elements of each line.
    pub counts: Vec<u64>,
    pub gpu_ms: Option<f64>,
    pub check: Check,
}

impl Results {
    /// Returns the array's dimensions. A range adds a last dimension of two.
    pub fn dims(&self) -> Vec<u64> {
        let last = if self.is_ranges { Some(2) } else { self.several };
        self.shape.iter().copied().chain(last.map(|several| several as u64)).collect()
    }

    pub fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let [dtype] = self.dtypes[..] else {
            return Err(refusal!(
                "-o holds a number for each result: `{}` gives {}",
                self.name,
                self.dtypes.len()
            ));
        };
        let mut bytes = Vec::with_capacity(self.values.len() * dtype.size() as usize);
        for (number, value) in self.values.iter().enumerate() {
            let numbers = match *value {
                Some(Scalar::Range { min, max }) => [Some(min), Some(max)],
                Some(Scalar::At { index, .. }) if self.several.is_none() => {
                    [Some(Value::Unsigned(index)), None]
                }
                Some(value) => [value.value(), None],
                None => [None, None],
            };
            let count = if self.is_ranges { 2 } else { 1 };
            for value in &numbers[..count] {
                encode(dtype, value.unwrap_or(Value::F64(f64::NAN)), &mut bytes).ok_or_else(|| {
                    let why = match value {
                        None => "has no value, as all its elements are left out",
                        Some(_) => "does not fit the type; take an operator that wraps",
                    };
                    refusal!("{}: result {number} of type {dtype} {why}, or print it", self.name)
                })?;
            }
        }
        Ok(bytes)
    }

    pub fn places(&self) -> Result<Vec<u8>, Failure> {
        let place = |value: &Option<Scalar>| match value {
            Some(Scalar::At { index, .. }) => *index as i64,
            _ => -1,
        };
        let bytes: Vec<u8> = self.values.iter().flat_map(|value| place(value).to_le_bytes()).collect();
        npy::file("<i8", &self.dims(), &bytes)
    }
}

fn range(dtype: Stored) -> RangeInclusive<i128> {
    let bits = 8 * dtype.size();
    match dtype {
        Stored::Bool => 0..=1,
        _ if dtype.is_signed() => -1 << (bits - 1)..=(1 << (bits - 1)) - 1,
        _ => 0..=(1 << bits) - 1,
    }
}

fn integer(value: Value) -> Option<i128> {
    match value {
        Value::Unsigned(x) => Some(x.into()),
        Value::Signed(x) => Some(x.into()),
        Value::Wide(x) => Some(x),
        _ => None,
    }
}

/// Appends a number, little-endian. Returns `None` if it does not fit the type.
pub fn encode(dtype: Stored, value: Value, bytes: &mut Vec<u8>) -> Option<()> {
    match dtype {
        Stored::Element(Element::F32) => bytes.extend((value.as_f64() as f32).to_le_bytes()),
        Stored::Element(Element::F64) => bytes.extend(value.as_f64().to_le_bytes()),
        Stored::Element(Element::F16) => bytes.extend(half::f16::from_f64(value.as_f64()).to_le_bytes()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_out_of_a_types_range_are_refused() {
        let fits = |dtype: Stored, value| encode(dtype, value, &mut Vec::new()).is_some();
        let [long, unsigned] = [Element::I64, Element::U64].map(Stored::from);
        assert!(fits(long, Value::Wide(i64::MAX.into())));
        assert!(!fits(long, Value::Wide(1 << 63)));
        assert!(fits(unsigned, Value::Wide(1 << 63)));
        assert!(!fits(Element::I32.into(), Value::F32(1.0)));
        assert!(fits(Stored::I8, Value::Signed(-128)) && !fits(Stored::I8, Value::Signed(128)));
        assert!(fits(Stored::U16, Value::Unsigned(65535)) && !fits(Stored::Bool, Value::Unsigned(2)));
    }
}
