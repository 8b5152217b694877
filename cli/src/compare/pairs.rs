//! Which row of one record answers which of the other.

use std::collections::HashMap;

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

impl<W: What> Pair<'_, W> {
    /// Whether both records have it.
    pub fn is_in_both(&self) -> bool {
        matches!(self, Pair::Both(..))
    }
}

/// All rows in the order of the first record, then what only the second has. Of equal rows in one record the first
/// goes with the first, the second with the second.
pub fn pairs<'a, W: What>(a: &'a [Row<W>], b: &'a [Row<W>]) -> Vec<Pair<'a, W>> {
    let mut waiting: HashMap<&W, Vec<usize>> = HashMap::new();
    for (index, row) in b.iter().enumerate().rev() {
        waiting.entry(&row.what).or_default().push(index);
    }
    let mut pairs = Vec::new();
    let mut taken = vec![false; b.len()];
    for row in a {
        match waiting.get_mut(&row.what).and_then(Vec::pop) {
            Some(index) => {
                taken[index] = true;
                pairs.push(Pair::Both(row, &b[index]));
            }
            None => pairs.push(Pair::OnlyA(row)),
        }
    }
    pairs.extend(b.iter().zip(taken).filter(|(_, taken)| !taken).map(|(row, _)| Pair::OnlyB(row)));
    pairs
}
