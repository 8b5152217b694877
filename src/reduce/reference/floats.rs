//! Floats: sums in double-double arithmetic, products with an exponent of their own, minima and maxima by integer keys.

use bytemuck::Pod;
use half::f16;

use crate::element::Value;
use crate::reduce::operator::Operator;
use crate::reduce::reference::{Accept, Expected, Integer, fold_iter, view};

/// A float as the reference sees it: its exact value in 64 bits, and the type it accumulates in.
pub(super) trait Float: Pod {
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
        pub(super) fn $key(operator: Operator, bits: $unsigned) -> $signed {
            let bits = bits.cast_signed();
            if bits & <$signed>::MAX > $infinity { nan_of::<$signed>(operator) } else { flip(bits) }
        }

        pub(super) fn $finish(operator: Operator, key: $signed) -> $unsigned {
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

pub(super) fn floats<T: Float>(operator: Operator, bytes: &[u8]) -> Option<Expected> {
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
