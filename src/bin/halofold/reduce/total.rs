//! From what the pieces of a file gave to the value of the whole file.

use halofold::reduce::reference;
use halofold::{Element, Value};

use super::op::Op;

/// What the pieces of a file have given so far.
#[derive(Clone, Debug)]
pub struct Total {
    op: Op,
    element: Element,
    n: u64,
    /// Integers combined: no sum of pieces comes near 128 bits, and its lower 64 are those of the sum that wraps.
    integer: i128,
    /// Floats as they came: they are few, and combining them at once, in 64 bits and compensated, is exact enough that
    /// the number of pieces does not show.
    floats: Vec<f64>,
}

impl Total {
    /// Of no piece yet.
    pub fn new(op: Op, element: Element) -> Self {
        let integer = match op {
            Op::Sum | Op::Mean => 0,
            Op::Product => 1,
            Op::Min => i128::MAX,
            Op::Max => i128::MIN,
        };
        Total { op, element, n: 0, integer, floats: Vec::new() }
    }

    /// Adds what the GPU made of a piece of `n` elements.
    pub fn add(&mut self, piece: Value, n: u64) {
        self.n += n;
        match piece {
            Value::Unsigned(x) => self.add_integer(x.into()),
            Value::Signed(x) => self.add_integer(x.into()),
            Value::Wide(x) => self.add_integer(x),
            float => self.floats.push(float.as_f64()),
        }
    }

    fn add_integer(&mut self, x: i128) {
        self.integer = match self.op {
            Op::Sum | Op::Mean => self.integer + x,
            Op::Product => (self.integer as u64).wrapping_mul(x as u64).into(),
            Op::Min => self.integer.min(x),
            Op::Max => self.integer.max(x),
        };
    }

    /// How many elements the pieces had.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// The value of all of them; `None` for the minimum, maximum or mean of nothing.
    pub fn value(&self) -> Option<Value> {
        if self.n == 0 && !matches!(self.op, Op::Sum | Op::Product) {
            return None;
        }
        Some(match self.element {
            Element::F32 | Element::F16 => Value::F32(self.float() as f32),
            Element::F64 => Value::F64(self.float()),
            _ if self.op == Op::Mean => Value::F64(quotient(self.integer, self.n)),
            Element::U32 | Element::U64 => Value::Unsigned(self.integer as u64),
            Element::I32 | Element::I64 => Value::Signed(self.integer as i64),
        })
    }

    fn float(&self) -> f64 {
        let operator = self.op.operator(Element::F64);
        let total = reference::reduce(operator, Element::F64, bytemuck::cast_slice(&self.floats))
            .map_or(f64::NAN, |expected| expected.value.as_f64());
        if self.op == Op::Mean { total / self.n as f64 } else { total }
    }
}

/// `sum` / `n` without rounding the sum first: the mean of equal integers is that integer.
fn quotient(sum: i128, n: u64) -> f64 {
    let n = i128::from(n);
    (sum / n) as f64 + (sum % n) as f64 / n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of `n` elements that came in some pieces.
    fn total(op: Op, element: Element, pieces: &[Value], n: u64) -> Option<Value> {
        let mut total = Total::new(op, element);
        pieces.iter().for_each(|&piece| total.add(piece, 0));
        total.n = n;
        total.value()
    }

    #[test]
    fn integers_wrap_at_64_bits() {
        let most = Value::Unsigned(u64::MAX);
        assert_eq!(total(Op::Sum, Element::U64, &[most, Value::Unsigned(3)], 2), Some(Value::Unsigned(2)));
        assert_eq!(total(Op::Product, Element::U64, &[most, most], 2), Some(Value::Unsigned(1)));
        let least = Value::Signed(i64::MIN);
        assert_eq!(total(Op::Sum, Element::I64, &[least, least], 2), Some(Value::Signed(0)));
        let pieces = [Value::Signed(-3), Value::Signed(5)];
        assert_eq!(total(Op::Product, Element::I32, &pieces, 2), Some(Value::Signed(-15)));
        assert_eq!(total(Op::Min, Element::I32, &pieces, 2), Some(Value::Signed(-3)));
        assert_eq!(total(Op::Max, Element::I64, &pieces, 2), Some(Value::Signed(5)));
        assert_eq!(total(Op::Max, Element::U64, &[most, Value::Unsigned(0)], 2), Some(most));
    }

    #[test]
    fn means_of_integers_are_exact() {
        let most = i128::from(u64::MAX);
        let pieces = [Value::Wide(3 * most), Value::Wide(2 * most)];
        assert_eq!(total(Op::Mean, Element::U64, &pieces, 5), Some(Value::F64(u64::MAX as f64)));
        let odd = (1 << 52) + 1;
        assert_eq!(
            total(Op::Mean, Element::I64, &[Value::Wide(-7 * odd)], 7),
            Some(Value::F64(-(odd as f64)))
        );
        assert_eq!(total(Op::Mean, Element::I32, &[Value::Signed(-7)], 2), Some(Value::F64(-3.5)));
    }

    #[test]
    fn floats_are_compensated_and_rounded_once() {
        let pieces = [Value::F64(1e100), Value::F64(1.0), Value::F64(-1e100)];
        assert_eq!(total(Op::Sum, Element::F64, &pieces, 3), Some(Value::F64(1.0)));
        let pieces = [Value::F32(16_777_216.0), Value::F32(0.75), Value::F32(0.75)];
        assert_eq!(total(Op::Sum, Element::F32, &pieces, 9), Some(Value::F32(16_777_218.0)));
        assert_eq!(total(Op::Mean, Element::F16, &[Value::F32(1.0)], 10), Some(Value::F32(0.1)));
        let pieces = [1e30, 1e30, 1e-30, 1e-30].map(Value::F32);
        let Some(Value::F32(product)) = total(Op::Product, Element::F32, &pieces, 4) else { unreachable!() };
        assert!((product - 1.0).abs() < 1e-6);
    }

    #[test]
    fn extrema_keep_signed_zeros_and_nan() {
        let zeros = [Value::F32(0.0), Value::F32(-0.0)];
        assert!(total(Op::Min, Element::F32, &zeros, 2).unwrap().same(Value::F32(-0.0)));
        assert!(total(Op::Max, Element::F32, &zeros, 2).unwrap().same(Value::F32(0.0)));
        let pieces = [Value::F64(1.0), Value::F64(f64::NAN), Value::F64(f64::INFINITY)];
        for op in [Op::Min, Op::Max, Op::Sum, Op::Product, Op::Mean] {
            assert!(total(op, Element::F64, &pieces, 3).unwrap().as_f64().is_nan());
        }
    }

    #[test]
    fn of_nothing_only_sum_and_product() {
        for element in Element::ALL {
            let value = |op| total(op, element, &[], 0).map(Value::as_f64);
            assert_eq!([Op::Sum, Op::Product].map(value), [Some(0.0), Some(1.0)]);
            assert_eq!([Op::Min, Op::Max, Op::Mean].map(value), [None; 3]);
        }
    }
}
