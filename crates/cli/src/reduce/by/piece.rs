//! The elements of a piece in the order in which the GPU reduces them by group.
//!
//! A group of a piece is cut into runs whose lengths are powers of two, the longest first: 13 elements are runs of 8, 4 and 1. All runs of one
//! length lie together, and one dispatch makes a state of each. So any number of groups of any sizes takes few dispatches.

use std::mem;

/// The longest run, as a power of two.
const LONGEST: u32 = 16;

/// Some elements of a group.
pub struct Run {
    pub group: u32,
    /// The elements of the group in this piece that come before.
    begin: u64,
}

/// Runs of one length next to each other.
pub struct Runs<'a> {
    pub all: &'a [Run],
    pub len: u64,
    /// The element at which the first begins.
    pub start: u64,
}

/// A piece.
pub struct Piece {
    pub bytes: Vec<u8>,
    /// The groups that have elements, and how many.
    pub counts: Vec<(u32, u64)>,
    /// The runs of each length, by its power of two, and the element at which they begin.
    powers: Vec<(u32, u64, Vec<Run>)>,
}

impl Piece {
    /// Sorts elements of `size` bytes by the group of each, of which there are so many.
    pub fn new(elements: &[u8], size: usize, numbers: &[u32], groups: usize) -> Self {
        let mut places = vec![0; groups];
        numbers.iter().for_each(|number| places[*number as usize] += 1);
        let (mut counts, mut begin) = (Vec::new(), 0);
        for (number, place) in (0..).zip(&mut places) {
            let count = mem::replace(place, begin);
            begin += count;
            counts.extend(Some((number, count as u64)).filter(|_| count > 0));
        }
        let mut sorted = vec![0; elements.len()];
        for (element, number) in elements.chunks_exact(size).zip(numbers) {
            let place = &mut places[*number as usize];
            sorted[*place * size..][..size].copy_from_slice(element);
            *place += 1;
        }
        let (mut bytes, mut powers) = (Vec::with_capacity(sorted.len()), Vec::new());
        let mut done = vec![0; counts.len()];
        for power in (0..=LONGEST).rev() {
            let (start, len) = ((bytes.len() / size) as u64, 1 << power);
            let mut runs = Vec::new();
            let mut first = 0;
            for ((group, count), done) in counts.iter().zip(&mut done) {
                while count - *done >= len {
                    let [from, to] = [first + *done, first + *done + len].map(|at| at as usize * size);
                    bytes.extend_from_slice(&sorted[from..to]);
                    runs.push(Run { group: *group, begin: *done });
                    *done += len;
                }
                first += count;
            }
            powers.push((power, start, runs));
        }
        Piece { bytes, counts, powers }
    }

    /// All runs, up to so many at once.
    pub fn runs(&self, at_once: u64) -> impl Iterator<Item = Runs<'_>> {
        self.powers.iter().flat_map(move |(power, start, runs)| {
            let len = 1 << power;
            let start = move |nth| start + nth as u64 * at_once * len;
            let chunks = runs.chunks(at_once as usize).enumerate();
            chunks.map(move |(nth, all)| Runs { all, len, start: start(nth) })
        })
    }
}

impl Run {
    /// The elements of a run of `len` among all of its group in this piece, of `size` bytes each.
    pub fn of<'a>(&self, len: u64, elements: &'a [u8], size: u64) -> &'a [u8] {
        let [from, to] = [self.begin, self.begin + len].map(|at| (at * size) as usize);
        elements.get(from..to).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_cut_into_powers_of_two_and_stay_in_order() {
        // Group 2 has no element.
        let piece = Piece::new(&[10, 11, 12, 13, 14, 15, 16, 17], 1, &[3, 0, 3, 1, 3, 1, 3, 3], 4);
        assert_eq!(piece.counts, [(0, 1), (1, 2), (3, 5)]);
        assert_eq!(piece.bytes, [10, 12, 14, 16, 13, 15, 11, 17]);
        let runs = |at_once| {
            let of = |runs: Runs<'_>| {
                (runs.len, runs.start, runs.all.iter().map(|run| (run.group, run.begin)).collect())
            };
            piece.runs(at_once).map(of).collect::<Vec<(_, _, Vec<_>)>>()
        };
        assert_eq!(runs(9), [(4, 0, vec![(3, 0)]), (2, 4, vec![(1, 0)]), (1, 6, vec![(0, 0), (3, 4)])]);
        assert_eq!(runs(1)[2..], [(1, 6, vec![(0, 0)]), (1, 7, vec![(3, 4)])]);
    }
}
