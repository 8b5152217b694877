//! Arrays that are hard to sum.

use halofold::Element;

use crate::common::{Random, bits_of};

/// The bits of a float: those of the fraction, and those of the exponent.
pub struct Fields {
    pub fraction: u32,
    pub exponent: u32,
}

impl Fields {
    pub fn of(element: Element) -> Self {
        let (fraction, exponent) = match element {
            Element::F16 => (10, 5),
            Element::F32 => (23, 8),
            _ => (52, 11),
        };
        Fields { fraction, exponent }
    }

    /// A number's bits from its parts.
    pub fn bits(&self, is_negative: bool, exponent: u64, fraction: u64) -> u64 {
        let exponent = exponent.min((1 << self.exponent) - 1);
        let sign = u64::from(is_negative) << (self.fraction + self.exponent);
        sign | (exponent << self.fraction) | (fraction % (1 << self.fraction))
    }
}

/// The kinds of arrays. [`array`] says what each is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hard {
    Patterns,
    Anything,
    Cancelling,
    HalfWay,
    Subnormal,
    Largest,
    Zeros,
    MinusZeros,
    Special,
    Uniform,
    Mixed,
    TwoScales,
    Sparse,
    Constant,
    Sorted,
}

impl Hard {
    #[rustfmt::skip]
    pub const ALL: [Hard; 15] = {
        use Hard::*;
        [
            Patterns, Anything, Cancelling, HalfWay, Subnormal, Largest, Zeros, MinusZeros, Special, Uniform, Mixed, TwoScales,
            Sparse, Constant, Sorted,
        ]
    };
}

/// `len` elements as they lie in memory.
pub fn array(hard: Hard, element: Element, len: usize, seed: u64) -> Vec<u8> {
    let fields = Fields::of(element);
    let mut random = Random::new(seed);
    let special = 1u64 << fields.exponent;
    let one = special / 2 - 1;
    let at = random.next() as usize % len.max(1);
    let choice = random.next();
    let mut elements: Vec<u64> = Vec::with_capacity(len);
    for i in 0..len {
        let (word, other) = (random.next(), random.next());
        let sign = word & 1 == 1;
        let bits = match hard {
            // Every bit pattern, but those of NaN and infinity; and all.
            Hard::Patterns => fields.bits(sign, other % (special - 1), word >> 1),
            Hard::Anything => fields.bits(sign, other % special, word >> 1),
            // Large numbers that cancel, each the one before with the other sign, and what is left over.
            Hard::Cancelling if i % 2 == 1 && !other.is_multiple_of(5) => {
                elements[i - 1] ^ 1 << (fields.fraction + fields.exponent)
            }
            Hard::Cancelling => fields.bits(sign, other % (special - 1), word >> 1),
            // The exact sum lies half way between two results, or one unit beside it.
            Hard::HalfWay => match i {
                0 => fields.bits(choice & 1 == 1, one, word >> 1),
                1 => fields.bits(choice & 2 == 2, one - u64::from(fields.fraction) - 1, 0),
                2 => match choice >> 2 & 3 {
                    0 => fields.bits(sign, 0, 1),
                    1 => fields.bits(sign, one - u64::from(fields.fraction).min(one - 1) - 3, word >> 1),
                    _ => 0,
                },
                _ => fields.bits(sign, 0, 0),
            },
            Hard::Subnormal => fields.bits(sign, 0, word >> 1),
            // The largest number and its negative in turn, and a little more.
            Hard::Largest if other.is_multiple_of(7) => fields.bits(sign, other >> 3 & 7, word >> 1),
            Hard::Largest => fields.bits(i % 2 == 1, special - 2, u64::MAX),
            Hard::Zeros => fields.bits(sign, 0, 0),
            Hard::MinusZeros => fields.bits(true, 0, 0),
            // Ordinary numbers with an infinity or a NaN somewhere.
            Hard::Special if i == at => match choice % 3 {
                0 => fields.bits(sign, special - 1, 0),
                1 => fields.bits(sign, special - 1, word >> 1 | 1),
                _ => fields.bits(!sign, special - 1, 0),
            },
            Hard::Special if choice & 8 == 8 && i == at / 2 => fields.bits(sign, special - 1, 0),
            Hard::Uniform => bits_of(element, (word >> 11) as f64 / (1u64 << 53) as f64),
            // Both signs, a few magnitudes.
            Hard::Special | Hard::Mixed => fields.bits(sign, one - 5 + other % 8, word >> 1),
            Hard::TwoScales => {
                let far = if other & 1 == 1 { special / 3 } else { 0 };
                fields.bits(sign, one / 2 + far + (other >> 1) % 3, word >> 1)
            }
            Hard::Sparse if !other.is_multiple_of(20) => fields.bits(other & 1 == 1, 0, 0),
            Hard::Sparse => fields.bits(sign, one - other % 4, word >> 1),
            Hard::Constant => fields.bits(false, one - 4, choice >> 1),
            Hard::Sorted => fields.bits(false, one / 2 + other % (special / 4), word >> 1),
        };
        elements.push(bits);
    }
    if hard == Hard::Sorted {
        // By magnitude, over many: bits without a sign are in this order.
        elements.sort_unstable();
        if choice & 1 == 1 {
            elements.reverse();
        }
    }
    crate::common::elements(element, elements)
}
