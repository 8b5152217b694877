//! References over floats, in 64 bits.

use super::merged_moments::unit_of;
use super::{Bound, Expected, Real, moments};
use crate::element::{Element, Value};
use crate::reduce::op::Op;
use crate::reduce::reference::{Accept, ExactProduct, ExactSum};
use crate::reduce::value::Scalar;

/// Accuracy of the elements in the accumulator's type: exact, or rounded to it.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Terms {
    Exact,
    Rounded,
}

pub(super) fn reduce(op: Op, element: Element, items: &[f64], second: Option<&[f64]>) -> Option<Expected> {
    let real = Real::of(element);
    let least = || extreme(items, items.iter().min_by(|a, b| a.total_cmp(b)), f64::INFINITY);
    let greatest = || extreme(items, items.iter().max_by(|a, b| a.total_cmp(b)), f64::NEG_INFINITY);
    let count = |n: usize| Expected::same(Scalar::One(Value::Unsigned(n as u64)));
    Some(match op {
        Op::Sum => items.iter().fold(Sum::default(), |sum, x| sum.add(*x)).expected(real),
        Op::Product => items.iter().fold(Product::default(), |product, x| product.mul(*x)).expected(real),
        Op::Mean => mean(real, items),
        Op::Dot => dot(real, items, second?),
        Op::Covariance => moments::covariance(real, items, second?),
        Op::Correlation => moments::correlation(real, items, second?),
        Op::WeightedMean => moments::weighted_mean(real, items, second?),
        Op::Skewness => moments::standardized(real, items, 3, 0.0),
        Op::Kurtosis => moments::standardized(real, items, 4, 3.0),
        Op::L1 => {
            let sum = exact_sum(items.iter().map(|x| x.abs()));
            real.within(sum, additions(real, sum, sum, items.len()))
        }
        Op::Min => real.same(least()),
        Op::Max => real.same(greatest()),
        Op::MinMax => Expected::same(Scalar::Range { min: real.value(least()), max: real.value(greatest()) }),
        Op::ArgMin => first(real, items, least()),
        Op::ArgMax => first(real, items, greatest()),
        Op::MaxNorm if items.iter().any(|x| x.is_nan()) => real.same(f64::NAN),
        Op::MaxNorm => real.same(items.iter().fold(0.0, |most, x| f64::max(most, x.abs()))),
        Op::CountNonzero => count(items.iter().filter(|x| **x != 0.0).count()),
        Op::Any => count(items.iter().any(|x| *x != 0.0).into()),
        Op::All => count(items.iter().all(|x| *x != 0.0).into()),
        Op::GeometricMean => {
            // 16-bit floats stop being normal long before 32-bit ones do.
            let least = if element == Element::F16 { (-14.0f64).exp2() } else { real.smallest };
            geometric_mean(real, items, least, Terms::Exact)
        }
        _ => return with_terms(op, items, real, Terms::Exact),
    })
}

/// The operators that convert integers to floats.
pub(super) fn with_terms(op: Op, items: &[f64], real: Real, terms: Terms) -> Option<Expected> {
    Some(match op {
        Op::Variance => moments::variance(real, items, 0, None, terms),
        Op::SampleVariance => moments::variance(real, items, 1, None, terms),
        Op::Deviation => moments::variance(real, items, 0, Some(8.0 * real.unit), terms),
        Op::SampleDeviation => moments::variance(real, items, 1, Some(8.0 * real.unit), terms),
        Op::L2 => l2(real, items, terms),
        Op::LogSumExp => log_sum_exp(real, items, terms),
        Op::GeometricMean => geometric_mean(real, items, real.smallest, terms),
        _ => return None,
    })
}

/// NaN if there is one, else the best item, else the result of no items.
fn extreme(items: &[f64], best: Option<&f64>, of_none: f64) -> f64 {
    if items.iter().any(|x| x.is_nan()) { f64::NAN } else { best.copied().unwrap_or(of_none) }
}

/// The index of the first item that equals `best`. -0 equals +0.
fn first(real: Real, items: &[f64], best: f64) -> Expected {
    let index = items.iter().position(|x| *x == best || x.is_nan() && best.is_nan());
    let index = index.map_or(u32::MAX.into(), |index| index as u64);
    Expected::same(Scalar::At { value: real.value(best + 0.0), index })
}

pub(super) fn exact_sum(items: impl Iterator<Item = f64>) -> f64 {
    items.fold(ExactSum::default(), ExactSum::add).value()
}

/// The error bound of a sum. Each addition may be off by half a unit in the last place of a partial sum,
/// which is never larger than the sum of magnitudes. Each subnormal term may be flushed to zero.
pub(super) fn additions(real: Real, exact: f64, magnitude: f64, n: usize) -> Bound {
    Bound { exact, linear: real.unit * magnitude, fixed: real.smallest * n as f64, ..Bound::default() }
}

