//! Exact states on the CPU: the counterpart of the kernels.

use crate::element::{Element, Value};
use crate::gpu::error::{DataError, Error};
use crate::reduce::exact::format::Format;
use crate::reduce::exact::moments;
use crate::reduce::exact::round;
use crate::reduce::op::Op;

/// The state of an exact sum on the CPU; its words are those of [the format](crate::reduce::exact#the-state).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    format: Format,
    /// The number of states that were merged into it.
    parts: u64,
    count: u64,
    flags: [i64; 4],
    /// Sums of digits; their carries are propagated before they could exceed 64 bits.
    digits: Vec<i64>,
}

/// Carries are propagated whenever the count is a multiple of this: that many additions of 32 bits fit.
const CARRY_PERIOD: u64 = 1 << 30;

impl State {
    /// The state of an empty input.
    pub fn new(format: Format) -> Self {
        State { format, parts: 1, count: 0, flags: [0; 4], digits: vec![0; format.digits()] }
    }

    /// The state of `count` numbers that have this sum.
    pub(crate) fn of_integers(format: Format, sum: i128, count: u64) -> Self {
        let mut state = State { count, flags: [0, 0, 0, 1], ..State::new(format) };
        let one = format.unit().unsigned_abs();
        for shift in [0, 64] {
            state.add_term(sum < 0, (sum.unsigned_abs() >> shift) as u64, one + shift);
        }
        state
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The number of elements, or of pairs.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Adds elements, in the byte order of the host.
    ///
    /// # Panics
    ///
    /// If the format has no sums of that element, or the number of bytes is not a multiple of its size.
    pub fn add(&mut self, element: Element, bytes: &[u8]) {
        self.add_of(Op::Sum, element, bytes, None);
    }

    /// Adds what an operator adds up: a number of each element, or of each pair of elements of two inputs.
    ///
    /// # Panics
    ///
    /// If the operator has no exact sums of that element, or another [format](Format::of), or takes another number of inputs. If the
    /// inputs differ in length, or a number of bytes is not a multiple of the element's size.
    pub fn add_of(&mut self, op: Op, element: Element, first: &[u8], second: Option<&[u8]>) {
        let format = self.format;
        assert_eq!(Format::of(op, element), Some(format), "{op} of {element} has no sums in {format:?}");
        assert_eq!(format == Format::Product, second.is_some(), "{op} takes another number of inputs");
        let numbers = |bytes| element.read_all(bytes).map(Value::as_f64);
        match second {
            Some(second) => {
                assert_eq!(first.len(), second.len());
                // The product of two 32-bit floats is a 64-bit one.
                numbers(first).zip(numbers(second)).for_each(|(x, y)| self.take(x * y));
            }
            None if op == Op::L1 => numbers(first).for_each(|x| self.take(x.abs())),
            None => numbers(first).for_each(|x| self.take(x)),
        }
    }

    /// Adds a number that is a whole number of units, infinite or NaN.
    fn take(&mut self, x: f64) {
        let [nan, above, below, others] = &mut self.flags;
        self.count += 1;
        if x != 0.0 || x.is_sign_positive() {
            *others = 1;
        }
        if x.is_finite() {
            let (exponent, fraction) = (x.to_bits() >> 52 & 0x7ff, x.to_bits() & ((1 << 52) - 1));
            let significand = if exponent > 0 { fraction | 1 << 52 } else { fraction };
            let shift = exponent.max(1) as i32 - 1075 - self.format.unit();
            // Bits below a unit are 0.
            let whole = if shift < 0 { significand.unbounded_shr(shift.unsigned_abs()) } else { significand };
            self.add_term(x < 0.0, whole, shift.max(0) as u32);
        } else {
            *(if x.is_nan() {
                nan
            } else if x > 0.0 {
                above
            } else {
                below
            }) = 1;
        }
        if self.count.is_multiple_of(CARRY_PERIOD) {
            self.normalise();
        }
    }

    /// Adds an integer of units times a power of two.
    fn add_term(&mut self, is_negative: bool, significand: u64, shift: u32) {
        let mut bits = u128::from(significand) << (shift % 32);
        let mut at = (shift / 32) as usize;
        while bits != 0 {
            let digit = i64::from(bits as u32);
            self.digits[at] += if is_negative { -digit } else { digit };
            bits >>= 32;
            at += 1;
        }
    }

    /// Propagates the carries: every digit but the last then has 32 bits.
    fn normalise(&mut self) {
        let mut carry = 0;
        if let Some((last, digits)) = self.digits.split_last_mut() {
            for digit in digits {
                let whole = i128::from(*digit) + carry;
                *digit = i64::from(whole as u32);
                carry = whole >> 32;
            }
            *last += carry as i64;
        }
    }

    /// Adds another state.
    ///
    /// # Errors
    ///
    /// The other state has another format.
    pub fn merge(&mut self, other: &State) -> Result<(), Error> {
        if self.format != other.format {
            let (own, other) = (self.format, other.format);
            return Err(no_state(format!("states of {own} and of {other} do not add up to one")));
        }
        let mut other = other.clone();
        self.normalise();
        other.normalise();
        self.parts += other.parts;
        self.count += other.count;
        self.flags.iter_mut().zip(other.flags).for_each(|(a, b)| *a += b);
        self.digits.iter_mut().zip(other.digits).for_each(|(a, b)| *a += b);
        self.normalise();
        Ok(())
    }

    /// The words of the format, with all carries propagated.
    pub fn words(&self) -> Vec<i64> {
        let mut state = self.clone();
        state.normalise();
        let number = u64::from(state.format.number()).wrapping_mul(state.parts);
        let head = [(number << 32).wrapping_add(state.parts).cast_signed(), state.count.cast_signed()];
        [&head[..], &state.flags, &state.digits].concat()
    }

    /// The words as bytes, little-endian.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.words().into_iter().flat_map(i64::to_le_bytes).collect()
    }

