//! Splits `len` items evenly over the ranks.

use std::ops::Range;

/// The part of `len` things in a row that is the rank's: the parts make the whole, in the order of the ranks, and their lengths
/// differ by one at most.
///
/// ```
/// # use halofold_mpi::part;
/// assert_eq!([0, 1, 2].map(|rank| part(8, rank, 3)), [0..2, 2..5, 5..8]);
/// ```
///
/// # Panics
///
/// If there is no such rank.
pub fn part(len: u64, rank: usize, ranks: usize) -> Range<u64> {
    assert!(rank < ranks, "rank {rank} of {ranks}");
    // 128 bits: a length times a number of ranks.
    let start = |rank: usize| (u128::from(len) * rank as u128 / ranks as u128) as u64;
    start(rank)..start(rank + 1)
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn parts_make_the_whole() {
        for len in [0, 1, 2, 6, 7, 8, 1000, u64::MAX] {
            for ranks in [1, 2, 3, 4, 7, 1024] {
                let parts: Vec<_> = (0..ranks).map(|rank| part(len, rank, ranks)).collect();
                assert_eq!((parts[0].start, parts[ranks - 1].end), (0, len));
                assert!(parts.windows(2).all(|pair| pair[0].end == pair[1].start));
                let lengths = parts.iter().map(|part| part.end - part.start);
                assert!(lengths.clone().max().unwrap() - lengths.min().unwrap() <= 1, "{len} by {ranks}");
            }
        }
    }
}
