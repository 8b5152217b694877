//! Which row of one record answers which of the other.

use std::collections::HashMap;

use crate::row::{Key, Row, key};

/// A row and its counterpart.
#[derive(Clone, Copy)]
pub enum Pair<'a> {
    /// In both records.
    Both(&'a Row, &'a Row),
    /// In the first only.
    OnlyA(&'a Row),
    /// In the second only.
    OnlyB(&'a Row),
}

/// All rows in the order of the first record, then what only the second has. Of equal rows in one record the first
/// goes with the first, the second with the second.
pub fn pairs<'a>(a: &'a [Row], b: &'a [Row]) -> Vec<Pair<'a>> {
    let mut waiting: HashMap<Key<'a>, Vec<usize>> = HashMap::new();
    for (index, row) in b.iter().enumerate().rev() {
        waiting.entry(key(row)).or_default().push(index);
    }
    let mut pairs = Vec::new();
    let mut taken = vec![false; b.len()];
    for row in a {
        match waiting.get_mut(&key(row)).and_then(Vec::pop) {
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
