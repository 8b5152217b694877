//! The CPU's word on a reduction: what the result is, and how far a float may be off.
//!
//! Knows nothing of GPUs. Integers are exact (they wrap). Float sums are accumulated in double-double arithmetic
//! and float products with an exponent of their own, so that the reference's error does not matter beside the
//! bound, which follows from the number of operations on the longest way from an element to the result.

use std::borrow::Cow;
use std::fmt;

use bytemuck::Pod;
use half::f16;

use crate::element::{Element, Value};
use crate::reduce::operator::Operator;

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
pub enum Verdict {
    /// It is right, or within the bound.
    Right,
    /// It is wrong.
    Wrong(Mismatch),
    /// Nothing to hold it against: in some orders partial results leave the type's range.
    Undecided,
}

/// How wrong a result is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mismatch {
    got: Value,
    expected: Value,
    bound: f64,
}

impl fmt::Display for Mismatch {
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

/// A float as the reference sees it: its exact value in 64 bits, and the type it accumulates in.
trait Float: Pod {
    /// Half a unit in the last place of 1 in the accumulator's type.
    const UNIT: f64;
    /// The accumulator's largest finite value.
    const LARGEST: f64;
    /// The accumulator's smallest normal value: what a GPU may flush to zero.
    const SMALLEST: f64;
    fn exact(self) -> f64;
    fn value(x: f64) -> Value;
    fn extremum(operator: Operator, items: &[Self]) -> Value;
}

macro_rules! float {
    ($type:ty, $exact:expr, $acc:ident, $variant:ident, $key:ident, $finish:ident) => {
        impl Float for $type {
            const UNIT: f64 = $acc::EPSILON as f64 / 2.0;
            const LARGEST: f64 = $acc::MAX as f64;
            const SMALLEST: f64 = $acc::MIN_POSITIVE as f64;
            fn exact(self) -> f64 {
                let exact: fn($type) -> f64 = $exact;
                exact(self)
            }
            fn value(x: f64) -> Value {
                Value::$variant(x as $acc)
            }
            fn extremum(operator: Operator, items: &[Self]) -> Value {
                let keys = items.iter().map(|&x| $key(operator, (x.exact() as $acc).to_bits()));
                Value::$variant($acc::from_bits($finish(operator, fold_iter(operator, keys))))
            }
        }
    };
}
float!(f16, |x| x.to_f64(), f32, F32, key, finish_key);
float!(f32, f64::from, f32, F32, key, finish_key);
float!(f64, |x| x, f64, F64, key_64, finish_key_64);

/// The twin of `shaders/monoid/order_float.wgsl`, for one width.
macro_rules! keys {
    ($key:ident, $finish:ident, $signed:ty, $unsigned:ty, $infinity:literal, $nan:literal) => {
        fn $key(operator: Operator, bits: $unsigned) -> $signed {
            let bits = bits.cast_signed();
            if bits & <$signed>::MAX > $infinity { nan_of::<$signed>(operator) } else { flip(bits) }
        }

        fn $finish(operator: Operator, key: $signed) -> $unsigned {
            if key == nan_of::<$signed>(operator) {
                return $nan;
            }
            flip(key.clamp(flip($infinity | <$signed>::MIN), $infinity)).cast_unsigned()
        }
    };
}
keys!(key, finish_key, i32, u32, 0x7f80_0000, 0x7fc0_0000);
keys!(key_64, finish_key_64, i64, u64, 0x7ff0_0000_0000_0000, 0x7ff8_0000_0000_0000);

/// The key that wins the comparison: a NaN's.
fn nan_of<T: Integer>(operator: Operator) -> T {
    if operator == Operator::Min { T::LOWEST } else { T::HIGHEST }
}

/// Flips all but the sign bit of negative patterns, so that integers order as floats do.
fn flip<T>(bits: T) -> T
where
    T: Integer + std::ops::BitXor<Output = T>,
{
    if bits < T::ZERO { bits ^ T::HIGHEST } else { bits }
}

fn floats<T: Float>(operator: Operator, bytes: &[u8]) -> Option<Expected> {
    let items = &*view::<T>(bytes);
    match operator {
        Operator::Sum => Some(sum(items)),
        Operator::Product => Some(product(items)),
        Operator::Min | Operator::Max => {
            Some(Expected { value: T::extremum(operator, items), accept: Accept::Same })
        }
        Operator::WideSum | Operator::WideProduct => None,
    }
}

/// A running sum in double-double arithmetic: what each addition rounds off is kept in `low`.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExactSum {
    high: f64,
    low: f64,
    naive: f64,
}

