//! The layers that each GPU or rank gets. Pure arithmetic.

use std::ops::Range;

use halofold::stencil::Config;
use halofold::wgpu::COPY_BUFFER_ALIGNMENT;

/// The part of `len` things in a row that is the nth of `parts`: the parts make the whole, in their order, and their lengths differ by one
/// at most. The first is the shortest, the last the longest.
fn part(len: u64, nth: usize, parts: usize) -> Range<u64> {
    assert!(nth < parts, "part {nth} of {parts}");
    // 128 bits: a length times a number of parts.
    let bound = |nth: usize| (u128::from(len) * nth as u128 / parts as u128) as u64;
    bound(nth)..bound(nth + 1)
}

/// The part of a grid's layers that is the nth of `parts`: every part begins at a multiple of `unit` layers, and their lengths differ by about one
/// unit.
///
/// # Panics
///
/// If there is no such part.
pub fn part_of_layers(layers: u32, unit: u32, nth: usize, parts: usize) -> Range<u32> {
    let Range { start, end } = part(u64::from(layers / unit), nth, parts);
    start as u32 * unit..if nth + 1 == parts { layers } else { end as u32 * unit }
}

/// The layers that faces go by: they are copied in whole words, so layers of an odd number of 16-bit cells go by twos.
pub fn unit_of_layers(config: &Config) -> u32 {
    if config.layer_bytes().is_multiple_of(COPY_BUFFER_ALIGNMENT) { 1 } else { 2 }
}

/// As many of these steps as reach whole units of layers, at least one unit: the steps from one exchange of faces to the next.
pub(crate) fn whole_units(config: &Config, steps: u32) -> u32 {
    let unit = if config.stencil.radius().is_multiple_of(unit_of_layers(config)) { 1 } else { 2 };
    (steps / unit * unit).max(unit)
}

#[cfg(test)]
mod tests {
    use super::{part, part_of_layers};

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
    fn parts_begin_at_whole_units() {
        assert_eq!([0, 1, 2].map(|nth| part_of_layers(9, 2, nth, 3)), [0..2, 2..4, 4..9]);
        assert_eq!([0, 1].map(|nth| part_of_layers(1, 2, nth, 2)), [0..0, 0..1]);
    }
}
