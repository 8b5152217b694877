//! The keys, and the borders of the bins.

use crate::histogram::error::HistogramError;

/// The largest number of bins.
pub(super) const MAX_BINS: u32 = 65_536;

/// The type of the keys, and the rule by which a key belongs to a bin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Keys {
    /// `u32`: a key is the index of its bin. A key that is not the index of a bin is ignored.
    Numbers,
    /// `f32`: the bins are equal ranges from `low` to `high`, both finite.
    ///
    /// As in NumPy, a bin includes its lower border and excludes its upper one, but the last bin also
    /// includes `high`. Border i of n is the `f32` nearest to `low + i * ((high - low) / n)`, computed in
    /// `f64`. A value is therefore in bin `floor((x - low) * n / (high - low))`, except near a border, where
    /// that formula may round to another bin. There the borders decide: see [`Keys::borders`]. NaN and values
    /// outside the range are ignored; −0 is 0.
    Ranges {
        /// The lower border of the first bin.
        low: f32,
        /// The upper border of the last bin, which includes it.
        high: f32,
    },
}

impl Keys {
    /// The borders of the bins, one more than there are bins; `None` for [`Keys::Numbers`]. Needs no device.
    ///
    /// They never decrease. Two borders are equal if a range is narrower than the distance between two
    /// floats. The bin between them is then empty.
    pub fn borders(self, bins: u32) -> Option<Vec<f32>> {
        let Keys::Ranges { low, high } = self else { return None };
        let step = (f64::from(high) - f64::from(low)) / f64::from(bins);
        let border = |i| (f64::from(i) * step + f64::from(low)) as f32;
        Some((0..bins).map(|i| border(i).min(high)).chain([high]).collect())
    }

    /// Checks the number of bins and the ends of the range.
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

/// An integer that orders like the float, as the kernel computes it. −0 is 0.
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
    fn bin_borders_ascend() {
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