impl ExactSum {
    /// The sum with one more term.
    #[allow(
        clippy::should_implement_trait,
        reason = "a term is no sum: `+` would promise more than this does"
    )]
    #[must_use]
    pub fn add(mut self, x: f64) -> Self {
        let sum = self.high + x;
        let back = sum - self.high;
        self.low += (self.high - (sum - back)) + (x - back);
        self.high = sum;
        self.naive += x;
        self
    }

    /// Infinities and NaNs decide alone; without them the compensated sum is the better one.
    pub fn value(self) -> f64 {
        if self.naive.is_finite() { self.high + self.low } else { self.naive }
    }
}

/// A running product in double-double arithmetic, with an exponent of its own: it neither overflows nor underflows.
#[derive(Clone, Copy, Debug)]
pub struct ExactProduct {
    high: f64,
    low: f64,
    exponent: i64,
    /// The product of zeros, infinities and NaNs.
    special: f64,
}

impl Default for ExactProduct {
    fn default() -> Self {
        ExactProduct { high: 1.0, low: 0.0, exponent: 0, special: 1.0 }
    }
}

impl ExactProduct {
    /// The product with one more factor.
    #[allow(
        clippy::should_implement_trait,
        reason = "a factor is no product: `*` would promise more than this does"
    )]
    #[must_use]
    pub fn mul(mut self, x: f64) -> Self {
        if x == 0.0 || !x.is_finite() {
            self.special *= x;
            return self;
        }
        // Scaled first: a subnormal factor is as exact as any other.
        let shift = exponent_of(x);
        let x = x * power_of_two(-shift / 2) * power_of_two(-shift - -shift / 2);
        let product = self.high * x;
        let low = self.low.mul_add(x, self.high.mul_add(x, -product));
        let carry = exponent_of(product);
        self.high = product * power_of_two(-carry);
        self.low = low * power_of_two(-carry);
        self.exponent += i64::from(shift + carry);
        self
    }

    /// The product of the factors that are neither zero nor infinite nor NaN.
    fn ordinary(self) -> f64 {
        // In two halves: 2^exponent alone may lie outside the range that the product is in.
        let exponent = self.exponent.clamp(-2000, 2000) as i32;
        (self.high + self.low) * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2)
    }

    /// The product of all factors, rounded once.
    pub fn value(self) -> f64 {
        self.ordinary() * self.special
    }
}

/// The sum, and the sum of magnitudes that its error bound scales with.
///
/// Each of the `depth` additions an element goes through may be off by half a unit in the last place of a partial sum,
/// which is never larger than the sum of magnitudes; a partial sum that is subnormal may be flushed to zero.
fn sum<T: Float>(items: &[T]) -> Expected {
    let exact = items.iter().map(|x| x.exact()).fold(ExactSum::default(), ExactSum::add).value();
    let magnitude: f64 = items.iter().map(|x| x.exact().abs()).filter(|x| x.is_finite()).sum();
    let accept = if magnitude > T::LARGEST {
        Accept::OrderDecides
    } else if !exact.is_finite() {
        Accept::Same
    } else {
        Accept::PerStep { exact, error: T::UNIT * magnitude, floor: T::SMALLEST * items.len() as f64 }
    };
    Expected { value: T::value(exact), accept }
}

/// The product with an exponent of its own, and how far partial products can stray.
///
/// Each of the `n - 1` multiplications may be off by half a unit in the last place, in whatever order they
/// happen: (1 + u)^n. If the large factors alone overflow, or the small ones alone underflow, the order decides.
fn product<T: Float>(items: &[T]) -> Expected {
    let mut running = ExactProduct::default();
    let (mut growth, mut decay) = (0.0f64, 0.0f64);
    for x in items.iter().map(|x| x.exact()) {
        running = running.mul(x);
        if x != 0.0 && x.is_finite() {
            let log = x.abs().log2();
            growth += log.max(0.0);
            decay += log.min(0.0);
        }
    }
    // Rounding may carry a partial product a little further than the factors say.
    let slack = 1.0;
    let overflows = growth + slack > T::LARGEST.log2();
    let underflows = decay - slack < T::SMALLEST.log2();
    let (exact, special) = (running.ordinary(), running.special);
    let value = T::value(running.value());
    let accept = if special.is_nan() {
        Accept::Same
    } else if overflows || (underflows && special != 0.0) {
        Accept::OrderDecides
    } else if special != 1.0 {
        Accept::Same
    } else {
        Accept::Relative { exact, factor: (items.len() as f64 * T::UNIT).exp_m1() }
    };
    Expected { value, accept }
}

/// The binary exponent of a finite, non-zero float.
fn exponent_of(x: f64) -> i32 {
    let raw = (x.to_bits() >> 52 & 0x7ff) as i32;
    if raw == 0 { exponent_of(x * power_of_two(64)) - 64 } else { raw - 1023 }
}

/// 2^`exponent`, exactly, for exponents of normal floats.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}

#[cfg(test)]
mod tests {
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
