//! Methods of quantiles, and the positions that they compute.

use crate::parse::named_values;

named_values! {
    /// How a quantile follows from sorted elements. The names and results are NumPy's: positions are computed in 64-bit floats, rounded as
    /// NumPy 1.24 rounds them.
    ///
    /// The quantile `q` of `n` elements has a position between 0 and `n - 1`. A method defines the position, and the result if it lies between
    /// two elements.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum Method("method", "methods") {
        /// The first element with a share of at least `q` at or below it.
        InvertedCdf = "inverted_cdf",
        /// The same; or the mean with the next element if the share is exactly `q`.
        AveragedInvertedCdf = "averaged_inverted_cdf",
        /// The element whose index is nearest to `q * n`.
        ClosestObservation = "closest_observation",
        /// Linear, at `q * n - 1`.
        InterpolatedInvertedCdf = "interpolated_inverted_cdf",
        /// Linear, at `q * n - 1 / 2`.
        Hazen = "hazen",
        /// Linear, at `q * (n + 1) - 1`.
        Weibull = "weibull",
        /// Linear, at `q * (n - 1)`.
        #[default]
        Linear = "linear",
        /// Linear, at `q * (n + 1 / 3) - 2 / 3`.
        MedianUnbiased = "median_unbiased",
        /// Linear, at `q * (n + 1 / 4) - 5 / 8`.
        NormalUnbiased = "normal_unbiased",
        /// The element at or below `q * (n - 1)`.
        Lower = "lower",
        /// The element at or above `q * (n - 1)`.
        Higher = "higher",
        /// The mean of these two elements.
        Midpoint = "midpoint",
        /// The nearer of these two elements; in a tie, the one with the even index.
        Nearest = "nearest",
    }
}

impl Method {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of elements, and quantiles of them.
    const LENS: [u64; 12] = [1, 2, 2, 2, 3, 7, 11, 10, 12, 1000, (1 << 24) + 1, 1 << 32];
    const QUANTILES: [f64; 12] = [0.5, 0.0, 0.3, 1.0, 0.5, 0.5, 0.3, 0.25, 0.5, 0.999, 0.1, 0.7];

    /// The positions that NumPy 2 computes, of the methods in order. NumPy 1 has others of closest_observation.
    #[rustfmt::skip]
    const EXPECTED: [[f64; 12]; 13] = [
        [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 2.0, 5.0, 998.0, 1677721.0, 3006477107.0],
        [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 2.0, 5.5, 998.5, 1677721.0, 3006477107.0],
        [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 2.0, 1.0, 5.0, 998.0, 1677721.0, 3006477106.0],
        [0.0, 0.0, 0.0, 1.0, 0.5, 2.5, 2.3, 1.5, 5.0, 998.0, 1677720.7000000002, 3006477106.2],
        [0.0, 0.0, 0.10000000000000009, 1.0, 1.0, 3.0, 2.8, 2.0, 5.5, 998.5, 1677721.2000000002, 3006477106.7],
        [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 2.5999999999999996, 1.75, 5.5, 998.999, 1677720.8000000003, 3006477106.8999996],
        [0.0, 0.0, 0.3, 1.0, 1.0, 3.0, 3.0, 2.25, 5.5, 998.001, 1677721.6, 3006477106.5],
        [0.0, 0.0, 0.033333333333333215, 1.0, 1.0, 3.0, 2.7333333333333334, 1.9166666666666665, 5.5, 998.6663333333333, 1677721.066666667, 3006477106.7666664],
        [0.0, 0.0, 0.050000000000000044, 1.0, 1.0, 3.0, 2.75, 1.9375, 5.5, 998.62475, 1677721.1, 3006477106.75],
        [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 2.0, 5.0, 998.0, 1677721.0, 3006477106.0],
        [0.0, 0.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 6.0, 999.0, 1677722.0, 3006477107.0],
        [0.0, 0.0, 0.5, 1.0, 1.0, 3.0, 3.0, 2.5, 5.5, 998.5, 1677721.5, 3006477106.5],
        [0.0, 0.0, 0.0, 1.0, 1.0, 3.0, 3.0, 2.0, 6.0, 998.0, 1677722.0, 3006477106.0],
    ];

    #[test]
    fn positions_are_those_of_numpy() {
        for (method, expected) in Method::ALL.into_iter().zip(EXPECTED) {
            for ((n, q), at) in LENS.into_iter().zip(QUANTILES).zip(expected) {
                let position = (at.floor() as u64, at.ceil() as u64, at.fract());
                assert_eq!(method.position(q, n), position, "{method}: {q} of {n}");
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
