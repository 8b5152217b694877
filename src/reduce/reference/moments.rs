//! References of moments beyond the variance: of pairs, weighted, and of third and fourth order.

use super::floats::{Terms, additions, exact_sum, unit_below};
use super::merged_moments::unit_of;
use super::{Accept, Bound, Expected, Real};

/// Distances of items from their mean, all numbers in a unit, so that their fourth powers stay in the range of 64-bit floats.
struct Centred {
    unit: f64,
    distances: Vec<f64>,
    /// The root of their mean square.
    spread: f64,
    /// The distance by which a merge may move the GPU's mean.
    step: f64,
}

impl Centred {
    /// `None` if there are no items, or not only finite ones.
    fn of(real: Real, items: &[f64]) -> Option<Self> {
        if items.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let n = items.len() as f64;
        let most = |items: &[f64]| items.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        // 1 where all are 0.
        let unit_for =
            |largest: f64| if largest > 0.0 { unit_of(largest).max(f64::MIN_POSITIVE) } else { 1.0 };
        let size = unit_for(most(items));
        let items: Vec<f64> = items.iter().map(|x| x / size).collect();
        // Distances from one of them have the same moments, and are zero if all are equal.
        let first = *items.first()?;
        let mean = exact_sum(items.iter().map(|x| x - first)) / n;
        let rest = exact_sum(items.iter().map(|x| (x - first) - mean)) / n;
        let distances: Vec<f64> = items.iter().map(|x| ((x - first) - mean) - rest).collect();
        let largest = most(&distances);
        // The mean is the sum of two floats, of which the first has half the digits. A GPU may flush subnormal numbers to zero.
        let step =
            8.0 * real.unit * (largest + 4.0 * real.unit.sqrt() * most(&items)) + 4.0 * real.smallest / size;
        // No more, as both units together are a float.
        let unit = unit_for(largest).min(2.0);
        let distances: Vec<f64> = distances.into_iter().map(|d| d / unit).collect();
        let spread = (exact_sum(distances.iter().map(|d| d * d)) / n).sqrt();
        Some(Centred { unit: size * unit, distances, spread, step: step / unit })
    }

    /// The mean of what `of` makes of each distance.
    fn mean(&self, of: impl Fn(f64) -> f64) -> f64 {
        exact_sum(self.distances.iter().map(|d| of(*d))) / self.distances.len() as f64
    }
}

/// The bound of `shaders/operators/shared/co_moments.wgsl`, as that of a variance: products around means that are off by a step for each
/// merge, and the roundings of their sum, none of whose terms is larger than both spreads allow. All of it in the product of both units.
fn products(real: Real, a: &Centred, b: &Centred) -> Bound {
    let pairs = a.distances.iter().zip(&b.distances);
    let n = a.distances.len() as f64;
    let moved = 8.0 * real.unit * a.spread * b.spread + a.spread * b.step + b.spread * a.step;
    let both = 2.0 * a.step * b.step;
    Bound {
        exact: exact_sum(pairs.map(|(x, y)| x * y)) / n,
        fixed: moved + both + real.smallest * n,
        linear: moved,
        quadratic: both,
        root: None,
    }
}

/// A result that alone may leave the range of the type: all before it is in units.
fn in_range(real: Real, bound: Bound) -> Expected {
    if bound.exact.abs() > 2.0 * real.largest {
        return real.same(bound.exact.signum() * f64::INFINITY);
    }
    real.within(bound.exact.abs() * (1.0 + 8.0 * real.unit), bound)
}

/// A result in spreads. Where a spread is no more than what a mean may be off by, as among subnormal numbers, roundings decide.
fn of_spread(real: Real, all: &[&Centred], bound: Bound) -> Expected {
    if all.iter().any(|a| a.spread <= 2.0 * a.step) {
        return Expected { answer: real.answer(bound.exact), accept: Accept::OrderDecides };
    }
    real.within(0.0, bound)
}

/// The bound of `shaders/operators/shared/float_moments.wgsl`. If E is the error of a running mean, the squares around it are off by 2 σ E + E²,
/// and their sum by the roundings of the additions and of the merge's products. An element that was itself rounded moves by as much. The root
/// of a deviation has an error of its own.
pub(super) fn variance(
    real: Real,
    items: &[f64],
    correction: usize,
    root: Option<f64>,
    terms: Terms,
) -> Expected {
    let n = items.len();
    let Some(a) = Centred::of(real, items).filter(|_| n > correction) else { return real.same(f64::NAN) };
    // Squares are in units, so that only the result may be flushed to zero.
    if a.spread == 0.0 {
        return real.within(0.0, Bound { fixed: real.smallest, ..Bound::default() });
    }
    let share = n as f64 / (n - correction) as f64;
    let exact = share * a.spread * a.spread;
    let own = if terms == Terms::Rounded { a.step } else { 0.0 };
    let moved = |by: f64| share * (2.0 * a.spread * by + 2.0 * by * by);
    let fixed = 8.0 * real.unit * exact + moved(own + a.step);
    let linear = 8.0 * real.unit * exact + share * 2.0 * a.spread * a.step;
    let moved_by_squares = share * 2.0 * a.step * a.step;
    // In the result's own measure: squares of distances may leave the range of 64 bits where their root does not. |√a - √b| is at most
    // |a - b| / √b.
    let (exact, by) = match root {
        Some(_) => (exact.sqrt() * a.unit, a.unit / exact.sqrt()),
        None => (exact * a.unit * a.unit, a.unit * a.unit),
    };
    let bound = Bound {
        exact,
        fixed: fixed * by + root.unwrap_or(0.0) * exact + real.smallest,
        linear: linear * by,
        quadratic: moved_by_squares * by,
        root: None,
    };
    in_range(real, bound)
}

