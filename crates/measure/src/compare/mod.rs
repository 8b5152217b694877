//! Compares two records: pairs the rows that measure the same, and judges each pair.

mod verdict;

use std::collections::HashMap;

pub use verdict::{Judged, Verdict};

use crate::row::{Row, What};

/// A row and its counterpart.
pub enum Pair<'a, W: What> {
    /// In both records.
    Both(&'a Row<W>, &'a Row<W>),
    /// In the first only.
    OnlyA(&'a Row<W>),
    /// In the second only.
    OnlyB(&'a Row<W>),
}

impl<'a, W: What> Pair<'a, W> {
    /// The row that tells what was measured, and the judgement: B is slower if it takes more than `threshold` percent longer than A.
    pub fn judged(&self, threshold: f64) -> (&'a Row<W>, Judged) {
        match *self {
            Pair::Both(a, b) => (b, verdict::judge(a, b, threshold)),
            Pair::OnlyA(a) => (a, verdict::only(a, Verdict::OnlyInA)),
            Pair::OnlyB(b) => (b, verdict::only(b, Verdict::OnlyInB)),
        }
    }

    /// Returns true if both records have it.
    pub fn is_in_both(&self) -> bool {
        matches!(self, Pair::Both(..))
    }
}

/// All rows in the order of the first record, then those that only the second has. Of equal rows in one record the first
/// goes with the first, the second with the second. A row that replays a document also goes with one that does not.
pub fn pairs<'a, W: What>(a: &'a [Row<W>], b: &'a [Row<W>]) -> Vec<Pair<'a, W>> {
    let mut counterparts: Vec<Option<usize>> = vec![None; a.len()];
    let mut taken = vec![false; b.len()];
    let exactly = |row: &Row<W>| row.what.clone();
    let one_is_plain = |row: &Row<W>, other: &Row<W>| {
        row.what == row.what.plain() || other.what == other.what.plain() || row.what == other.what
    };
    for key in [&exactly as &dyn Fn(&Row<W>) -> W, &|row| row.what.plain()] {
        let mut waiting: HashMap<W, Vec<usize>> = HashMap::new();
        for (index, row) in b.iter().enumerate().rev().filter(|(index, _)| !taken[*index]) {
            waiting.entry(key(row)).or_default().push(index);
        }
        for (row, counterpart) in a.iter().zip(&mut counterparts).filter(|(_, known)| known.is_none()) {
            let same = waiting.get_mut(&key(row));
            let found = same.and_then(|same| same.pop_if(|index| one_is_plain(row, &b[*index])));
            found.inspect(|index| taken[*index] = true);
            *counterpart = found;
        }
    }
    let of_a = a.iter().zip(counterparts).map(|(row, counterpart)| match counterpart {
        Some(index) => Pair::Both(row, &b[index]),
        None => Pair::OnlyA(row),
    });
    let only_b = b.iter().zip(taken).filter(|(_, taken)| !taken).map(|(row, _)| Pair::OnlyB(row));
    of_a.chain(only_b).collect()
}
