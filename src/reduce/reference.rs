//! The CPU's word on a reduction: what the result is, and how far a float may be off.
//!
//! Knows nothing of GPUs. Integers are exact (they wrap). Float sums are accumulated in double-double arithmetic
//! and float products with an exponent of their own, so that the reference's error does not matter beside the
//! bound, which follows from the number of operations on the longest way from an element to the result.

mod floats;

pub use floats::{ExactProduct, ExactSum};

use std::borrow::Cow;
use std::fmt;

use bytemuck::Pod;
use half::f16;

use crate::element::{Element, Value};
use crate::reduce::operator::Operator;
use floats::{finish_key, finish_key_64, floats};

/// What a reduction should give.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// The value, as exact as its type allows.
    pub value: Value,
    accept: Accept,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Accept {
    /// These bits (or any NaN, if it is one).
    Same,
    /// Within this, per operation on the longest way, of an exact value.
    PerStep { exact: f64, error: f64, floor: f64 },
    /// Within this factor of an exact value, per element.
    Relative { exact: f64, factor: f64 },
    /// Whether partial results leave the type's range depends on the order.
    OrderDecides,
}

/// The verdict on a result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict<T = Value> {
    /// It is right, or within the bound.
    Right,
    /// It is wrong.
    Wrong(Mismatch<T>),
    /// Nothing to hold it against: in some orders partial results leave the type's range.
    Undecided,
}

/// How wrong a result is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mismatch<T = Value> {
    pub(crate) got: T,
    pub(crate) expected: T,
    pub(crate) bound: f64,
}

impl<T: fmt::Display> fmt::Display for Mismatch<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "got {}, expected {}", self.got, self.expected)?;
        if self.bound > 0.0 {
            write!(f, " ± {:e}", self.bound)?;
        }
        Ok(())
    }
}

impl Expected {
    /// Judges a result whose plan has this [`depth`](crate::reduce::Plan::depth).
    pub fn judge(&self, got: Value, depth: u64) -> Verdict {
        let (exact, bound) = match self.accept {
            Accept::Same if self.value.same(got) => return Verdict::Right,
            Accept::Same => (f64::NAN, 0.0),
            Accept::OrderDecides => return Verdict::Undecided,
            Accept::PerStep { exact, error, floor } => (exact, depth as f64 * error + floor),
            Accept::Relative { exact, factor } => (exact, exact.abs() * factor),
        };
        if (got.as_f64() - exact).abs() <= bound {
            Verdict::Right
        } else {
            Verdict::Wrong(Mismatch { got, expected: self.value, bound })
        }
    }
}

/// Reduces elements of the host's byte order; `None` if the operator is not defined for the type.
///
/// # Panics
///
/// If `bytes` is no multiple of the element's size.
pub fn reduce(operator: Operator, element: Element, bytes: &[u8]) -> Option<Expected> {
    Some(match element {
        Element::U32 => integers::<u32>(operator, bytes)?,
        Element::I32 => integers::<i32>(operator, bytes)?,
        Element::U64 => integers::<u64>(operator, bytes)?,
        Element::I64 => integers::<i64>(operator, bytes)?,
        Element::F32 => floats::<f32>(operator, bytes)?,
        Element::F16 => floats::<f16>(operator, bytes)?,
        Element::F64 => floats::<f64>(operator, bytes)?,
    })
}

/// Combines accumulators that a GPU left, and finishes: the host's part of [`Finish::Host`](crate::reduce::Finish::Host).
///
/// With one accumulator the GPU has already finished it; it is only decoded. Floats are combined in 64 bits. `None` if
/// the operator is not defined for the element.
///
/// # Panics
///
/// If `bytes` is no whole number of accumulators.
pub fn combine_partials(operator: Operator, element: Element, bytes: &[u8]) -> Option<Value> {
    use Operator::{Max, Min, Product, Sum, WideProduct, WideSum};
    let keys = matches!(operator, Min | Max);
    Some(match (element, operator) {
        (Element::U32, WideSum | WideProduct) => Value::Unsigned(fold::<u64>(operator, bytes)),
        (Element::I32, WideSum | WideProduct) => Value::Signed(fold::<u64>(operator, bytes).cast_signed()),
        (Element::U64, WideSum) => Value::Wide(halves::<u64>(bytes)),
        (Element::I64, WideSum) => Value::Wide(halves::<i64>(bytes)),
        (Element::U32, _) => Value::Unsigned(u64::from(fold::<u32>(operator, bytes))),
        (Element::I32, _) => Value::Signed(i64::from(fold::<i32>(operator, bytes))),
        (Element::U64, _) => Value::Unsigned(fold::<u64>(operator, bytes)),
        (Element::I64, _) => Value::Signed(fold::<i64>(operator, bytes)),
        (Element::F32 | Element::F16, _) if keys => {
            let key = fold::<i32>(operator, bytes);
            let done = size_of_val(bytes) == 4;
            Value::F32(f32::from_bits(if done { key.cast_unsigned() } else { finish_key(operator, key) }))
        }
        (Element::F64, _) if keys => {
            let key = fold::<i64>(operator, bytes);
            let done = size_of_val(bytes) == 8;
            Value::F64(f64::from_bits(if done { key.cast_unsigned() } else { finish_key_64(operator, key) }))
        }
        (Element::F32 | Element::F16, Sum) => {
            let partials = view::<f32>(bytes);
            let partials = partials.iter().map(|&x| f64::from(x));
            Value::F32(partials.fold(ExactSum::default(), ExactSum::add).value() as f32)
        }
        (Element::F32 | Element::F16, Product) => {
            Value::F32(view::<f32>(bytes).iter().map(|&x| f64::from(x)).product::<f64>() as f32)
        }
        (Element::F64, Sum) => {
            let partials = view::<f64>(bytes);
            let partials = partials.iter().copied();
            Value::F64(partials.fold(ExactSum::default(), ExactSum::add).value())
        }
        (Element::F64, Product) => Value::F64(view::<f64>(bytes).iter().product()),
        _ => return None,
    })
}

