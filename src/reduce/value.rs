//! Results on the host: from the bytes that a reducer left to values.

use std::fmt;

use bytemuck::{AnyBitPattern, pod_read_unaligned};

use crate::element::{Element, Value};

/// One result of an [`Op`](crate::reduce::Op), as [`Op::read`](crate::reduce::Op::read) makes it of bytes. The table there says which
/// type of number it has.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Answer {
    /// A value: what most operators give.
    Value(Value),
    /// A smallest and a largest value: [`Op::MinMax`](crate::reduce::Op::MinMax).
    Range {
        /// The smallest.
        min: Value,
        /// The largest.
        max: Value,
    },
    /// A value and where it is: [`Op::ArgMin`](crate::reduce::Op::ArgMin) and
    /// [`Op::ArgMax`](crate::reduce::Op::ArgMax).
    At {
        /// The value.
        value: Value,
        /// Its index, from 0: in the input (through all its parts, among the elements that a stride takes), in its segment or
        /// along its axis. 2³² - 1 if there are no elements.
        index: u32,
    },
}

impl Answer {
    /// The value, if it is only one: also an [`Answer::At`]'s.
    pub fn value(self) -> Option<Value> {
        match self {
            Answer::Value(value) | Answer::At { value, .. } => Some(value),
            Answer::Range { .. } => None,
        }
    }

    /// Equality as a test wants it: every NaN is the same, and -0 is not +0.
    pub fn same(self, other: Answer) -> bool {
        match (self, other) {
            (Answer::Value(a), Answer::Value(b)) => a.same(b),
            (Answer::Range { min, max }, Answer::Range { min: other_min, max: other_max }) => {
                min.same(other_min) && max.same(other_max)
            }
            (Answer::At { value, index }, Answer::At { value: other, index: at }) => {
                value.same(other) && index == at
            }
            _ => false,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Value(value) => value.fmt(f),
            Answer::Range { min, max } => write!(f, "{min} … {max}"),
            Answer::At { value, index } => write!(f, "{value} at {index}"),
        }
    }
}

/// How a number lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Number {
    U32,
    I32,
    F32,
    U64,
    I64,
    F64,
    /// Of operators of the user's only.
    F16,
    /// The sums of upper and lower halves.
    HalvesU64,
    HalvesI64,
}

impl Number {
    fn size(self) -> usize {
        match self {
            Number::F16 => 2,
            Number::U32 | Number::I32 | Number::F32 => 4,
            Number::U64 | Number::I64 | Number::F64 => 8,
            Number::HalvesU64 | Number::HalvesI64 => 16,
        }
    }

    /// The type in Rust.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Number::U32 => "u32",
            Number::I32 => "i32",
            Number::F32 => "f32",
            Number::U64 => "u64",
            Number::I64 => "i64",
            Number::F64 => "f64",
            Number::F16 => "f16",
            Number::HalvesU64 | Number::HalvesI64 => "i128",
        }
    }

    /// The number that the bytes begin with.
    pub(super) fn read(self, bytes: &[u8]) -> Value {
        fn first<T: AnyBitPattern>(bytes: &[u8]) -> T {
            pod_read_unaligned(&bytes[..size_of::<T>()])
        }
        match self {
            Number::U32 => Value::Unsigned(first::<u32>(bytes).into()),
            Number::I32 => Value::Signed(first::<i32>(bytes).into()),
            Number::F32 => Value::F32(first(bytes)),
            Number::U64 => Value::Unsigned(first(bytes)),
            Number::I64 => Value::Signed(first(bytes)),
            Number::F64 => Value::F64(first(bytes)),
            Number::F16 => Value::F32(first::<half::f16>(bytes).to_f32()),
            Number::HalvesU64 => {
                let [upper, lower] = first::<[u64; 2]>(bytes).map(i128::from);
                Value::Wide((upper << 32) + lower)
            }
            Number::HalvesI64 => {
                let [upper, lower] = first::<[i64; 2]>(bytes).map(i128::from);
                Value::Wide((upper << 32) + lower)
            }
        }
    }
}

/// A number of a result, and where it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Field {
    /// Its first byte, counted from the result's.
    pub(super) offset: usize,
    pub(super) number: Number,
}

