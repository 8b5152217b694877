//! Numbers as sums of two floats, the second below the last place of the first: 106 bits.

use std::f64::consts;
use std::ops::{Add, Mul};

/// A rounded number, and the remainder of that rounding.
#[derive(Clone, Copy, Debug)]
pub struct Pair(pub f64, pub f64);

const LN_2: Pair = Pair(consts::LN_2, 2.319_046_813_846_299_6e-17);

impl From<f64> for Pair {
    fn from(x: f64) -> Self {
        Pair(x, 0.0)
    }
}

/// A sum, and its rounding error.
fn sum(a: f64, b: f64) -> Pair {
    let sum = a + b;
    let part = sum - a;
    Pair(sum, (a - (sum - part)) + (b - part))
}

impl Add for Pair {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let Pair(high, high_left) = sum(self.0, other.0);
        let Pair(low, low_left) = sum(self.1, other.1);
        let Pair(high, left) = sum(high, high_left + low);
        sum(high, left + low_left)
    }
}

impl Mul for Pair {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = self.0 * other.0;
        let left = self.0.mul_add(other.0, -product);
        sum(product, left + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Pair {
    /// Every digit of each, times a power of two.
    fn scaled(self, exponent: i32) -> Self {
        // In two steps: one power may be out of range where the result is not.
        let half = f64::from(exponent / 2).exp2();
        let rest = f64::from(exponent - exponent / 2).exp2();
        Pair(self.0 * half * rest, self.1 * half * rest)
    }

    /// The distance to a number.
    pub fn distance(self, got: f64) -> f64 {
        ((got - self.0) - self.1).abs()
    }

    /// The inverse of a whole number.
    fn inverse(n: u32) -> Self {
        let n = f64::from(n);
        let near = 1.0 / n;
        sum(near, -near.mul_add(n, -1.0) / n)
    }

    /// The exponential of a small number minus 1: Taylor's series of a 256th, doubled eight times by
    /// e^2r - 1 = (e^r - 1) (e^r + 1). So its digits do not go into the 1.
    fn exp_m1(self) -> Self {
        let r = self.scaled(-8);
        // ((r/20 + 1) r/19 + 1) … r/1
        let one = Pair::from(1.0);
        let series = (2..=20).rev().fold(one, |sum, n| sum * r * Pair::inverse(n) + one) * r;
        (0..8).fold(series, |above, _| above * (above + Pair::from(2.0)))
    }

    /// The exponential.
    pub fn exp(self) -> Self {
        let k = (self.0 / LN_2.0).round();
        let r = self + LN_2 * Pair::from(-k);
        (r.exp_m1() + Pair::from(1.0)).scaled(k as i32)
    }

    /// The logarithm: the standard library's, corrected by the remainder of its exponential.
    pub fn ln(self) -> Self {
        let near = self.0.ln();
        // Of a number near 1, so that no part of it leaves the range.
        let k = (near / LN_2.0).round();
        let m = self.scaled(-(k as i32));
        let rest = LN_2 * Pair::from(k) + Pair::from(-near);
        // m e^rest - 1
        let off = (m + Pair::from(-1.0)) + m * rest.exp_m1();
        Pair::from(near) + off + off * off * Pair::from(-0.5)
    }
}

/// A function, its argument, and the two parts of the result, from a computation with 60 decimal digits.
pub const TABLE: [(&str, f64, f64, f64); 17] = [
    ("exp", 1.0, consts::E, 1.4456468917292502e-16),
    ("exp", -1.0, 0.36787944117144233, -1.2428753672788363e-17),
    ("exp", 0.5, 1.6487212707001282, -4.731568479435833e-17),
    ("exp", -0.34375, 0.7091061824373984, -1.2868055655346304e-17),
    ("exp", 700.25, 1.3022997366991783e+304, 7.154767958193286e+287),
    ("exp", 1e-10, 1.0000000001, -8.269037096265652e-18),
    ("exp", -20.125, 1.8189616875530459e-09, 3.508617072894393e-26),
    ("exp", 88.5, 2.7230878250681117e+38, -8.056979964238785e+21),
    ("ln", 2.0, consts::LN_2, 2.3190468138462996e-17),
    ("ln", 10.0, consts::LN_10, -2.1707562233822494e-16),
    ("ln", 0.75, -0.2876820724517809, -2.607160616442564e-17),
    ("ln", 1.0000001, 9.999999505838704e-08, 1.5249709528441489e-24),
    ("ln", 1e300, 690.7755278982137, 2.3747660028800243e-14),
    ("ln", 1e-300, -690.7755278982137, -2.3670096176709832e-14),
    ("ln", 3.5, 1.252762968495368, -6.097690852192957e-17),
    ("ln", 0.7071067811865475, -0.34657359027997275, 1.0775909101525876e-17),
    ("ln", consts::SQRT_2, 0.3465735902799727, 2.4442169414592898e-17),
];
