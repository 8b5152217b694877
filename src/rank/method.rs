//! Methods of quantiles, and the positions that they compute.

use crate::parse::by_name;

/// How a quantile follows from sorted elements. The names and results are NumPy's: positions are computed in 64-bit floats, rounded as NumPy
/// 1.24 rounds them.
///
/// The quantile `q` of `n` elements has a position between 0 and `n - 1`. A method defines the position, and the result if it lies between
/// two elements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The first element with a share of at least `q` at or below it.
    InvertedCdf,
    /// The same; or the mean with the next element if the share is exactly `q`.
    AveragedInvertedCdf,
    /// The element whose index is nearest to `q * n`.
    ClosestObservation,
    /// Linear, at `q * n - 1`.
    InterpolatedInvertedCdf,
    /// Linear, at `q * n - 1 / 2`.
    Hazen,
    /// Linear, at `q * (n + 1) - 1`.
    Weibull,
    /// Linear, at `q * (n - 1)`.
    #[default]
    Linear,
    /// Linear, at `q * (n + 1 / 3) - 2 / 3`.
    MedianUnbiased,
    /// Linear, at `q * (n + 1 / 4) - 5 / 8`.
    NormalUnbiased,
    /// The element at or below `q * (n - 1)`.
    Lower,
    /// The element at or above `q * (n - 1)`.
    Higher,
    /// The mean of these two elements.
    Midpoint,
    /// The nearer of these two elements; in a tie, the one with the even index.
    Nearest,
}

impl Method {
    /// All methods, in NumPy's order.
    pub const ALL: [Method; 13] = [
        Method::InvertedCdf,
        Method::AveragedInvertedCdf,
        Method::ClosestObservation,
        Method::InterpolatedInvertedCdf,
        Method::Hazen,
        Method::Weibull,
        Method::Linear,
        Method::MedianUnbiased,
        Method::NormalUnbiased,
        Method::Lower,
        Method::Higher,
        Method::Midpoint,
        Method::Nearest,
    ];

    /// Returns the name in NumPy and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Method::InvertedCdf => "inverted_cdf",
            Method::AveragedInvertedCdf => "averaged_inverted_cdf",
            Method::ClosestObservation => "closest_observation",
            Method::InterpolatedInvertedCdf => "interpolated_inverted_cdf",
            Method::Hazen => "hazen",
            Method::Weibull => "weibull",
            Method::Linear => "linear",
            Method::MedianUnbiased => "median_unbiased",
            Method::NormalUnbiased => "normal_unbiased",
            Method::Lower => "lower",
            Method::Higher => "higher",
            Method::Midpoint => "midpoint",
            Method::Nearest => "nearest",
        }
    }

    /// Returns true if every result is an element, and has its type.
    pub const fn is_discrete(self) -> bool {
        matches!(
            self,
            Method::InvertedCdf
                | Method::ClosestObservation
                | Method::Lower
                | Method::Higher
                | Method::Nearest
        )
    }

    /// Returns the position of the quantile `q` among `n` elements, `n` > 0: two ranks from 0, and the weight of the upper one. The weight is below
    /// 1, and 0 if the ranks are equal. `q` is clamped to 0 to 1.
    pub fn position(self, q: f64, n: u64) -> (u64, u64, f64) {
        let q = if q > 0.0 { q.min(1.0) } else { 0.0 };
        let last = n.saturating_sub(1) as f64;
        let at = self.at(q, n as f64);
        let below = at.floor();
        let gamma = match self {
            _ if at < 0.0 || at >= last => 0.0,
            Method::AveragedInvertedCdf if at == below => 0.5,
            Method::AveragedInvertedCdf => 1.0,
            _ => at - below,
        };
        let lower = below.clamp(0.0, last) as u64;
        match gamma {
            0.0 => (lower, lower, gamma),
            1.0 => (lower + 1, lower + 1, 0.0),
            _ => (lower, lower + 1, gamma),
        }
    }

    /// Returns the position, which may lie outside all ranks. It is an integer for discrete methods.
    ///
    /// The order of operations is NumPy's, which decides how the position is rounded.
    fn at(self, q: f64, n: f64) -> f64 {
        let share = n * q - 1.0;
        let linear = (n - 1.0) * q;
        match self {
            Method::InvertedCdf => share.ceil(),
            Method::AveragedInvertedCdf => share,
            Method::ClosestObservation => {
                let at = share - 0.5;
                let below = at.floor();
                if at == below && below.rem_euclid(2.0) == 1.0 { below } else { below + 1.0 }
            }
            Method::Linear => linear,
            Method::Lower => linear.floor(),
            Method::Higher => linear.ceil(),
            Method::Midpoint => 0.5 * (linear.floor() + linear.ceil()),
            Method::Nearest => linear.round_ties_even(),
            _ => n * q + self.plotted(q) - 1.0,
        }
    }

    /// Returns the addend to `q * n - 1`, for methods that differ in the plotting positions of the first and last element.
    fn plotted(self, q: f64) -> f64 {
        let [alpha, beta] = match self {
            Method::InterpolatedInvertedCdf => [0.0, 1.0],
            Method::Hazen => [0.5; 2],
            Method::MedianUnbiased => [1.0 / 3.0; 2],
            Method::NormalUnbiased => [3.0 / 8.0; 2],
            // Weibull.
            _ => [0.0; 2],
        };
        alpha + q * (1.0 - alpha - beta)
    }

    /// Returns whether `q` multiplies `n - 1` instead of `n`, and what is added to the product before rounding.
    pub(super) fn line(self, q: f64) -> (bool, f64) {
        match self {
            Method::Linear | Method::Lower | Method::Higher | Method::Midpoint | Method::Nearest => {
                (true, 0.0)
            }
            Method::InvertedCdf | Method::AveragedInvertedCdf => (false, -1.0),
            Method::ClosestObservation => (false, -1.5),
            _ => (false, self.plotted(q) - 1.0),
        }
    }
}