/// What number a result is, whatever the element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The element's own type; of 16-bit floats a 32-bit one.
    Own,
    /// The same without a sign.
    Unsigned,
    /// A float as wide as the element, and of 32 bits at least.
    Real,
    /// An integer of twice the width; of 64-bit ones two sums of halves.
    Wide,
    /// A sum of magnitudes: of floats a float, of integers exact.
    Magnitudes,
    /// A count, or 0 or 1.
    Flag,
}

impl Kind {
    fn of(self, element: Element) -> Number {
        use Element::{F16, F32, F64, I32, I64, U32, U64};
        match (self, element) {
            (Kind::Flag, _) => Number::U32,
            (Kind::Own | Kind::Unsigned | Kind::Magnitudes, F32 | F16) => Number::F32,
            (Kind::Own | Kind::Unsigned | Kind::Magnitudes, F64) => Number::F64,
            (Kind::Own | Kind::Unsigned, U32) | (Kind::Unsigned, I32) => Number::U32,
            (Kind::Own | Kind::Unsigned, U64) | (Kind::Unsigned, I64) => Number::U64,
            (Kind::Own, I32) => Number::I32,
            (Kind::Own, I64) | (Kind::Wide, I32) => Number::I64,
            (Kind::Magnitudes, U32 | I32) | (Kind::Wide, U32) => Number::U64,
            (Kind::Magnitudes, U64 | I64) | (Kind::Wide, U64) => Number::HalvesU64,
            (Kind::Wide, _) => Number::HalvesI64,
            (Kind::Real, element) if element.size() == 8 => Number::F64,
            (Kind::Real, _) => Number::F32,
        }
    }
}

/// How a result lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format<N = Number> {
    One(N),
    /// A minimum and a maximum.
    Range(N),
    /// A value and an index, padded to a multiple of the value's size.
    At(N),
}

impl Format<Kind> {
    /// The format of an operator's results over an element type.
    pub(super) fn of(self, element: Element) -> Format {
        match self {
            Format::One(kind) => Format::One(kind.of(element)),
            Format::Range(kind) => Format::Range(kind.of(element)),
            Format::At(kind) => Format::At(kind.of(element)),
        }
    }
}

impl Format {
    pub(super) fn fields(self) -> Vec<Field> {
        let (Format::One(first) | Format::Range(first) | Format::At(first)) = self;
        let second = match self {
            Format::One(_) => None,
            Format::Range(number) => Some(number),
            Format::At(_) => Some(Number::U32),
        };
        let second = second.map(|number| Field { offset: first.size(), number });
        [Field { offset: 0, number: first }].into_iter().chain(second).collect()
    }

    fn size(self) -> usize {
        match self {
            Format::One(number) => number.size(),
            Format::Range(number) | Format::At(number) => 2 * number.size(),
        }
    }

    pub(super) fn read(self, bytes: &[u8]) -> Vec<Answer> {
        bytes.chunks_exact(self.size()).map(|result| self.one(result)).collect()
    }

    fn one(self, bytes: &[u8]) -> Answer {
        match self {
            Format::One(number) => Answer::Value(number.read(bytes)),
            Format::Range(number) => {
                Answer::Range { min: number.read(bytes), max: number.read(&bytes[number.size()..]) }
            }
            Format::At(number) => {
                let index = &bytes[number.size()..][..4];
                Answer::At { value: number.read(bytes), index: pod_read_unaligned(index) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_follow_their_values() {
        let words = [7u32, 1, 9, 2];
        let bytes = bytemuck::bytes_of(&words);
        let at = |value, index| Answer::At { value: Value::Unsigned(value), index };
        assert_eq!(Format::At(Number::U32).read(bytes), [at(7, 1), at(9, 2)]);
        assert_eq!(Format::At(Number::U64).read(bytes), [at(7 + (1 << 32), 9)]);
    }

    #[test]
    fn halves_make_one() {
        let halves = [-1i64, 5];
        let answers = Format::One(Number::HalvesI64).read(bytemuck::bytes_of(&halves));
        assert_eq!(answers, [Answer::Value(Value::Wide(5 - (1 << 32)))]);
    }

    #[test]
    fn sameness_is_by_bits_and_place() {
        let at = |value: f32, index| Answer::At { value: Value::F32(value), index };
        assert!(at(f32::NAN, 3).same(at(f32::NAN, 3)));
        assert!(!at(0.0, 3).same(at(-0.0, 3)));
        assert!(!at(0.0, 3).same(at(0.0, 4)));
    }
}
