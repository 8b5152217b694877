//! Sums and products of floats with compensated rounding.

/// A running sum in double-double arithmetic: `low` keeps the rounding error of each addition.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ExactSum {
    high: f64,
    low: f64,
    naive: f64,
}

impl ExactSum {
    /// Adds a term to the sum.
    #[must_use]
    pub(super) fn add(mut self, x: f64) -> Self {
        let sum = self.high + x;
        let back = sum - self.high;
        self.low += (self.high - (sum - back)) + (x - back);
        self.high = sum;
        self.naive += x;
        self
    }

    /// The compensated sum; the plain sum if it is infinite or NaN.
    pub(super) fn value(self) -> f64 {
        if self.naive.is_finite() { self.high + self.low } else { self.naive }
    }
}

/// A running product in double-double arithmetic, with a separate exponent, so that it neither overflows nor underflows.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExactProduct {
    high: f64,
    low: f64,
    exponent: i64,
    /// The product of zeros, infinities and NaNs.
    pub(super) special: f64,
}

impl Default for ExactProduct {
    fn default() -> Self {
        ExactProduct { high: 1.0, low: 0.0, exponent: 0, special: 1.0 }
    }
}

impl ExactProduct {
    /// Multiplies the product by a factor.
    #[must_use]
    pub(super) fn mul(mut self, x: f64) -> Self {
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
    pub(super) fn ordinary(self) -> f64 {
        // In two steps: 2^exponent alone may be out of range although the product is not.
        let exponent = self.exponent.clamp(-2000, 2000) as i32;
        (self.high + self.low) * power_of_two(exponent / 2) * power_of_two(exponent - exponent / 2)
    }

    /// The product of all factors, rounded once.
    pub(super) fn value(self) -> f64 {
        self.ordinary() * self.special
    }
}

/// The binary exponent of a finite, non-zero float.
fn exponent_of(x: f64) -> i32 {
    let raw = (x.to_bits() >> 52 & 0x7ff) as i32;
    if raw == 0 { exponent_of(x * power_of_two(64)) - 64 } else { raw - 1023 }
}

/// 2^`exponent`, exactly, for exponents of normal floats.
pub(in crate::reduce) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((1023 + exponent) as u64) << 52)
}
