//! The keys of extremes in states, and their values.

use super::fields::read;
use super::integers::range;
use crate::element::{Element, Value};
use crate::reduce::op::Op;
use crate::reduce::value::Scalar;

/// The integer type of an element type's keys. Keys order like the elements: for floats they are the bits, flipped if negative.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    element: Element,
    lowest: i128,
    highest: i128,
    /// The key of infinity. For integers, the largest key.
    infinity: i128,
}

impl Keys {
    pub(super) fn of(element: Element) -> Self {
        let (keys, infinity) = match element {
            Element::F32 | Element::F16 => (Element::I32, 0x7f80_0000),
            Element::F64 => (Element::I64, 0x7ff0_0000_0000_0000),
            _ => (element, i128::MAX - 1),
        };
        let (lowest, highest) = range(keys);
        Keys { element, lowest, highest, infinity }
    }

    pub(super) fn read(self, state: &[u8], at: usize) -> i128 {
        match (self.element.size() == 8, self.lowest < 0) {
            (false, true) => read::<i32>(state, at).into(),
            (true, true) => read::<i64>(state, at).into(),
            _ => self.unsigned(state, at),
        }
    }

    /// A key of magnitudes, or an index: an unsigned integer of the same width.
    pub(super) fn unsigned(self, state: &[u8], at: usize) -> i128 {
        if self.element.size() == 8 { read::<u64>(state, at).into() } else { read::<u32>(state, at).into() }
    }

    /// A key with all bits flipped, which reverses the order.
    pub(super) fn not(self, key: i128) -> i128 {
        self.lowest + self.highest - key
    }

    /// The result of an operator that keeps one key.
    pub(super) fn extreme(self, op: Op, best: Option<i128>) -> Scalar {
        Scalar::One(match op {
            Op::Min => self.value(best.unwrap_or(self.highest), self.lowest),
            Op::Max => self.value(best.unwrap_or(self.lowest), self.highest),
            _ => self.magnitude(best.unwrap_or(0)),
        })
    }

    fn magnitude(self, largest: i128) -> Value {
        if self.element.is_float() {
            self.float((largest <= self.infinity).then_some(largest))
        } else {
            Value::Unsigned(largest as u64)
        }
    }

    /// The float of a key; NaN of none.
    fn float(self, key: Option<i128>) -> Value {
        // The bits of a negative float are flipped, all but the sign.
        let bits = key.map(|key| if key < 0 { key ^ self.highest } else { key });
        if self.element == Element::F64 {
            Value::F64(bits.map_or(f64::NAN, |bits| f64::from_bits(bits as u64)))
        } else {
            Value::F32(bits.map_or(f32::NAN, |bits| f32::from_bits(bits as u32)))
        }
    }

    /// If there are elements, only the keys of NaNs lie beyond the infinities.
    pub(super) fn range(self, range: Option<[i128; 2]>) -> Scalar {
        let (lowest, highest) = (self.lowest, self.highest);
        let [low, high] = match range {
            None => [highest, lowest],
            Some([least, greatest]) if greatest > self.infinity || least < -self.infinity - 1 => {
                [lowest, highest]
            }
            Some(range) => range,
        };
        Scalar::Range { min: self.value(low, lowest), max: self.value(high, highest) }
    }

    /// The result of a search. Of no elements it has the index 2^32 - 1.
    pub(super) fn place(self, op: Op, best: Option<(i128, u64)>) -> Scalar {
        let (rank, index) = best.unwrap_or((self.lowest, u32::MAX.into()));
        let (key, nan) = if op == Op::ArgMin { (self.not(rank), self.lowest) } else { (rank, self.highest) };
        Scalar::At { value: self.value(key, nan), index }
    }

    /// The value of a key; `nan` is the NaN that wins the comparison. The identities lie beyond the
    /// infinities: an empty input gives the infinity nearest to its identity.
    fn value(self, key: i128, nan: i128) -> Value {
        match self.element {
            Element::U32 | Element::U64 => Value::Unsigned(key as u64),
            Element::I32 | Element::I64 => Value::Signed(key as i64),
            _ => self.float((key != nan).then(|| key.clamp(-self.infinity - 1, self.infinity))),
        }
    }
}
