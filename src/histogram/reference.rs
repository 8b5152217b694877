//! The histogram on the CPU, with which the GPU's is compared.

use crate::histogram::keys::Keys;

/// Counts keys, given as their bits, and returns `bins` counts, of any number. It only compares keys with their borders.
pub fn counts(keys: &Keys, bins: u32, words: &[u32]) -> Vec<u32> {
    let mut counts = vec![0u32; bins as usize];
    let floats = keys.borders(bins).unwrap_or_default();
    let step = if matches!(keys, Keys::U64Levels(_)) { 2 } else { 1 };
    for key in words.chunks_exact(step) {
        let bin = match keys {
            Keys::Numbers => Some(key[0] as usize),
            Keys::U32Levels(levels) => bin_between(levels, key[0]),
            Keys::U64Levels(levels) => bin_between(levels, u64::from(key[1]) << 32 | u64::from(key[0])),
            Keys::Ranges { .. } | Keys::Levels(_) => bin_between(&floats, f32::from_bits(key[0])),
        };
        if let Some(count) = bin.and_then(|bin| counts.get_mut(bin)) {
            *count = count.wrapping_add(1);
        }
    }
    counts
}

/// The bin that contains a value. The last bin includes its upper border.
fn bin_between<T: PartialOrd>(borders: &[T], x: T) -> Option<usize> {
    let (lower, high) = borders.split_at(borders.len() - 1);
    let inside = x >= lower[0] && x <= high[0];
    inside.then(|| lower.partition_point(|border| *border <= x) - 1)
}
