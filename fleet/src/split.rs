//! How many layers each GPU gets. Pure arithmetic.

use std::ops::Range;

/// Cuts `layers` layers into one part for each share, in proportion, none with fewer than `least` layers. Every part begins at a
/// multiple of `unit` layers.
///
/// `None` if there are too few layers, no shares, or a share that is not a positive number.
pub fn split(layers: u32, shares: &[f64], least: u32, unit: u32) -> Option<Vec<Range<u32>>> {
    let parts = u32::try_from(shares.len()).ok().filter(|parts| *parts > 0)?;
    let all: f64 = shares.iter().sum();
    if !(all.is_finite() && shares.iter().all(|share| *share > 0.0)) {
        return None;
    }
    let unit = unit.max(1);
    let least = least.max(1).checked_next_multiple_of(unit)?;
    if layers < least.checked_mul(parts)? {
        return None;
    }
    let (mut begin, mut share) = (0, 0.0);
    let mut ranges = Vec::new();
    for (nth, own) in (1..=parts).zip(shares) {
        share += own;
        let wanted = (share / all * f64::from(layers) / f64::from(unit)).round() as u32 * unit;
        // Those that follow need their least, too.
        let most = (layers - least * (parts - nth)) / unit * unit;
        let end = if nth == parts { layers } else { wanted.clamp(begin + least, most) };
        ranges.push(begin..end);
        begin = end;
    }
    Some(ranges)
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
    }

    #[test]
    fn parts_are_in_proportion() {
        assert_eq!(split(100, &[1.0, 1.0], 1, 1), Some(vec![0..50, 50..100]));
        assert_eq!(split(100, &[3.0, 1.0], 1, 1), Some(vec![0..75, 75..100]));
        assert_eq!(split(100, &[1e9, 1.0], 8, 1), Some(vec![0..92, 92..100]));
        assert_eq!(split(7, &[1.0; 3], 2, 2), Some(vec![0..2, 2..4, 4..7]));
        assert_eq!(split(7, &[1.0, f64::NAN], 1, 1), None);
        assert_eq!(split(7, &[1.0, -1.0], 1, 1), None);
        assert_eq!(split(7, &[], 1, 1), None);
    }
}
