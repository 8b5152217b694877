//! The layers that each GPU, rank or turn gets. Pure arithmetic.

use std::ops::Range;

use halofold::stencil::Config;
use halofold::wgpu::COPY_BUFFER_ALIGNMENT;

/// The largest share of a cut by speeds, of which the others are rounded to whole numbers.
const LARGEST_SHARE: f64 = (1_u64 << 40) as f64;

/// The part of `len` things in a row that is the nth of `parts`: the parts make the whole, in their order, and their lengths differ by one
/// at most. The first is the shortest, the last the longest.
///
/// ```
/// # use halofold_fleet::part;
/// assert_eq!([0, 1, 2].map(|nth| part(8, nth, 3)), [0..2, 2..5, 5..8]);
/// ```
///
/// # Panics
///
/// If there is no such part.
pub fn part(len: u64, nth: usize, parts: usize) -> Range<u64> {
    assert!(nth < parts, "part {nth} of {parts}");
    let bound = |nth: usize| bound(len, nth as u64, parts as u64);
    bound(nth)..bound(nth + 1)
}

/// The same of a grid's layers: every part begins at a multiple of `unit` layers.
pub fn part_of_layers(layers: u32, unit: u32, nth: usize, parts: usize) -> Range<u32> {
    let Range { start, end } = part(u64::from(layers / unit), nth, parts);
    start as u32 * unit..if nth + 1 == parts { layers } else { end as u32 * unit }
}

/// The layers that faces go by: they are copied in whole words, so layers of an odd number of 16-bit cells go by twos.
pub fn unit_of_layers(config: &Config) -> u32 {
    if config.layer_bytes().is_multiple_of(COPY_BUFFER_ALIGNMENT) { 1 } else { 2 }
}

/// As many of these steps as reach whole units of layers, at least one unit: the steps from one exchange of faces to the next.
pub fn whole_units(config: &Config, steps: u32) -> u32 {
    let unit = if config.stencil.radius().is_multiple_of(unit_of_layers(config)) { 1 } else { 2 };
    (steps / unit * unit).max(unit)
}

/// Cuts `layers` layers into one part for each share, in proportion, none with fewer than `least` layers. Every part begins at a
/// multiple of `unit` layers.
///
/// `None` if there are too few layers, no shares, or a share that is not a positive number.
pub fn split(layers: u32, shares: &[f64], least: u32, unit: u32) -> Option<Vec<Range<u32>>> {
    let parts = u32::try_from(shares.len()).ok().filter(|parts| *parts > 0)?;
    let largest = shares.iter().copied().fold(0.0, f64::max);
    if !(largest.is_finite() && shares.iter().all(|share| *share > 0.0)) {
        return None;
    }
    let unit = unit.max(1);
    let least = least.max(1).checked_next_multiple_of(unit)?;
    if layers < least.checked_mul(parts)? {
        return None;
    }
    let shares = shares.iter().map(|share| (share / largest * LARGEST_SHARE).round() as u64);
    let all = shares.clone().sum();
    let (mut begin, mut before) = (0, 0);
    let mut ranges = Vec::new();
    for (nth, share) in (1..=parts).zip(shares) {
        before += share;
        // A share that ends at a whole unit may end a little below it by rounding.
        let wanted = bound(u64::from(layers / unit), before + u64::from(parts), all) as u32 * unit;
        // Those that follow need their least, too.
        let most = (layers - least * (parts - nth)) / unit * unit;
        let end = if nth == parts { layers } else { wanted.clamp(begin + least, most) };
        ranges.push(begin..end);
        begin = end;
    }
    Some(ranges)
}

/// The end of the first `before` of `all` equal shares of `len` things.
fn bound(len: u64, before: u64, all: u64) -> u64 {
    // 128 bits: a length times a number of shares.
    (u128::from(len) * u128::from(before) / u128::from(all)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_layer_has_one_owner(
            layers in 1u32..10_000,
            shares in prop::collection::vec(1e-3..1e3, 1..9),
            least in 1u32..300,
            unit in 1u32..3,
        ) {
            let least_each = least.next_multiple_of(unit);
            match split(layers, &shares, least, unit) {
                None => prop_assert!(layers < least_each * shares.len() as u32),
                Some(parts) => {
                    prop_assert_eq!(parts.len(), shares.len());
                    prop_assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                    prop_assert!(parts.iter().all(|part| part.start % unit == 0 && part.end - part.start >= least));
                    prop_assert_eq!((parts[0].start, parts[parts.len() - 1].end), (0, layers));
                }
            }
        }

        #[test]
        fn equal_shares_are_equal_parts(layers in 1u32..10_000, count in 1usize..9, unit in 1u32..3) {
            let even: Vec<_> = (0..count).map(|nth| part_of_layers(layers, unit, nth, count)).collect();
            let parts = split(layers, &vec![0.7; count], 1, unit);
            prop_assert!(parts.is_none_or(|parts| parts == even), "{even:?}");
        }
    }

    #[test]
    fn parts_make_the_whole() {
        for len in [0, 1, 2, 6, 7, 8, 1000, u64::MAX] {
            for count in [1, 2, 3, 4, 7, 1024] {
                let parts: Vec<_> = (0..count).map(|nth| part(len, nth, count)).collect();
                assert_eq!((parts[0].start, parts[count - 1].end), (0, len));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                let lengths: Vec<_> = parts.iter().map(|part| part.end - part.start).collect();
                assert!(lengths.iter().all(|length| (lengths[0]..=lengths[count - 1]).contains(length)));
                assert!(lengths[count - 1] - lengths[0] <= 1, "{len} by {count}");
            }
        }
    }

    #[test]
    fn parts_are_in_proportion() {
        assert_eq!(split(100, &[1.0, 1.0], 1, 1), Some(vec![0..50, 50..100]));
        assert_eq!(split(100, &[3.0, 1.0], 1, 1), Some(vec![0..75, 75..100]));
        assert_eq!(split(100, &[3.0, 2.0], 1, 1), Some(vec![0..60, 60..100]));
        assert_eq!(split(100, &[1e9, 1.0], 8, 1), Some(vec![0..92, 92..100]));
        assert_eq!(split(7, &[1.0; 3], 2, 2), Some(vec![0..2, 2..4, 4..7]));
        assert_eq!(split(7, &[1.0, f64::NAN], 1, 1), None);
        assert_eq!(split(7, &[1.0, -1.0], 1, 1), None);
        assert_eq!(split(7, &[], 1, 1), None);
    }
}
