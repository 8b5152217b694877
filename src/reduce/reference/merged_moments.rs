//! Moments of parts, merged in 64 bits: of one variable up to the fourth, and of two.

use crate::reduce::op::Op;

/// A mean as the sum of two floats.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mean {
    pub(super) high: f64,
    pub(super) low: f64,
}

impl Mean {
    /// Moves it by a share of the way to another one, and returns the way.
    fn approach(&mut self, other: Mean, share: f64) -> f64 {
        let distance = (other.high - self.high) + (other.low - self.low);
        let (step, high) = (distance * share, self.high + distance * share);
        self.low += step - (high - self.high);
        self.high = high;
        distance
    }
}

/// The power of two next below a distance; 0 of 0. Distances are divided by it before they are multiplied (`running_mean.wgsl`).
pub(super) fn unit_of(distance: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    f64::from_bits(distance.to_bits() & EXPONENT).min(1022f64.exp2())
}

/// The quotient of two units; 0 of those in which everything is 0.
fn ratio(unit: f64, larger: f64) -> f64 {
    if larger == 0.0 { 0.0 } else { unit / larger }
}

/// A number of pairs, both means, and the sums of squared distances from them and of their products, in units of x and of y.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CoMoments {
    pub(super) n: f64,
    pub(super) x: Mean,
    pub(super) y: Mean,
    pub(super) units: [f64; 2],
    pub(super) squares: [f64; 2],
    pub(super) products: f64,
}

impl CoMoments {
    pub(super) fn merge(&mut self, part: CoMoments) {
        if self.n == 0.0 || part.n == 0.0 {
            *self = if self.n == 0.0 { part } else { *self };
            return;
        }
        let share = part.n / (self.n + part.n);
        let weight = self.n * share;
        let distances = [self.x.approach(part.x, share), self.y.approach(part.y, share)];
        let units = [0, 1].map(|at| self.units[at].max(part.units[at]).max(unit_of(distances[at])));
        let [x, y] = [0, 1].map(|at| ratio(distances[at], units[at]));
        let (own, other) = (self.in_units(units), part.in_units(units));
        self.squares = [
            own.squares[0] + other.squares[0] + x * x * weight,
            own.squares[1] + other.squares[1] + y * y * weight,
        ];
        self.products = own.products + other.products + x * y * weight;
        self.units = units;
        self.n += part.n;
    }

    /// The same in larger units.
    fn in_units(&self, units: [f64; 2]) -> Self {
        let [x, y] = [0, 1].map(|at| ratio(self.units[at], units[at]));
        let squares = [self.squares[0] * x * x, self.squares[1] * y * y];
        CoMoments { squares, products: self.products * x * y, units, ..*self }
    }

    pub(super) fn covariance(&self, n: f64) -> f64 {
        // An infinity leaves no rest of a mean.
        let rest = 0.0 * (self.x.low + self.y.low);
        let [x, y] = self.units;
        // Elements were halved.
        self.products / n * x.max(y) * x.min(y) * 4.0 + rest
    }

    pub(super) fn correlation(&self) -> f64 {
        let [x, y] = self.squares;
        if x == 0.0 || y == 0.0 { f64::NAN } else { (self.products / x.sqrt() / y.sqrt()).clamp(-1.0, 1.0) }
    }
}

/// A number of elements, their mean, and the sums of the second, third and fourth powers of distances from it, in a unit.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HighMoments {
    pub(super) n: f64,
    pub(super) mean: Mean,
    pub(super) unit: f64,
    pub(super) powers: [f64; 3],
}

impl HighMoments {
    /// Moves both parts to the common mean, by the binomial theorem: their own sums of distances are zero.
    pub(super) fn merge(&mut self, part: HighMoments) {
        if self.n == 0.0 || part.n == 0.0 {
            *self = if self.n == 0.0 { part } else { *self };
            return;
        }
        let share = part.n / (self.n + part.n);
        let distance = self.mean.approach(part.mean, share);
        let unit = self.unit.max(part.unit).max(unit_of(distance));
        let distance = ratio(distance, unit);
        let own = self.in_unit(unit).moved(-distance * share);
        let other = part.in_unit(unit).moved(distance * (1.0 - share));
        self.powers = std::array::from_fn(|power| own[power] + other[power]);
        self.unit = unit;
        self.n += part.n;
    }

    /// The same in a larger unit.
    fn in_unit(&self, unit: f64) -> Self {
        let ratio = ratio(self.unit, unit);
        let [m2, m3, m4] = self.powers;
        HighMoments { powers: [m2 * ratio.powi(2), m3 * ratio.powi(3), m4 * ratio.powi(4)], unit, ..*self }
    }

    /// The sums of powers of distances that are larger by `by`.
    fn moved(&self, by: f64) -> [f64; 3] {
        let [m2, m3, m4] = self.powers;
        let square = by * by;
        [
            m2 + self.n * square,
            m3 + by * (3.0 * m2 + self.n * square),
            m4 + by * (4.0 * m3 + by * (6.0 * m2 + self.n * square)),
        ]
    }

    /// The sum of squared distances in the unit.
    pub(super) fn squares(&self) -> f64 {
        // An infinity leaves no rest of a mean.
        self.powers[0] + 0.0 * self.mean.low
    }

    /// The skewness, or the kurtosis less 3.
    pub(super) fn standardized(&self, op: Op) -> f64 {
        let [m2, m3, m4] = self.powers.map(|sum| sum / self.n);
        match op {
            _ if m2 == 0.0 => f64::NAN,
            Op::Skewness => m3 / m2 / m2.sqrt(),
            _ => m4 / m2 / m2 - 3.0,
        }
    }
}
