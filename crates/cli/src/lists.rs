//! Lists without duplicates, and lists grouped by a key.

/// The things, each once, in the order they first appear in.
pub fn each_once<T: PartialEq>(things: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut once = Vec::new();
    for thing in things {
        if !once.contains(&thing) {
            once.push(thing);
        }
    }
    once
}

/// The items grouped by their keys, in the order in which the keys first appear.
pub fn grouped<K: PartialEq, T>(things: impl IntoIterator<Item = (K, T)>) -> Vec<(K, Vec<T>)> {
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, thing) in things {
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, things)) => things.push(thing),
            None => groups.push((key, vec![thing])),
        }
    }
    groups
}
