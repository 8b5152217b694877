//! Numbers as nested lists.

use serde::Serialize;

/// Leaves of one dimension that text shows, at most: of more, the first and the last few.
const SHOWN: usize = 3;

/// Leaves that text shows all of.
const FEW: usize = 1000;

/// Columns of a line of text, from which on the next line begins.
const LINE: usize = 72;

#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Tree<T> {
    Leaf(T),
    List(Vec<Tree<T>>),
}

impl<T> Tree<T> {
    /// The lists of an array of these dimensions, whose leaves come in C order.
    pub fn of(dims: &[u64], leaves: &mut impl Iterator<Item = T>) -> Self {
        match dims {
            [] => Tree::Leaf(leaves.next().expect("a leaf for each place")),
            [len, inner @ ..] => Tree::List((0..*len).map(|_| Tree::of(inner, leaves)).collect()),
        }
    }

    /// As text, each leaf as `show` writes it; on a terminal in lines that end between two leaves. Long lists are abbreviated as NumPy does.
    pub fn text(&self, show: &impl Fn(&T) -> String, wraps: bool) -> String {
        let text = self.unbroken(show, self.count() > FEW);
        let text = if wraps { textwrap::fill(&text, LINE) } else { text };
        text.replace('\u{a0}', " ")
    }

    fn unbroken(&self, show: &impl Fn(&T) -> String, is_short: bool) -> String {
        let items = match self {
            Tree::Leaf(leaf) => return show(leaf).replace(' ', "\u{a0}"),
            Tree::List(items) => items,
        };
        let text = |item: &Tree<T>| item.unbroken(show, is_short);
        let texts: Vec<_> = if is_short && items.len() > 2 * SHOWN {
            let (first, last) = (&items[..SHOWN], &items[items.len() - SHOWN..]);
            first.iter().map(text).chain(["...".to_owned()]).chain(last.iter().map(text)).collect()
        } else {
            items.iter().map(text).collect()
        };
        format!("[{}]", texts.join(", "))
    }

    fn count(&self) -> usize {
        match self {
            Tree::Leaf(_) => 1,
            Tree::List(items) => items.iter().map(Tree::count).sum(),
        }
    }

    /// The leaves in their order, with their places.
    pub fn leaves(&self) -> Vec<(Vec<usize>, &T)> {
        match self {
            Tree::Leaf(leaf) => vec![(Vec::new(), leaf)],
            Tree::List(items) => {
                let leaves = items.iter().enumerate().flat_map(|(at, item)| {
                    let leaves = item.leaves().into_iter();
                    leaves.map(move |(place, leaf)| ([&[at], &place[..]].concat(), leaf))
                });
                leaves.collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_abbreviated() {
        let text = |dims: &[u64]| Tree::of(dims, &mut (0u32..)).text(&u32::to_string, false);
        assert_eq!(text(&[]), "0");
        assert_eq!(text(&[2, 2]), "[[0, 1], [2, 3]]");
        assert_eq!(text(&[2, 0]), "[[], []]");
        assert_eq!(text(&[1001]), "[0, 1, 2, ..., 998, 999, 1000]");
        assert!(text(&[7, 1000]).starts_with("[[0, 1, 2, ..., 997, 998, 999], [1000, "));
    }

    #[test]
    fn leaves_have_places_in_c_order() {
        let tree = Tree::of(&[2, 3], &mut (0u32..));
        assert_eq!(tree.leaves()[4], (vec![1, 1], &4));
    }
}
