//! The formats of exact states: their units and their digits.

use std::fmt;

use crate::element::Element;
use crate::reduce::exact::round::Target;
use crate::reduce::op::Op;

/// The format of a state; [the table](crate::reduce::exact#the-state) has the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Sums of 32-bit and 16-bit floats.
    Single,
    /// Sums of products of two 32-bit floats.
    Product,
    /// Sums of 64-bit floats.
    Double,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 3] = [Format::Single, Format::Product, Format::Double];

    /// Words in front of the digits.
    pub const HEAD: usize = 6;

    /// The format of an operator's exact states over an element type; `None` where it has none.
    ///
    /// | operator | elements | result |
    /// |---|---|---|
    /// | sum, mean, l1 | f32, f16 | f32 |
    /// | sum, mean, l1 | f64 | f64 |
    /// | dot | f32 | f32 |
    pub const fn of(op: Op, element: Element) -> Option<Format> {
        match (op, element) {
            (Op::Sum | Op::Mean | Op::L1, Element::F32 | Element::F16) => Some(Format::Single),
            (Op::Sum | Op::Mean | Op::L1, Element::F64) => Some(Format::Double),
            (Op::Dot, Element::F32) => Some(Format::Product),
            _ => None,
        }
    }

    /// The number that word 0 carries, the power of two that is the unit, the digits, and the type of the summands.
    const fn row(self) -> (u32, i32, usize, &'static str) {
        match self {
            Format::Single => (0x101, -149, 10, "f32"),
            Format::Product => (0x102, -298, 19, "products of f32"),
            Format::Double => (0x103, -1074, 67, "f64"),
        }
    }

    /// The number that word 0 carries.
    pub const fn number(self) -> u32 {
        self.row().0
    }

    /// The unit of the lowest digit is two to this power.
    pub const fn unit(self) -> i32 {
        self.row().1
    }

    /// Digits of 32 bits.
    pub const fn digits(self) -> usize {
        self.row().2
    }

    /// Words of 64 bits in a state.
    pub const fn words(self) -> usize {
        Format::HEAD + self.digits()
    }

    /// Returns true if results have 64 bits.
    pub(super) const fn is_double(self) -> bool {
        matches!(self, Format::Double)
    }

    /// The float type of results.
    pub(super) const fn target(self) -> Target {
        let single = Target { significand: 24, below: 0, infinity: f32::INFINITY.to_bits() as u64 };
        match self {
            Format::Single => single,
            Format::Product => Target { below: 149, ..single },
            Format::Double => Target { significand: 53, below: 0, infinity: f64::INFINITY.to_bits() },
        }
    }
}

impl fmt::Display for Format {
    /// Writes the type of the summands.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.row().3)
    }
}
