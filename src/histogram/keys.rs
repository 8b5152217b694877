//! Keys, and the borders of bins.

use std::sync::Arc;

use crate::element::ordered;
use crate::gpu::error::Error;

/// The type of keys, and how a key selects its bin.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Keys {
    /// `u32`: the key is the bin's index. Other keys are ignored.
    Numbers,
    /// `f32`: equal ranges from `low` to `high`, both finite.
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
    /// `f32`: a list of borders, one more than bins, in ascending order. They bound bins as in [`Keys::Ranges`] and NumPy's `bins=edges`.
    /// A bin between equal levels is empty, except for the last. Levels may be infinite. Each key takes a binary search.
    Levels(Arc<[f32]>),
    /// `u32`: a list of borders, as for [`Keys::Levels`]. Each key takes a binary search, unless borders are equidistant up to 1, and at least 64 apart.
    ///
    /// Signed integers become keys by a [`Map`](crate::Map) that keeps their order: `bitcast<u32>(elem) ^ 0x80000000u`.
    U32Levels(Arc<[u32]>),
    /// 64-bit unsigned integers as two words, the lower one first; in a map, a `vec2<u32>`. No device feature is needed.
    ///
    /// Without a map, elements are keys. Other types become keys by a map that keeps their order: flip the sign bit of the upper word
    /// for `i64` and for an `f64` that is not negative; flip all bits of a negative `f64`.
    U64Levels(Arc<[u64]>),
}

impl Keys {
    /// Returns the borders of the bins, one more than bins, in ascending order; `None` for integer keys. Two borders are equal if a range is
    /// narrower than the distance between two floats; the bin between them is empty.
    pub fn borders(&self, bins: u32) -> Option<Vec<f32>> {
        let (low, high) = match self {
            Keys::Numbers | Keys::U32Levels(_) | Keys::U64Levels(_) => return None,
            Keys::Levels(levels) => return Some(levels.to_vec()),
            Keys::Ranges { low, high } => (*low, *high),
        };
        let step = (f64::from(high) - f64::from(low)) / f64::from(bins);
        let border = |i| (f64::from(i) * step + f64::from(low)) as f32;
        Some((0..bins).map(|i| border(i).min(high)).chain([high]).collect())
    }

    /// Returns a key's type in WGSL, and its number of 32-bit words.
    pub(super) fn wgsl(&self) -> (&'static str, u32) {
        match self {
            Keys::Numbers | Keys::U32Levels(_) => ("u32", 1),
            Keys::Ranges { .. } | Keys::Levels(_) => ("f32", 1),
            Keys::U64Levels(_) => ("vec2<u32>", 2),
        }
    }

    /// Checks the range or the levels.
    pub(super) fn check(&self, bins: u32) -> Result<(), Error> {
        let (rises, levels) = match self {
            Keys::Ranges { low, high } if !(low.is_finite() && high.is_finite() && low < high) => {
                let remedy = "both must be finite, and the first less than the second";
                return Err(Error::setting("range", format!("ranges from {low} to {high}: {remedy}")));
            }
            Keys::Numbers | Keys::Ranges { .. } => return Ok(()),
            Keys::Levels(levels) => (levels.is_sorted(), levels.len()),
            Keys::U32Levels(levels) => (levels.is_sorted(), levels.len()),
            Keys::U64Levels(levels) => (levels.is_sorted(), levels.len()),
        };
        if rises && levels == bins as usize + 1 {
            return Ok(());
        }
        let remedy = "list one level more than there are bins, none below the one before, none NaN";
        Err(Error::setting("levels", format!("{levels} levels for {bins} bins: {remedy}")))
    }

    /// Returns the first and the last key of each bin as ordered integers; for 64-bit keys, all levels.
    pub(super) fn table(&self, bins: u32) -> Vec<u32> {
        let order: Vec<_> = match self {
            Keys::U64Levels(levels) => return bytemuck::cast_slice(levels).to_vec(),
            Keys::U32Levels(levels) => levels.to_vec(),
            _ => self.borders(bins).into_iter().flatten().map(ordered).collect(),
        };
        // An empty bin may begin at 0.
        let mut pairs: Vec<_> =
            order.windows(2).flat_map(|pair| [pair[0], pair[1].wrapping_sub(1)]).collect();
        // The last bin includes its upper border.
        if let Some(last) = pairs.last_mut() {
            *last = last.wrapping_add(1);
        }
        pairs
    }
}
