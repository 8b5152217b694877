//! The keys, and the borders of the bins.

use std::sync::Arc;

use crate::element::ordered;
use crate::histogram::error::HistogramError;

/// The type of the keys, and the rule by which a key belongs to a bin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Keys {
    /// `u32`: a key is the index of its bin. A key that is not the index of a bin is ignored.
    Numbers,
    /// `f32`: the bins are equal ranges from `low` to `high`, both finite.
    ///
    /// As in NumPy, a bin includes its lower border and excludes its upper one, but the last bin also includes `high`. Border i of n
    /// is the `f32` nearest to `low + i * ((high - low) / n)`, computed in `f64`. A value is therefore in bin
    /// `floor((x - low) * n / (high - low))`, except near a border, where that formula may round to another bin. There the borders
    /// decide: see [`Keys::borders`]. NaN and values outside the range are ignored; −0 is 0.
    Ranges {
        /// The lower border of the first bin.
        low: f32,
        /// The upper border of the last bin, which includes it.
        high: f32,
    },
    /// `f32`: the borders of the bins are listed, one more than there are bins, and none below the one before. They belong to bins
    /// as those of [`Keys::Ranges`] do, and as NumPy's `bins=edges`. A bin between two equal levels stays empty, unless it is the
    /// last. Levels may be infinite. Each key takes a binary search.
    Levels(Arc<[f32]>),
}

impl Keys {
    /// The borders of the bins, one more than there are bins; `None` for [`Keys::Numbers`]. They never decrease. Two borders are
    /// equal if a range is narrower than the distance between two floats. The bin between them is then empty.
    pub fn borders(&self, bins: u32) -> Option<Vec<f32>> {
        let (low, high) = match self {
            Keys::Numbers => return None,
            Keys::Levels(levels) => return Some(levels.to_vec()),
            Keys::Ranges { low, high } => (*low, *high),
        };
        let step = (f64::from(high) - f64::from(low)) / f64::from(bins);
        let border = |i| (f64::from(i) * step + f64::from(low)) as f32;
        Some((0..bins).map(|i| border(i).min(high)).chain([high]).collect())
    }

    /// The lowest and the highest float that are counted; `None` for [`Keys::Numbers`].
    pub(super) fn ends(&self) -> Option<(f32, f32)> {
        match self {
            Keys::Numbers => None,
            Keys::Ranges { low, high } => Some((*low, *high)),
            Keys::Levels(levels) => Some((levels[0], levels[levels.len() - 1])),
        }
    }

    /// Checks the ends of the range, or the levels.
    pub(super) fn check(&self, bins: u32) -> Result<(), HistogramError> {
        match self {
            Keys::Ranges { low, high } if !(low.is_finite() && high.is_finite() && low < high) => {
                Err(HistogramError::Range { low: *low, high: *high })
            }
            Keys::Levels(levels) if levels.len() != bins as usize + 1 || !levels.is_sorted() => {
                Err(HistogramError::Levels { levels: levels.len(), bins })
            }
            _ => Ok(()),
        }
    }

    /// The first and the last float of each bin, as ordered integers; one unused pair for [`Keys::Numbers`].
    pub(super) fn table(&self, bins: u32) -> Vec<u32> {
        let Some(borders) = self.borders(bins) else { return vec![0; 2] };
        let order: Vec<_> = borders.iter().map(|border| ordered(*border)).collect();
        let mut pairs: Vec<_> = order.windows(2).flat_map(|pair| [pair[0], pair[1] - 1]).collect();
        // The last bin includes its upper border.
        if let Some(last) = pairs.last_mut() {
            *last += 1;
        }
        pairs
    }
}
