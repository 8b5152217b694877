//! Lists without duplicates, whose items are known by number.

use std::collections::HashMap;
use std::hash::Hash;

/// Items in the order in which they came, equal ones once.
pub struct Once<T> {
    list: Vec<T>,
    known: HashMap<T, usize>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Once { list: Vec::new(), known: HashMap::new() }
    }
}

impl<T: Clone + Eq + Hash> Once<T> {
    /// The number of a thing, which is new or known.
    pub fn number(&mut self, thing: T) -> usize {
        if let Some(&number) = self.known.get(&thing) {
            return number;
        }
        self.list.push(thing.clone());
        self.known.insert(thing, self.list.len() - 1);
        self.list.len() - 1
    }

    pub fn into_list(self) -> Vec<T> {
        self.list
    }
}
