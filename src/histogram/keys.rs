//! What is counted, and where one bin ends.

use crate::histogram::error::HistogramError;

/// The most bins a histogram may have.
pub(super) const MAX_BINS: u32 = 65_536;

/// What the keys are, and which bin one belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Keys {
    /// `u32`: a key is the number of its bin. One that is no bin's number is counted nowhere.
    Numbers,
    /// `f32` in bins that are equal ranges from `low` to `high`, both finite.
    ///
    /// As in NumPy a bin holds its lower border and not its upper one, but the last bin holds `high` as well. The border
    /// number i of n is the `f32` nearest to `low + i * ((high - low) / n)`, that being computed in `f64`; so a value is in
    /// the bin of the formula `floor((x - low) * n / (high - low))` unless it is so near to a border that rounding decides,
    /// and then the border decides: see [`Keys::borders`]. NaN and what is outside is counted nowhere; −0 is 0.
    Ranges {
        /// The lower border of the first bin.
        low: f32,
        /// The upper border of the last bin, which it holds.
        high: f32,
    },
}

impl Keys {
    /// The borders of the bins, one more than bins; `None` where keys are numbers. Needs no device.
    ///
    /// They never fall. Two are equal where a range is narrower than the distance of two floats; the bin between them is empty.
    pub fn borders(self, bins: u32) -> Option<Vec<f32>> {
        let Keys::Ranges { low, high } = self else { return None };
        let step = (f64::from(high) - f64::from(low)) / f64::from(bins);
        let border = |i| (f64::from(i) * step + f64::from(low)) as f32;
        Some((0..bins).map(|i| border(i).min(high)).chain([high]).collect())
    }

    /// Checks the number of bins, and the ends of the ranges.
    pub(super) fn check(self, bins: u32) -> Result<(), HistogramError> {
        if !(1..=MAX_BINS).contains(&bins) {
            return Err(HistogramError::Bins(bins));
        }
        match self {
            Keys::Ranges { low, high } if !(low.is_finite() && high.is_finite() && low < high) => {
                Err(HistogramError::Range { low, high })
            }
            _ => Ok(()),
        }
    }
}

/// A float's place in the order of floats, as the kernel computes it: −0 is 0.
pub(super) fn order(x: f32) -> u32 {
    let bits = if x == 0.0 { 0 } else { x.to_bits() };
    bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_floats() {
        let rising = [
            f32::NEG_INFINITY,
            f32::MIN,
            -1.0,
            -f32::MIN_POSITIVE,
            -1e-45,
            0.0,
            1e-45,
            f32::MIN_POSITIVE,
            1.0,
            f32::MAX,
            f32::INFINITY,
        ];
        assert!(rising.windows(2).all(|pair| order(pair[0]) < order(pair[1])));
        assert_eq!(order(-0.0), order(0.0));
        assert!(order(f32::NAN) > order(f32::INFINITY) && order(-f32::NAN) < order(f32::NEG_INFINITY));
    }

    #[test]
    fn borders_never_fall() {
        for (low, high) in [(0.0, 1.0), (-3.0, 7.0), (1.0, 1.000_001), (f32::MIN, f32::MAX), (0.0, 1e-44)] {
            for bins in [1, 2, 10, 1000, MAX_BINS] {
                let borders = Keys::Ranges { low, high }.borders(bins).unwrap();
                assert_eq!(borders.len(), bins as usize + 1);
                assert_eq!((borders[0], borders[bins as usize]), (low, high));
                assert!(borders.windows(2).all(|pair| pair[0] <= pair[1]), "{low} to {high}, {bins}");
            }
        }
    }
}
