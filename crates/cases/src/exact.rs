//! Sums by whole numbers of any length: what an exact sum must be, bit by bit.
//!
//! Shares nothing with what it checks: neither digits nor windows, and it rounds by dividing.

use std::collections::BTreeMap;

use halofold::Element;
use halofold::reduce::Op;
use num_bigint::{BigInt, BigUint, Sign};

/// A float type as IEEE 754 defines it.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Bits of the fraction.
    pub fraction: u32,
    /// Bits of the exponent.
    pub exponent: u32,
}

const HALF: Kind = Kind { fraction: 10, exponent: 5 };
const SINGLE: Kind = Kind { fraction: 23, exponent: 8 };
const DOUBLE: Kind = Kind { fraction: 52, exponent: 11 };

/// Every number here is a multiple of two to the power of minus this.
const SCALE: u32 = 2200;

enum Number {
    Nan,
    Infinite { is_negative: bool },
    Zero { is_negative: bool },
    Finite(Scaled),
}

/// An integer times two to a power, which counts from the scale.
#[derive(Clone, Copy)]
struct Scaled {
    integer: i128,
    power: u32,
}

impl Kind {
    pub fn of(element: Element) -> Kind {
        match element {
            Element::F16 => HALF,
            Element::F32 => SINGLE,
            Element::F64 => DOUBLE,
            other => panic!("{other} is no float"),
        }
    }

    /// A number's bits from its parts.
    pub fn bits(self, is_negative: bool, exponent: u64, fraction: u64) -> u64 {
        let exponent = exponent.min((1 << self.exponent) - 1);
        let sign = u64::from(is_negative) << (self.fraction + self.exponent);
        sign | (exponent << self.fraction) | (fraction % (1 << self.fraction))
    }

    /// The exponent of the last place of the smallest number.
    fn lowest(self) -> u32 {
        (1 << (self.exponent - 1)) - 2 + self.fraction
    }

    fn number(self, bits: u64) -> Number {
        let Kind { fraction, exponent } = self;
        let is_negative = bits >> (fraction + exponent) & 1 == 1;
        let power = bits >> fraction & ((1 << exponent) - 1);
        let rest = bits % (1 << fraction);
        let (significand, steps) = match power {
            _ if power == (1 << exponent) - 1 && rest == 0 => return Number::Infinite { is_negative },
            _ if power == (1 << exponent) - 1 => return Number::Nan,
            0 if rest == 0 => return Number::Zero { is_negative },
            0 => (rest, 0),
            _ => (rest + (1 << fraction), power - 1),
        };
        let magnitude = i128::from(significand);
        let integer = if is_negative { -magnitude } else { magnitude };
        Number::Finite(Scaled { integer, power: SCALE - self.lowest() + steps as u32 })
    }

    /// The bits of the number nearest to a fraction.
    fn nearest(self, numerator: &BigUint, denominator: &BigUint) -> u64 {
        let Kind { fraction, exponent } = self;
        let infinity = ((1 << exponent) - 1) << fraction;
        // Bits in order are magnitudes in order: the largest that is not above, then the closer of it and the next.
        let (mut low, mut high) = (0u64, infinity);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.magnitude(middle) * denominator <= *numerator { low = middle } else { high = middle }
        }
        let twice = numerator * 2u32;
        let sum = (self.magnitude(low) + self.magnitude(low + 1)) * denominator;
        match twice.cmp(&sum) {
            std::cmp::Ordering::Less => low,
            std::cmp::Ordering::Greater => low + 1,
            std::cmp::Ordering::Equal => low + low % 2,
        }
    }

    /// The number of these bits; of infinity's what would come after the largest number.
    fn magnitude(self, bits: u64) -> BigUint {
        let power = (bits >> self.fraction) as u32;
        let rest = bits % (1 << self.fraction);
        let significand = if power == 0 { rest } else { rest + (1 << self.fraction) };
        BigUint::from(significand) << (SCALE - self.lowest() + power.saturating_sub(1))
    }

    fn nan(self) -> u64 {
        (((1 << self.exponent) - 1) << self.fraction) | 1 << (self.fraction - 1)
    }
}

/// One element's bits.
pub fn bits_of(element: Element, bytes: &[u8]) -> Vec<u64> {
    let size = element.size() as usize;
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    bytes.chunks_exact(size).map(word).collect()
}

fn times(a: Number, b: Number) -> Number {
    let is_negative = |number: &Number| match number {
        Number::Infinite { is_negative } | Number::Zero { is_negative } => *is_negative,
        Number::Finite(value) => value.integer < 0,
        Number::Nan => false,
    };
    let is_negative = is_negative(&a) != is_negative(&b);
    match (a, b) {
        (Number::Nan, _) | (_, Number::Nan) => Number::Nan,
        (Number::Infinite { .. }, Number::Zero { .. }) | (Number::Zero { .. }, Number::Infinite { .. }) => {
            Number::Nan
        }
        (Number::Infinite { .. }, _) | (_, Number::Infinite { .. }) => Number::Infinite { is_negative },
        (Number::Zero { .. }, _) | (_, Number::Zero { .. }) => Number::Zero { is_negative },
        (Number::Finite(a), Number::Finite(b)) => {
            Number::Finite(Scaled { integer: a.integer * b.integer, power: a.power + b.power - SCALE })
        }
    }
}

/// The bits of an exact sum, mean, L1 norm or dot product, as the result's type has them; NaN as the quiet one without a sign.
pub fn expected(op: Op, element: Element, first: &[u8], second: Option<&[u8]>) -> u64 {
    let kind = Kind::of(element);
    let result = if element == Element::F64 { DOUBLE } else { SINGLE };
    let sign = 1 << (kind.fraction + kind.exponent);
    let without_sign = |bits: u64| if op == Op::L1 { bits % sign } else { bits };
    let numbers = bits_of(element, first).into_iter().map(|bits| kind.number(without_sign(bits)));
    let numbers: Vec<_> = match second {
        Some(second) => {
            let others = bits_of(element, second).into_iter().map(|bits| kind.number(bits));
            numbers.zip(others).map(|(a, b)| times(a, b)).collect()
        }
        None => numbers.collect(),
    };
    let count = numbers.len();
    if count == 0 {
        return if op == Op::Mean { result.nan() } else { 0 };
    }
    let has = |wanted: bool| {
        numbers
            .iter()
            .any(|number| matches!(number, Number::Infinite { is_negative } if *is_negative == wanted))
    };
    let has_nan = numbers.iter().any(|number| matches!(number, Number::Nan));
    let sign_bit = 1u64 << (result.fraction + result.exponent);
    let infinity = ((1u64 << result.exponent) - 1) << result.fraction;
    match (has_nan, has(false), has(true)) {
        (true, ..) | (_, true, true) => return result.nan(),
        (_, true, _) => return infinity,
        (_, _, true) => return infinity | sign_bit,
        _ => {}
    }
    if numbers.iter().all(|number| matches!(number, Number::Zero { is_negative: true })) {
        return sign_bit;
    }
    // Integers of one power add up as they are.
    let mut sums = BTreeMap::<u32, i128>::new();
    for number in &numbers {
        if let Number::Finite(Scaled { integer, power }) = number {
            *sums.entry(*power).or_default() += integer;
        }
    }
    let sum: BigInt = sums.into_iter().map(|(power, sum)| BigInt::from(sum) << power).sum();
    let denominator = BigUint::from(if op == Op::Mean { count } else { 1 });
    let bits = result.nearest(sum.magnitude(), &denominator);
    if sum.sign() == Sign::Minus { bits | sign_bit } else { bits }
}
