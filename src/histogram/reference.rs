//! The histogram on the CPU, with which the GPU's is compared.

use crate::histogram::keys::Keys;

/// Counts keys, given as their bits, and returns `bins` counts. Unlike
/// [`Config::check`](crate::histogram::Config::check) it takes any number of bins.
///
/// It only compares floats with [`Keys::borders`].
pub fn counts(keys: Keys, bins: u32, words: &[u32]) -> Vec<u32> {
    let borders = keys.borders(bins);
    let mut counts = vec![0u32; bins as usize];
    for &word in words {
        let bin = match &borders {
            None => Some(word as usize),
            Some(borders) => bin_between(borders, f32::from_bits(word)),
        };
        if let Some(count) = bin.and_then(|bin| counts.get_mut(bin)) {
            *count = count.wrapping_add(1);
        }
    }
    counts
}

/// The bin that contains a value. The last bin includes its upper border.
fn bin_between(borders: &[f32], x: f32) -> Option<usize> {
    let (lower, high) = borders.split_at(borders.len() - 1);
    let inside = x >= lower[0] && x <= high[0];
    inside.then(|| lower.partition_point(|border| *border <= x) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn floats(low: f32, high: f32, bins: u32, values: &[f32]) -> Vec<u32> {
        counts(Keys::Ranges { low, high }, bins, bytemuck::cast_slice(values))
    }

    #[test]
    fn the_last_bin_holds_the_high_end() {
        assert_eq!(floats(0.0, 3.0, 3, &[0.0, 1.0, 2.0, 3.0, 2.9, -0.0]), [2, 1, 3]);
    }

    #[test]
    fn elements_outside_the_range_are_not_counted() {
        let outside = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -1e-45, 1.000_000_1];
        assert_eq!(floats(0.0, 1.0, 2, &outside), [0, 0]);
        assert_eq!(counts(Keys::Numbers, 2, &[0, 1, 2, 1, u32::MAX]), [1, 2]);
    }
}