/// Bytes as items, copied only where they are not aligned for them.
pub(crate) fn view<T: Pod>(bytes: &[u8]) -> Cow<'_, [T]> {
    match bytemuck::try_cast_slice(bytes) {
        Ok(items) => Cow::Borrowed(items),
        Err(_) => Cow::Owned(bytemuck::pod_collect_to_vec(bytes)),
    }
}

/// The integer types an accumulator or a key can have.
trait Integer: Pod + Ord {
    const ZERO: Self;
    const ONE: Self;
    const LOWEST: Self;
    const HIGHEST: Self;
    fn add(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn wide(self) -> i128;
    fn value(self) -> Value;
}

macro_rules! integer {
    ($($type:ty => $variant:ident),*) => {$(
        impl Integer for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const LOWEST: Self = <$type>::MIN;
            const HIGHEST: Self = <$type>::MAX;
            fn add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            fn mul(self, other: Self) -> Self {
                self.wrapping_mul(other)
            }
            fn wide(self) -> i128 {
                i128::from(self)
            }
            fn value(self) -> Value {
                Value::$variant(self.into())
            }
        }
    )*};
}
integer!(u32 => Unsigned, i32 => Signed, u64 => Unsigned, i64 => Signed);

/// Folds integers the way an operator combines them.
fn fold<T: Integer>(operator: Operator, bytes: &[u8]) -> T {
    fold_iter(operator, view::<T>(bytes).iter().copied())
}

fn fold_iter<T: Integer>(operator: Operator, items: impl Iterator<Item = T>) -> T {
    match operator {
        Operator::Sum | Operator::WideSum => items.fold(T::ZERO, T::add),
        Operator::Product | Operator::WideProduct => items.fold(T::ONE, T::mul),
        Operator::Min => items.fold(T::HIGHEST, T::min),
        Operator::Max => items.fold(T::LOWEST, T::max),
    }
}

/// The exact sum of 64-bit integers whose upper and lower halves were added apart.
fn halves<T: Integer>(bytes: &[u8]) -> i128 {
    view::<[T; 2]>(bytes).iter().map(|[high, low]| (high.wide() << 32) + low.wide()).sum()
}

fn integers<T: Integer>(operator: Operator, bytes: &[u8]) -> Option<Expected> {
    let items = view::<T>(bytes);
    let items = items.iter().copied();
    let wide = items.clone().map(T::wide);
    let in_64_bits = |bits: u64| match T::ZERO.value() {
        Value::Signed(_) => Value::Signed(bits.cast_signed()),
        _ => Value::Unsigned(bits),
    };
    let value = match (operator, size_of::<T>()) {
        (Operator::WideSum, 4) => in_64_bits(wide.fold(0, |sum, x| sum.wrapping_add(x as u64))),
        (Operator::WideProduct, 4) => {
            in_64_bits(wide.fold(1, |product: u64, x| product.wrapping_mul(x as u64)))
        }
        (Operator::WideSum, _) => Value::Wide(wide.sum()),
        (Operator::WideProduct, _) => return None,
        _ => fold_iter(operator, items).value(),
    };
    Some(Expected { value, accept: Accept::Same })
}

#[cfg(test)]
mod tests {
    use super::floats::key;
    use super::*;

    fn value<T: Pod>(operator: Operator, element: Element, items: &[T]) -> Value {
        reduce(operator, element, bytemuck::cast_slice(items)).unwrap().value
    }

