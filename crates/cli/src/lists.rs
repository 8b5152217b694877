//! Lists without duplicates, and lists grouped by a key.

use std::hash::Hash;

use indexmap::{IndexMap, IndexSet};

/// The things, each once, in the order they first appear in.
pub fn each_once<T: Eq + Hash>(things: impl IntoIterator<Item = T>) -> Vec<T> {
    things.into_iter().collect::<IndexSet<_>>().into_iter().collect()
}

/// The items grouped by their keys, in the order in which the keys first appear.
pub fn grouped<K: Eq + Hash, T>(things: impl IntoIterator<Item = (K, T)>) -> IndexMap<K, Vec<T>> {
    let mut groups = IndexMap::<K, Vec<T>>::new();
    for (key, thing) in things {
        groups.entry(key).or_default().push(thing);
    }
    groups
}
