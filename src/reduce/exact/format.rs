//! The formats of exact states: their units and their digits.

use std::fmt;

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

    /// Bits between the unit and the last place of the smallest result.
    pub(super) const fn below(self) -> usize {
        match self {
            Format::Product => 149,
            Format::Single | Format::Double => 0,
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
