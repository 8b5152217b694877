//! Lengths of a ladder: one, or a range of them.

use std::str::FromStr;

use crate::count::counts;
use crate::failure::Failure;

/// The ratio of the last size to the first from which on sizes go by factors of four instead of two, so that the table
/// stays short.
const WIDE: u64 = 1 << 12;

/// A length, or the first and the last of a range, as `--n` has them: `2^24`, `2^8..2^28` or `2^8..`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sizes {
    One(u64),
    /// A range up to a length, or to the largest that suits the adapter.
    Range(u64, Option<u64>),
}

impl FromStr for Sizes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count = counts(1u64, u64::MAX);
        match text.split_once("..") {
            None => Ok(Sizes::One(count(text)?)),
            Some((from, "")) => Ok(Sizes::Range(count(from)?, None)),
            Some((from, to)) => Ok(Sizes::Range(count(from)?, Some(count(to)?))),
        }
    }
}

/// The sizes of a range: the first, then by factors, and always the last. `usual` is the last one where none is named.
pub fn steps(from: u64, to: Option<u64>, usual: u64) -> Result<Vec<u64>, Failure> {
    let whose = if to.is_none() { ", the default on this adapter" } else { "" };
    let to = to.unwrap_or(usual);
    if from > to {
        return Err(refusal!("--n {from}.. is larger than --n {to}{whose}"));
    }
    let factor = if to / from >= WIDE { 4 } else { 2 };
    let next = |n: &u64| n.checked_mul(factor).filter(|n| *n < to);
    let mut sizes: Vec<_> = std::iter::successors(Some(from), next).filter(|n| *n < to).collect();
    sizes.push(to);
    Ok(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_double_and_include_the_last() {
        let steps = |from, to| steps(from, Some(to), 0).unwrap();
        assert_eq!(steps(1, 1), [1]);
        assert_eq!(steps(256, 2048), [256, 512, 1024, 2048]);
        assert_eq!(steps(3, 20), [3, 6, 12, 20]);
        assert_eq!([22, 28].map(|to| steps(256, 1 << to).len()), [8, 11]);
        assert_eq!(steps(1, u64::from(u32::MAX)).last(), Some(&u64::from(u32::MAX)));
    }
}
