//! The histogram on the CPU, with which the GPU's is compared.

use crate::histogram::keys::Keys;

/// Counts keys, given as their bits, and returns `bins` counts, of any number. It only compares floats with [`Keys::borders`].
pub fn counts(keys: &Keys, bins: u32, words: &[u32]) -> Vec<u32> {
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