by_name!(Method, "method", "methods");

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of elements, and quantiles of them.
    const CASES: [(u64, f64); 12] = [
        (1, 0.5),
        (2, 0.0),
        (2, 0.3),
        (2, 1.0),
        (3, 0.5),
        (7, 0.5),
        (11, 0.3),
        (10, 0.25),
        (12, 0.5),
        (1000, 0.999),
        ((1 << 24) + 1, 0.1),
        (1 << 32, 0.7),
    ];

    /// The positions that NumPy 2 computes, of the methods in order. NumPy 1 has others of closest_observation.
    #[rustfmt::skip]
    const EXPECTED: [[(u64, u64, f64); 12]; 13] = [
        // inverted_cdf
        [(0, 0, 0.0), (0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (3, 3, 0.0), (2, 2, 0.0), (5, 5, 0.0), (998, 998, 0.0), (1677721, 1677721, 0.0), (3006477107, 3006477107, 0.0)],
        // averaged_inverted_cdf
        [(0, 0, 0.0), (0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (3, 3, 0.0), (2, 2, 0.0), (5, 6, 0.5), (998, 999, 0.5), (1677721, 1677721, 0.0), (3006477107, 3006477107, 0.0)],
        // closest_observation
        [(0, 0, 0.0), (0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (2, 2, 0.0), (1, 1, 0.0), (5, 5, 0.0), (998, 998, 0.0), (1677721, 1677721, 0.0), (3006477106, 3006477106, 0.0)],
        // interpolated_inverted_cdf
        [(0, 0, 0.0), (0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (0, 1, 0.5), (2, 3, 0.5),
         (2, 3, 0.2999999999999998), (1, 2, 0.5), (5, 5, 0.0), (998, 998, 0.0), (1677720, 1677721, 0.7000000001862645), (3006477106, 3006477107, 0.19999980926513672)],
        // hazen
        [(0, 0, 0.0), (0, 0, 0.0), (0, 1, 0.10000000000000009), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (2, 3, 0.7999999999999998), (2, 2, 0.0), (5, 6, 0.5), (998, 999, 0.5), (1677721, 1677722, 0.20000000018626451), (3006477106, 3006477107, 0.6999998092651367)],
        // weibull
        [(0, 0, 0.0), (0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (2, 3, 0.5999999999999996), (1, 2, 0.75), (5, 6, 0.5), (998, 999, 0.9990000000000236), (1677720, 1677721, 0.8000000002793968), (3006477106, 3006477107, 0.8999996185302734)],
        // linear
        [(0, 0, 0.0), (0, 0, 0.0), (0, 1, 0.3), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (3, 3, 0.0), (2, 3, 0.25), (5, 6, 0.5), (998, 999, 0.0009999999999763531), (1677721, 1677722, 0.6000000000931323), (3006477106, 3006477107, 0.5)],
        // median_unbiased
        [(0, 0, 0.0), (0, 0, 0.0), (0, 1, 0.033333333333333215), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (2, 3, 0.7333333333333334), (1, 2, 0.9166666666666665), (5, 6, 0.5), (998, 999, 0.6663333333333412), (1677721, 1677722, 0.06666666688397527), (3006477106, 3006477107, 0.7666664123535156)],
        // normal_unbiased
        [(0, 0, 0.0), (0, 0, 0.0), (0, 1, 0.050000000000000044), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (2, 3, 0.75), (1, 2, 0.9375), (5, 6, 0.5), (998, 999, 0.6247499999999491), (1677721, 1677722, 0.10000000009313226), (3006477106, 3006477107, 0.75)],
        // lower
        [(0, 0, 0.0), (0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (3, 3, 0.0), (2, 2, 0.0), (5, 5, 0.0), (998, 998, 0.0), (1677721, 1677721, 0.0), (3006477106, 3006477106, 0.0)],
        // higher
        [(0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (3, 3, 0.0), (3, 3, 0.0), (6, 6, 0.0), (999, 999, 0.0), (1677722, 1677722, 0.0), (3006477107, 3006477107, 0.0)],
        // midpoint
        [(0, 0, 0.0), (0, 0, 0.0), (0, 1, 0.5), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (3, 3, 0.0), (2, 3, 0.5), (5, 6, 0.5), (998, 999, 0.5), (1677721, 1677722, 0.5), (3006477106, 3006477107, 0.5)],
        // nearest
        [(0, 0, 0.0), (0, 0, 0.0), (0, 0, 0.0), (1, 1, 0.0), (1, 1, 0.0), (3, 3, 0.0),
         (3, 3, 0.0), (2, 2, 0.0), (6, 6, 0.0), (998, 998, 0.0), (1677722, 1677722, 0.0), (3006477106, 3006477106, 0.0)],
    ];

    #[test]
    fn positions_are_those_of_numpy() {
        for (method, expected) in Method::ALL.into_iter().zip(EXPECTED) {
            for ((n, q), expected) in CASES.into_iter().zip(expected) {
                assert_eq!(method.position(q, n), expected, "{method}: {q} of {n}");
            }
        }
    }

    #[test]
    fn names_round_trip() {
        for method in Method::ALL {
            assert_eq!(method.name().parse::<Method>().unwrap(), method);
        }
        assert!("median".parse::<Method>().unwrap_err().to_string().contains("median_unbiased"));
    }
}