    /// Makes a state of words: those of one state, or sums of several states' words.
    ///
    /// # Errors
    ///
    /// No format has that many words, or they are of another version.
    pub fn from_words(words: Vec<i64>) -> Result<Self, Error> {
        let format = Format::ALL.into_iter().find(|format| format.words() == words.len());
        let format = format.ok_or_else(|| no_length(words.len()))?;
        let parts = words[0].cast_unsigned() & 0xffff_ffff;
        let upper = words[0].cast_unsigned() >> 32;
        if parts == 0 || upper != u64::from(format.number()).wrapping_mul(parts) & 0xffff_ffff {
            let cause = "another version, or states of several formats added up";
            let message =
                format!("the first word, {:#x}, is not of the format of {format}: {cause}", words[0]);
            return Err(no_state(message));
        }
        let mut flags = [0; 4];
        flags.copy_from_slice(&words[2..Format::HEAD]);
        let digits = words[Format::HEAD..].to_vec();
        let mut state = State { format, parts, count: words[1].cast_unsigned(), flags, digits };
        state.normalise();
        Ok(state)
    }

    /// Makes a state of bytes, little-endian.
    ///
    /// # Errors
    ///
    /// See [`State::from_words`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let words = bytes.chunks_exact(8);
        if !words.remainder().is_empty() {
            return Err(no_length(words.len() + 1));
        }
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | i64::from(*byte));
        State::from_words(words.map(word).collect())
    }

    /// The sum, rounded to the nearest 32-bit float, or to the nearest 64-bit float for [`Format::Double`].
    pub fn sum(&self) -> Value {
        self.rounded(1)
    }

    /// The mean: the exact sum divided by the number of elements, rounded once. NaN if there are none.
    pub fn mean(&self) -> Value {
        self.rounded(self.count)
    }

    /// The sum as a 64-bit float, rounded once, whatever the format.
    pub fn to_f64(&self) -> f64 {
        match self.finite().filter(|_| !self.format.is_double()) {
            None => self.sum().as_f64(),
            Some((is_negative, magnitude)) => {
                let nearest = moments::nearest(&magnitude, self.format.unit());
                if is_negative { -nearest } else { nearest }
            }
        }
    }

    /// The sign and the magnitude of the sum, the lowest word first; `None` if there was a number that is not finite.
    pub(super) fn finite(&self) -> Option<(bool, Vec<u32>)> {
        (self.flags[..3] == [0; 3]).then(|| self.parted())
    }

    /// The sign and the magnitude of the finite numbers' sum, the lowest word first. It has two words more than there are digits, because the
    /// last digit may exceed 32 bits.
    fn parted(&self) -> (bool, Vec<u32>) {
        let mut state = self.clone();
        state.normalise();
        let is_negative = state.digits.last().is_some_and(|digit| *digit < 0);
        let mut words = Vec::new();
        let mut carry = 0i128;
        for digit in state.digits.into_iter().map(i128::from) {
            carry += if is_negative { -digit } else { digit };
            words.push(carry as u32);
            carry >>= 32;
        }
        words.extend([carry as u32, (carry >> 32) as u32]);
        (is_negative, words)
    }

    /// The sum divided by a number, rounded once. NaN if that is 0.
    fn rounded(&self, divisor: u64) -> Value {
        let [nan, above, below, others] = self.flags.map(|flag| flag != 0);
        let target = self.format.target();
        if nan || (above && below) || divisor == 0 {
            return if self.format.is_double() { Value::F64(f64::NAN) } else { Value::F32(f32::NAN) };
        }
        if above || below {
            return self.value(target.infinity, below);
        }
        let (is_negative, magnitude) = self.parted();
        let is_zero = magnitude.iter().all(|word| *word == 0);
        let all_minus_zero = is_zero && !others && self.count > 0;
        self.value(round::nearest(&magnitude, divisor, target), is_negative || all_minus_zero)
    }

    /// A result of these bits without the sign.
    fn value(&self, bits: u64, is_negative: bool) -> Value {
        if self.format.is_double() {
            Value::F64(f64::from_bits(bits | u64::from(is_negative) << 63))
        } else {
            Value::F32(f32::from_bits(bits as u32 | u32::from(is_negative) << 31))
        }
    }
}

/// The error of words that are no state.
fn no_state(message: String) -> Error {
    DataError::Format(message).into()
}

/// The error of another number of words than any format of [exact states](crate::reduce::exact#the-state) has.
fn no_length(words: usize) -> Error {
    let lengths = "an exact state has 16 (f32), 25 (products of f32) or 73 (f64) of 64 bits";
    no_state(format!("{words} words: {lengths}"))
}