    #[test]
    fn integers_wrap() {
        assert_eq!(value(Operator::Sum, Element::U32, &[u32::MAX, 2]), Value::Unsigned(1));
        assert_eq!(value(Operator::Product, Element::I32, &[1 << 30, 4, 3]), Value::Signed(0));
        assert_eq!(value(Operator::WideSum, Element::I32, &[i32::MIN, i32::MIN]), Value::Signed(-1 << 32));
        assert_eq!(
            value(Operator::WideProduct, Element::U32, &[u32::MAX, 2]),
            Value::Unsigned(0x1_ffff_fffe)
        );
        assert_eq!(value(Operator::WideSum, Element::I64, &[i64::MIN; 2]), Value::Wide(-1 << 64));
    }

    #[test]
    fn nothing_gives_the_identity() {
        assert_eq!(value::<f32>(Operator::Sum, Element::F32, &[]), Value::F32(0.0));
        assert_eq!(value::<f64>(Operator::Product, Element::F64, &[]), Value::F64(1.0));
        assert_eq!(value::<f32>(Operator::Min, Element::F32, &[]), Value::F32(f32::INFINITY));
        assert_eq!(value::<f64>(Operator::Max, Element::F64, &[]), Value::F64(f64::NEG_INFINITY));
        assert_eq!(value::<i32>(Operator::Max, Element::I32, &[]), Value::Signed(i32::MIN.into()));
    }

    #[test]
    fn extrema_order_zeros_and_let_nan_win() {
        let min = value(Operator::Min, Element::F32, &[0.0f32, -0.0, 1.0]);
        assert!(min.same(Value::F32(-0.0)));
        assert!(value(Operator::Max, Element::F64, &[-0.0f64, 0.0]).same(Value::F64(0.0)));
        for operator in [Operator::Min, Operator::Max] {
            assert!(value(operator, Element::F32, &[1.0f32, f32::NAN, f32::INFINITY]).as_f64().is_nan());
            assert!(value(operator, Element::F16, &[f16::NAN, f16::ONE]).as_f64().is_nan());
        }
        assert_eq!(
            value(Operator::Min, Element::F64, &[1.0, f64::NEG_INFINITY]),
            Value::F64(f64::NEG_INFINITY)
        );
    }

    #[test]
    fn sums_are_compensated() {
        assert_eq!(value(Operator::Sum, Element::F64, &[1e100, 1.0, -1e100]), Value::F64(1.0));
        assert_eq!(value(Operator::Sum, Element::F32, &[f32::INFINITY, 1.0]), Value::F32(f32::INFINITY));
    }

    #[test]
    fn products_keep_their_range() {
        let items = [1e-300f64, 1e300, 1e-300, 1e300, 0.1, 10.0];
        let Value::F64(product) = value(Operator::Product, Element::F64, &items) else { unreachable!() };
        assert!((product - 1.0).abs() < 1e-15, "{product}");
        let expected = reduce(Operator::Product, Element::F64, bytemuck::cast_slice(&items)).unwrap();
        assert_eq!(expected.judge(Value::F64(0.0), 3), Verdict::Undecided);
        let tiny = f64::from_bits(3);
        assert_eq!(value(Operator::Product, Element::F64, &[tiny]), Value::F64(tiny));
    }

    #[test]
    fn the_bound_follows_the_depth() {
        let expected = reduce(Operator::Sum, Element::F32, bytemuck::cast_slice(&[1.0f32; 1024])).unwrap();
        let off = Value::F32(1024.0 + 1024.0 * 12.0 * f32::EPSILON / 2.0);
        assert_eq!(expected.judge(off, 12), Verdict::Right);
        assert!(matches!(expected.judge(off, 4), Verdict::Wrong(_)));
        assert!(matches!(expected.judge(Value::F32(f32::NAN), 12), Verdict::Wrong(_)));
    }

    #[test]
    fn partials_are_finished_once() {
        let key = |x: f32| key(Operator::Min, x.to_bits());
        let partials = [key(2.0), key(-3.0), key(7.0)];
        let combined = combine_partials(Operator::Min, Element::F32, bytemuck::cast_slice(&partials));
        assert_eq!(combined, Some(Value::F32(-3.0)));
        let finished =
            combine_partials(Operator::Min, Element::F32, bytemuck::bytes_of(&(-3.0f32).to_bits()));
        assert_eq!(finished, Some(Value::F32(-3.0)));
        let halves =
            combine_partials(Operator::WideSum, Element::I64, bytemuck::cast_slice(&[-1i64, 5, 2, 1]));
        assert_eq!(halves, Some(Value::Wide((1 << 32) + 6)));
    }
}