/// A sum of some items, with an error bound that scales with the sum of magnitudes.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    sum: ExactSum,
    magnitude: f64,
    items: usize,
}

impl Sum {
    pub(super) fn add(self, x: f64) -> Self {
        let magnitude = if x.is_finite() { x.abs() } else { 0.0 };
        Sum { sum: self.sum.add(x), magnitude: self.magnitude + magnitude, items: self.items + 1 }
    }

    pub(super) fn expected(&self, real: Real) -> Expected {
        let exact = self.sum.value();
        if self.magnitude > real.largest {
            return Expected { answer: real.answer(exact), accept: Accept::OrderDecides };
        }
        real.within(self.magnitude, additions(real, exact, self.magnitude, self.items))
    }
}

/// A product of some items, with a separate exponent, and the range of partial products: the logarithms of the large factors alone, and of the small ones.
#[derive(Clone, Copy, Default)]
pub(super) struct Product {
    product: ExactProduct,
    growth: f64,
    decay: f64,
    items: usize,
}

impl Product {
    pub(super) fn mul(self, x: f64) -> Self {
        let log = if x != 0.0 && x.is_finite() { x.abs().log2() } else { 0.0 };
        Product {
            product: self.product.mul(x),
            growth: self.growth + log.max(0.0),
            decay: self.decay + log.min(0.0),
            items: self.items + 1,
        }
    }

    /// Each of the multiplications may be off by half a unit in the last place, in whatever order they happen: (1 + u)^n. If the
    /// large factors alone overflow, or the small ones alone underflow, the order decides.
    pub(super) fn expected(&self, real: Real) -> Expected {
        // Rounding may carry a partial product slightly beyond the range of exact partial products.
        let slack = 1.0;
        let overflows = self.growth + slack > real.largest.log2();
        let underflows = self.decay - slack < real.smallest.log2();
        let (exact, special) = (self.product.ordinary(), self.product.special);
        let answer = real.answer(self.product.value());
        let accept = if special.is_nan() {
            Accept::Same
        } else if overflows || (underflows && special != 0.0) {
            Accept::OrderDecides
        } else if special != 1.0 {
            Accept::Same
        } else {
            let factor = (self.items as f64 * real.unit).exp_m1();
            Accept::Within(Bound { exact, fixed: exact.abs() * factor, ..Bound::default() })
        };
        Expected { answer, accept }
    }
}

/// The mean. Its bound is that of the sum, divided by n; then n is rounded to a float, and the quotient is off by up to 2.5 units.
fn mean(real: Real, items: &[f64]) -> Expected {
    let n = items.len() as f64;
    let sum = exact_sum(items.iter().copied());
    if items.is_empty() || !sum.is_finite() {
        return real.same(sum / n);
    }
    let magnitude: f64 = items.iter().map(|x| x.abs()).sum();
    let added = additions(real, sum, magnitude, items.len());
    let bound = Bound {
        exact: sum / n,
        fixed: added.fixed / n + 8.0 * real.unit * (sum / n).abs() + real.smallest,
        linear: added.linear / n,
        ..added
    };
    real.within(magnitude, bound)
}

/// The dot product. Here each product keeps its rounding error; on the GPU each may be rounded once.
fn dot(real: Real, first: &[f64], second: &[f64]) -> Expected {
    let mut sum = ExactSum::default();
    let mut magnitude = 0.0;
    for (&a, &b) in first.iter().zip(second) {
        let product = a * b;
        sum = sum.add(product);
        if product.is_finite() {
            sum = sum.add(a.mul_add(b, -product));
            magnitude += product.abs();
        }
    }
    let exact = sum.value();
    let mut bound = additions(real, exact, magnitude, first.len());
    bound.fixed += 2.0 * real.unit * magnitude;
    real.within(magnitude, bound)
}

/// A unit of items of which a sum of products is so small that a GPU may flush more than a hundredth of it to zero.
pub(super) fn unit_below(real: Real, sum: f64, items: &[f64]) -> Option<f64> {
    let largest = items.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let is_below = largest > 0.0 && sum < 100.0 * real.smallest * items.len() as f64;
    is_below.then(|| unit_of(largest).max(f64::MIN_POSITIVE))
}

/// The L2 norm. Each square is rounded once, or three times if the element itself was rounded; then comes the root.
fn l2(real: Real, items: &[f64], terms: Terms) -> Expected {
    let squares = items.iter().map(|x| {
        let square = x * x;
        (square, if square.is_finite() { x.mul_add(*x, -square) } else { 0.0 })
    });
    let sum = exact_sum(squares.flat_map(|(high, low)| [high, low]));
    let roundings = if terms == Terms::Rounded { 4.0 } else { 2.0 };
    let added = additions(real, sum, sum, items.len());
    let bound =
        Bound { fixed: added.fixed + roundings * real.unit * sum, root: Some(8.0 * real.unit), ..added };
    // The squares of finite elements may overflow the GPU's type: the result is then infinite.
    if sum > real.largest && items.iter().all(|x| x.is_finite()) {
        return real.same(f64::INFINITY);
    }
    if let Some(unit) = unit_below(real, sum, items) {
        let root = exact_sum(items.iter().map(|x| (x / unit).powi(2))).sqrt();
        return Expected { answer: real.answer(unit * root), accept: Accept::OrderDecides };
    }
    real.within(sum, bound)
}