pub(super) fn covariance(real: Real, first: &[f64], second: &[f64]) -> Expected {
    let (Some(a), Some(b)) = (Centred::of(real, first), Centred::of(real, second)) else {
        return real.same(f64::NAN);
    };
    let Bound { exact, fixed, linear, quadratic, root } = products(real, &a, &b);
    // In an order in which only the result may leave the range.
    let [larger, smaller] = [a.unit.max(b.unit), a.unit.min(b.unit)];
    let [exact, fixed, linear, quadratic] =
        [exact, fixed, linear, quadratic].map(|number| number / 16.0 * larger * smaller * 16.0);
    let bound = Bound { exact, fixed: fixed + 4.0 * real.smallest, linear, quadratic, root };
    in_range(real, bound)
}

/// The covariance in deviations: relative errors of the deviations count in proportion.
pub(super) fn correlation(real: Real, first: &[f64], second: &[f64]) -> Expected {
    let centred = Centred::of(real, first).zip(Centred::of(real, second));
    let Some((a, b)) = centred.filter(|(a, b)| a.spread > 0.0 && b.spread > 0.0) else {
        return real.same(f64::NAN);
    };
    let scale = 2.0 / (a.spread * b.spread);
    let [xy, xx, yy] = [products(real, &a, &b), products(real, &a, &a), products(real, &b, &b)];
    let exact = (xy.exact / (a.spread * b.spread)).clamp(-1.0, 1.0);
    let sum = |of: &dyn Fn(&Bound) -> f64| {
        scale * of(&xy) + exact.abs() * (of(&xx) / xx.exact + of(&yy) / yy.exact)
    };
    let bound = Bound {
        exact,
        fixed: sum(&|bound| bound.fixed) + 16.0 * real.unit,
        linear: sum(&|bound| bound.linear),
        quadratic: sum(&|bound| bound.quadratic),
        root: None,
    };
    of_spread(real, &[&a, &b], bound)
}

/// The moment of an order from which powers of the spread are divided out, less `normal`. If E is the error of a mean, that of a mean of third
/// powers is 3 σ² E, of fourth powers 4 E times the mean of |d|³; roundings are relative to powers of magnitudes.
pub(super) fn standardized(real: Real, items: &[f64], order: i32, normal: f64) -> Expected {
    let Some(a) = Centred::of(real, items).filter(|a| a.spread > 0.0) else { return real.same(f64::NAN) };
    let scale = a.spread.powi(-order);
    let whole = scale * a.mean(|d| d.powi(order));
    let [size, lower] = [order, order - 1].map(|order| a.mean(|d| d.abs().powi(order)));
    let moved = scale * (32.0 * real.unit * size + 2.0 * f64::from(order) * a.step * lower);
    // Roundings of the mean square for each merge, relatively.
    let of_square = 8.0 * real.unit + 2.0 * a.step / a.spread;
    let each = 2.0 * moved + f64::from(order) * whole.abs() * of_square;
    let bound = Bound {
        exact: whole - normal,
        fixed: each + 16.0 * real.unit * (whole.abs() + 4.0) + scale * real.smallest * items.len() as f64,
        linear: each,
        quadratic: 32.0 * (a.step / a.spread).powi(2) * (1.0 + whole.abs()),
        root: None,
    };
    of_spread(real, &[&a], bound)
}

/// The mean of products with weights. Both sums have the errors of sums; their quotient has both, relatively.
pub(super) fn weighted_mean(real: Real, items: &[f64], weights: &[f64]) -> Expected {
    let pairs = || items.iter().zip(weights).map(|(x, w)| (x, w, x * w));
    let rest = |(x, w, product): (&f64, &f64, f64)| {
        [product, if product.is_finite() { x.mul_add(*w, -product) } else { 0.0 }]
    };
    let sum = exact_sum(pairs().flat_map(rest));
    let all = exact_sum(weights.iter().copied());
    if all == 0.0 || !sum.is_finite() || !all.is_finite() {
        return real.same(if all == 0.0 { f64::NAN } else { sum / all });
    }
    let [size, weight] =
        [pairs().map(|(_, _, product)| product.abs()).sum(), weights.iter().map(|w| w.abs()).sum()];
    let units = unit_below(real, size, items).zip(unit_below(real, size, weights));
    if let Some((unit, of_weights)) = units {
        let sum = exact_sum(pairs().map(|(x, w, _)| (x / unit) * (w / of_weights)));
        let mean = unit * (sum / exact_sum(weights.iter().map(|w| w / of_weights)));
        return Expected { answer: real.answer(mean), accept: Accept::OrderDecides };
    }
    let [above, below] = [additions(real, sum, size, items.len()), additions(real, all, weight, items.len())];
    let exact = sum / all;
    let moved = |above: f64, below: f64| 2.0 * (above + exact.abs() * below) / all.abs();
    let bound = Bound {
        exact,
        fixed: moved(above.fixed + 2.0 * real.unit * size, below.fixed)
            + 8.0 * real.unit * exact.abs()
            + real.smallest,
        linear: moved(above.linear, below.linear),
        ..Bound::default()
    };
    real.within(size.max(weight), bound)
}
