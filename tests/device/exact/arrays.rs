//! Arrays that are hard to sum.

use halofold::Element;

use crate::common::Random;

/// The kinds of arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hard {
    /// Every bit pattern but those of NaN and infinity.
    Patterns,
    /// Every bit pattern.
    Anything,
    /// Large numbers that cancel, and what is left over.
    Cancelling,
    /// The exact sum lies half way between two results, or one unit beside it.
    HalfWay,
    /// Nothing but subnormal numbers.
    Subnormal,
    /// The largest number and its negative in turn, and a little more.
    Largest,
    /// Zeros of both signs.
    Zeros,
    /// Zeros of one sign.
    MinusZeros,
    /// Ordinary numbers with an infinity or a NaN somewhere.
    Special,
    /// Uniform in [0, 1).
    Uniform,
    /// Both signs, a few magnitudes.
    Mixed,
    /// Two magnitudes far apart.
    TwoScales,
    /// Mostly zeros.
    Sparse,
    /// One number.
    Constant,
    /// Sorted by magnitude, over many magnitudes.
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

/// The fields of a float type.
pub struct Fields {
    pub size: usize,
    pub fraction: u32,
    pub exponent: u32,
}

impl Fields {
    pub fn of(element: Element) -> Fields {
        match element {
            Element::F16 => Fields { size: 2, fraction: 10, exponent: 5 },
            Element::F32 => Fields { size: 4, fraction: 23, exponent: 8 },
            _ => Fields { size: 8, fraction: 52, exponent: 11 },
        }
    }

    pub fn bits(&self, is_negative: bool, exponent: u64, fraction: u64) -> u64 {
        let top = (1u64 << self.exponent) - 1;
        let sign = u64::from(is_negative) << (self.fraction + self.exponent);
        sign | (exponent.min(top) << self.fraction) | (fraction % (1 << self.fraction))
    }

    /// Elements as they lie in memory.
    pub fn bytes(&self, elements: &[u64]) -> Vec<u8> {
        elements
            .iter()
            .flat_map(|bits| bits.to_le_bytes())
            .enumerate()
            .filter(|(at, _)| at % 8 < self.size)
            .map(|(_, byte)| byte)
            .collect()
    }
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
            Hard::Patterns => fields.bits(sign, other % (special - 1), word >> 1),
            Hard::Anything => fields.bits(sign, other % special, word >> 1),
            Hard::Cancelling if i % 2 == 1 && !other.is_multiple_of(5) => {
                // The number before, with the other sign.
                elements[i - 1] ^ 1 << (fields.fraction + fields.exponent)
            }
            Hard::Cancelling => fields.bits(sign, other % (special - 1), word >> 1),
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
            Hard::Largest if other.is_multiple_of(7) => fields.bits(sign, other >> 3 & 7, word >> 1),
            Hard::Largest => fields.bits(i % 2 == 1, special - 2, u64::MAX),
            Hard::Zeros => fields.bits(sign, 0, 0),
            Hard::MinusZeros => fields.bits(true, 0, 0),
            Hard::Special if i == at => match choice % 3 {
                0 => fields.bits(sign, special - 1, 0),
                1 => fields.bits(sign, special - 1, word >> 1 | 1),
                _ => fields.bits(!sign, special - 1, 0),
            },
            Hard::Special if choice & 8 == 8 && i == at / 2 => fields.bits(sign, special - 1, 0),
            Hard::Uniform => encode(element, (word >> 11) as f64 / (1u64 << 53) as f64),
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
        // Bits without a sign are in the order of magnitudes.
        elements.sort_unstable();
        if choice & 1 == 1 {
            elements.reverse();
        }
    }
    fields.bytes(&elements)
}

/// A number as an element's bits.
fn encode(element: Element, x: f64) -> u64 {
    match element {
        Element::F16 => half::f16::from_f64(x).to_bits().into(),
        Element::F32 => (x as f32).to_bits().into(),
        _ => x.to_bits(),
    }
}