/// The errors of the GPU's exponential and logarithm.
struct Transcendental {
    /// The error of `exp(-d)` in units in the last place, and its increase per unit of `d`.
    exp: f64,
    slope: f64,
    /// The error of a logarithm in units in the last place, and an absolute error.
    log: f64,
    least: f64,
}

impl Transcendental {
    /// For 32 bits these are the errors that WGSL allows, for 64 bits those that
    /// `shaders/operators/shared/exp_log.wgsl` guarantees. Both include one unit for the CPU's own functions.
    fn of(real: Real) -> Self {
        if real.is_double {
            Transcendental { exp: 2.0 + 1.0, slope: 0.0, log: 2.0 + 1.0, least: 0.0 }
        } else {
            Transcendental { exp: 3.0, slope: 2.0, log: 3.0, least: (-21.0f64).exp2() }
        }
    }
}

/// log Σ exp(x) for elements that are finite or -∞.
fn log_sum(items: impl Iterator<Item = f64> + Clone) -> f64 {
    let peak = items.clone().fold(f64::NEG_INFINITY, f64::max);
    peak + exact_sum(items.map(|x| (x - peak).exp())).ln()
}

/// A relative error of the sum is an absolute error of its logarithm. A term's `d`, its distance from the peak, is off by half a unit, and its exponential
/// is off as above. Weighted by the terms' shares of the sum, the average of `d` is at most log n. Merges use other distances, which add up to `d`, but
/// each merge has its own exponential, product and addition. If elements were themselves rounded, all may have moved up by a unit, or all down.
fn log_sum_exp(real: Real, items: &[f64], terms: Terms) -> Expected {
    if items.iter().any(|x| x.is_nan()) {
        return real.same(f64::NAN);
    }
    let peak = items.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !peak.is_finite() {
        return real.same(peak);
    }
    let exact = log_sum(items.iter().copied());
    let unit = 2.0 * real.unit;
    let moved = |by: f64| (log_sum(items.iter().map(|x| x + by * x.abs())) - exact).abs();
    let own = if terms == Terms::Rounded { f64::max(moved(unit), moved(-unit)) } else { 0.0 };
    let log = (items.len() as f64).ln();
    let Transcendental { exp, slope, log: of_log, least } = Transcendental::of(real);
    let bound = Bound {
        exact,
        fixed: own
            + unit * (exp + 5.0 + (slope + 1.0) * log)
            + least
            + of_log * unit * log
            + unit * exact.abs(),
        linear: (exp + 1.0) * unit,
        ..Bound::default()
    };
    real.within(exact.abs(), bound)
}

/// An absolute error of the mean of logarithms is a relative error of the result. Each logarithm is off as above, and each addition by half a unit of
/// a partial sum. The mean takes one division. The exponential adds an error of a few units times the magnitude of the mean. An element that was
/// itself rounded moves its logarithm by a unit. Elements below `least` count as zero.
fn geometric_mean(real: Real, items: &[f64], least: f64, terms: Terms) -> Expected {
    let is_zero = |x: &f64| x.abs() < least;
    let has = |what: &dyn Fn(&f64) -> bool| items.iter().any(what);
    if items.is_empty() || has(&|x| x.is_nan() || (*x < 0.0 && !is_zero(x))) {
        return real.same(f64::NAN);
    }
    match (has(&is_zero), has(&|x| x.is_infinite())) {
        (true, true) => return real.same(f64::NAN),
        (true, false) => return real.same(0.0),
        (false, true) => return real.same(f64::INFINITY),
        (false, false) => {}
    }
    let n = items.len() as f64;
    let log = exact_sum(items.iter().map(|x| x.ln())) / n;
    let size = exact_sum(items.iter().map(|x| x.ln().abs())) / n;
    let exact = log.exp().min(real.largest);
    let unit = 2.0 * real.unit;
    let own = if terms == Terms::Rounded { unit } else { 0.0 };
    let Transcendental { exp, slope, log: of_log, least } = Transcendental::of(real);
    let relative = own + of_log * unit * size + least + unit * (exp + 2.0 + (slope + 4.0) * log.abs());
    // An error of r in the exponent is a relative error of slightly more than r in the power.
    let scale = 1.1 * exact;
    let bound = Bound {
        exact,
        fixed: scale * relative + real.smallest,
        linear: scale * real.unit * size,
        ..Bound::default()
    };
    real.within(exact, bound)
}
