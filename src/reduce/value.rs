//! Results on the host: decodes the bytes of an output.

use std::fmt;

use bytemuck::pod_read_unaligned;

use crate::element::{Element, Value};

/// One result of an [`Op`](crate::reduce::Op), as [`Op::read`](crate::reduce::Op::read) returns it. The table
/// of [`Op`](crate::reduce::Op) lists the type of its numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Scalar {
    /// One value: the result of most operators.
    One(Value),
    /// The smallest and the largest value: [`Op::MinMax`](crate::reduce::Op::MinMax).
    Range {
        /// The smallest.
        min: Value,
        /// The largest.
        max: Value,
    },
    /// A value and its index: [`Op::ArgMin`](crate::reduce::Op::ArgMin) and
    /// [`Op::ArgMax`](crate::reduce::Op::ArgMax).
    At {
        /// The value.
        value: Value,
        /// Its index, from 0, in the input, segment or axis. Over several buffers it counts through all of them; with a stride it
        /// counts only the elements that the stride takes. 2³² - 1 if there are no elements.
        index: u64,
    },
}

impl Scalar {
    /// Returns the value if there is only one, including the value of a [`Scalar::At`].
    pub fn value(self) -> Option<Value> {
        match self {
            Scalar::One(value) | Scalar::At { value, .. } => Some(value),
            Scalar::Range { .. } => None,
        }
    }

    /// Compares for tests: all NaNs are equal, and -0 differs from +0.
    pub fn same(self, other: Scalar) -> bool {
        match (self, other) {
            (Scalar::One(a), Scalar::One(b)) => a.same(b),
            (Scalar::Range { min, max }, Scalar::Range { min: other_min, max: other_max }) => {
                min.same(other_min) && max.same(other_max)
            }
            (Scalar::At { value, index }, Scalar::At { value: other, index: at }) => {
                value.same(other) && index == at
            }
            _ => false,
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Scalar::One(value) => value.fmt(f),
            Scalar::Range { min, max } => write!(f, "{min} … {max}"),
            Scalar::At { value, index } => write!(f, "{value} at {index}"),
        }
    }
}

/// How a number is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    One(Element),
    /// Two sums of 64-bit integers: of the upper and of the lower halves.
    Halves(Element),
}

impl Number {
    pub(super) const I64: Number = Number::One(Element::I64);
    pub(super) const F32: Number = Number::One(Element::F32);
    pub(super) const F64: Number = Number::One(Element::F64);
    pub(super) const U32: Number = Number::One(Element::U32);

    pub(super) fn size(self) -> usize {
        match self {
            Number::One(element) => element.size() as usize,
            Number::Halves(_) => 16,
        }
    }

    /// Returns the element type; `None` for two sums.
    pub(super) fn element(self) -> Option<Element> {
        if let Number::One(element) = self { Some(element) } else { None }
    }

    /// Keeps the low bits of an integer as a value of this type. Two sums keep all bits.
    pub(super) fn wrap(self, x: i128) -> Value {
        match self {
            Number::One(Element::U32) => Value::Unsigned((x as u32).into()),
            Number::One(Element::I32) => Value::Signed((x as i32).into()),
            Number::One(Element::U64) => Value::Unsigned(x as u64),
            Number::One(_) => Value::Signed(x as i64),
            Number::Halves(_) => Value::Wide(x),
        }
    }

    /// Decodes the number at the start of `bytes`.
    pub(super) fn read(self, bytes: &[u8]) -> Value {
        match self {
            Number::One(element) => element.read(bytes),
            Number::Halves(element) => {
                let halves = if element == Element::U64 {
                    pod_read_unaligned::<[u64; 2]>(&bytes[..16]).map(i128::from)
                } else {
                    pod_read_unaligned::<[i64; 2]>(&bytes[..16]).map(i128::from)
                };
                Value::Wide((halves[0] << 32) + halves[1])
            }
        }
    }
}

/// A number of a result and its offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Offset of its first byte in the result.
    pub(super) offset: usize,
    pub(super) number: Number,
}

/// The type of a result's numbers, by element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The element type; for 16-bit floats, a 32-bit float.
    Own,
    /// The element type without sign.
    Unsigned,
    /// A float as wide as the element, at least 32 bits.
    Real,
    /// An integer of twice the width; for 64-bit integers, two sums of halves.
    Wide,
    /// A sum of magnitudes: a float for floats, an exact integer for integers.
    Magnitudes,
    /// A count, or 0 or 1.
    Flag,
}

impl Kind {
    pub(super) const fn of(self, element: Element) -> Number {
        use Element::{F16, F32, F64, I32, I64, U32, U64};
        Number::One(match (self, element) {
            (Kind::Flag, _) => U32,
            (Kind::Own | Kind::Unsigned | Kind::Magnitudes, F32 | F16) => F32,
            (Kind::Own, element) => element,
            (Kind::Unsigned | Kind::Magnitudes, F64) => F64,
            (Kind::Unsigned, U32 | I32) => U32,
            (Kind::Unsigned, U64 | I64) => U64,
            (Kind::Magnitudes, U32 | I32) | (Kind::Wide, U32) => U64,
            (Kind::Wide, I32) => I64,
            (Kind::Magnitudes, U64 | I64) | (Kind::Wide, U64) => return Number::Halves(U64),
            (Kind::Wide, _) => return Number::Halves(I64),
            (Kind::Real, element) if element.size() == 8 => F64,
            (Kind::Real, _) => F32,
        })
    }
}

/// The numbers of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    One,
    /// A minimum and a maximum.
    Range,
    /// A value and an index, padded to a multiple of the value's size.
    At,
}

impl Format {
    /// Returns the layout of a result, given the type of its first number.
    pub(super) fn fields(self, first: Number) -> Vec<Field> {
        let second = match self {
            Format::One => None,
            Format::Range => Some(first),
            Format::At => Some(Number::U32),
        };
        let second = second.map(|number| Field { offset: first.size(), number });
        [Field { offset: 0, number: first }].into_iter().chain(second).collect()
    }

    /// Decodes results, given the type of their first number.
    pub(super) fn read(self, first: Number, bytes: &[u8]) -> Vec<Scalar> {
        let size = if self == Format::One { first.size() } else { 2 * first.size() };
        let one = |result: &[u8]| {
            let (value, second) = (first.read(result), &result[first.size()..]);
            match self {
                Format::One => Scalar::One(value),
                Format::Range => Scalar::Range { min: value, max: first.read(second) },
                Format::At => Scalar::At { value, index: pod_read_unaligned::<u32>(&second[..4]).into() },
            }
        };
        bytes.chunks_exact(size).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sameness_is_by_bits_and_place() {
        let at = |value: f32, index| Scalar::At { value: Value::F32(value), index };
        assert!(at(f32::NAN, 3).same(at(f32::NAN, 3)));
        assert!(!at(0.0, 3).same(at(-0.0, 3)));
        assert!(!at(0.0, 3).same(at(0.0, 4)));
    }
}
