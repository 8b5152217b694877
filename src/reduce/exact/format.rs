//! The formats of exact states: their units and their digits.

use std::fmt;

use crate::reduce::exact::round::Target;

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

    /// The number that word 0 carries.
    pub const fn number(self) -> u32 {
        match self {
            Format::Single => 0x101,
            Format::Product => 0x102,
            Format::Double => 0x103,
        }
    }

    /// The unit of the lowest digit is two to this power.
    pub const fn unit(self) -> i32 {
        match self {
            Format::Single => -149,
            Format::Product => -298,
            Format::Double => -1074,
        }
    }

    /// Digits of 32 bits.
    pub const fn digits(self) -> usize {
        match self {
            Format::Single => 10,
            Format::Product => 19,
            Format::Double => 67,
        }
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
        f.pad(match self {
            Format::Single => "f32",
            Format::Product => "products of f32",
            Format::Double => "f64",
        })
    }
}
