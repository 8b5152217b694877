//! Groups: labels of elements as numbers without gaps.

use halofold::Element;
use rayon::prelude::*;

use super::lines::each;

/// Labels that lie closer together are counted in a table, others are sorted.
const TABLE: u64 = 1 << 24;

/// The different labels of integers, as keys that order like them, and the number of each element's.
pub fn numbered(element: Element, bytes: &[u8]) -> (Vec<u64>, Vec<u32>) {
    let labels: Vec<u64> =
        bytes.chunks_exact(element.size() as usize).map(|bytes| key(element, bytes)).collect();
    let least = labels.iter().min().copied().unwrap_or(0);
    let most = labels.iter().max().copied().unwrap_or(0);
    if most - least >= TABLE {
        let mut keys = labels.clone();
        keys.par_sort_unstable();
        keys.dedup();
        let groups = labels.par_iter().map(|label| keys.partition_point(|key| key < label) as u32).collect();
        return (keys, groups);
    }
    let mut table = vec![0u32; (most - least) as usize + 1];
    labels.iter().for_each(|label| table[(label - least) as usize] = 1);
    let keys: Vec<_> =
        (0u64..).zip(&table).filter(|(_, is_there)| **is_there == 1).map(|(at, _)| least + at).collect();
    let keys = if labels.is_empty() { Vec::new() } else { keys };
    (0u32..).zip(&keys).for_each(|(number, key)| table[(key - least) as usize] = number);
    let groups = labels.iter().map(|label| table[(label - least) as usize]).collect();
    (keys, groups)
}

/// An integer as a key that orders like it.
fn key(element: Element, bytes: &[u8]) -> u64 {
    use bytemuck::pod_read_unaligned as read;
    match element {
        Element::I32 => u64::from(read::<u32>(bytes) ^ 1 << 31),
        Element::I64 => read::<u64>(bytes) ^ 1 << 63,
        Element::U64 => read(bytes),
        _ => read::<u32>(bytes).into(),
    }
}

/// The line of each element of `rows` rows of `len` elements: a line is a group in a row, and the lines of a group are next to each other.
/// `groups` are those of all elements, or of the places in a row.
pub fn lines_of_groups(groups: &[u32], rows: u64, len: u64) -> Vec<u32> {
    let mut lines = vec![0u32; (rows * len) as usize];
    each(&mut lines, &|element, line| {
        let (row, place) = (element as u64 / len, element as u64 % len);
        let group = if groups.len() as u64 == len { groups[place as usize] } else { groups[element] };
        *line = group * rows as u32 + row as u32;
    });
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_numbered_in_order() {
        let of = |labels: &[u64]| numbered(Element::U64, bytemuck::cast_slice(labels));
        assert_eq!(of(&[7, 3, 7, 9]), (vec![3, 7, 9], vec![1, 0, 1, 2]));
        assert_eq!(of(&[1 << 40, 3, 1 << 40]), (vec![3, 1 << 40], vec![1, 0, 1]));
        assert_eq!(of(&[]), (Vec::new(), Vec::new()));
        let signed = [0, i32::MIN, -1, i32::MAX];
        assert_eq!(numbered(Element::I32, bytemuck::cast_slice(&signed)).1, [2, 0, 1, 3]);
    }

    #[test]
    fn groups_of_a_row_are_lines_of_their_own() {
        assert_eq!(lines_of_groups(&[1, 0, 1], 2, 3), [2, 0, 2, 3, 1, 3]);
    }
}
