//! Which row of one record answers which of the other.

use std::collections::HashMap;

use crate::row::Measured;

/// A row and its counterpart.
pub enum Pair<'a, R> {
    /// In both records.
    Both(&'a R, &'a R),
    /// In the first only.
    OnlyA(&'a R),
    /// In the second only.
    OnlyB(&'a R),
}

impl<R> Pair<'_, R> {
    /// Whether both records have it.
    pub fn is_in_both(&self) -> bool {
        matches!(self, Pair::Both(..))
    }
}

/// All rows in the order of the first record, then what only the second has. Of equal rows in one record the first
/// goes with the first, the second with the second.
pub fn pairs<'a, R: Measured>(a: &'a [R], b: &'a [R]) -> Vec<Pair<'a, R>> {
    let mut waiting: HashMap<R::Key<'a>, Vec<usize>> = HashMap::new();
    for (index, row) in b.iter().enumerate().rev() {
        waiting.entry(row.key()).or_default().push(index);
    }
    let mut pairs = Vec::new();
    let mut taken = vec![false; b.len()];
    for row in a {
        match waiting.get_mut(&row.key()).and_then(Vec::pop) {
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
