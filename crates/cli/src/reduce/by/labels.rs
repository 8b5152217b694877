//! Labels of groups, each with a number.

use std::collections::{BTreeMap, HashMap};

use halofold::reduce::Scalar;
use halofold::{Element, Value};

use crate::files::Stored;
use crate::keys;

/// The labels that have been seen.
pub struct Labels {
    stored: Stored,
    /// The number of each, by its key.
    numbers: HashMap<u64, u32>,
    /// The key of each, by its number: unsigned integers that order like labels.
    keys: Vec<u64>,
}

impl Labels {
    /// None yet, of a type of integers or of Booleans.
    pub fn new(stored: Stored) -> Self {
        Labels { stored, numbers: HashMap::new(), keys: Vec::new() }
    }

    /// The number of labels that have been seen.
    pub fn count(&self) -> usize {
        self.keys.len()
    }

    /// True if they are true or false.
    pub fn are_truths(&self) -> bool {
        self.stored == Stored::Bool
    }

    /// The number of each label in a piece: those that are new have the next ones. Labels are widened to 32 bits, if they are narrower.
    pub fn numbers(&mut self, piece: &[u8]) -> Vec<u32> {
        let element = self.stored.element();
        // Neighbours often have one label.
        let mut last = None;
        let number = |bytes| {
            let key = match keys::of_bytes(element, bytes) {
                Value::Signed(label) => label as u64 ^ (1 << 63),
                Value::Unsigned(label) => label,
                other => unreachable!("a label is an integer, not {other}"),
            };
            if let Some((_, number)) = last.filter(|(other, _)| *other == key) {
                return number;
            }
            let number = *self.numbers.entry(key).or_insert_with(|| {
                self.keys.push(key);
                self.keys.len() as u32 - 1
            });
            last = Some((key, number));
            number
        };
        piece.chunks_exact(element.size() as usize).map(number).collect()
    }

    /// The numbers in the order of their labels.
    pub fn in_order(&self) -> Vec<u32> {
        let mut order: Vec<_> = (0..self.keys.len() as u32).collect();
        order.sort_unstable_by_key(|number| self.keys[*number as usize]);
        order
    }

    /// The label with a number.
    pub fn label(&self, number: u32) -> Scalar {
        let element = if self.stored.is_signed() { Element::I64 } else { Element::U64 };
        Scalar::One(keys::number(element, self.keys[number as usize]))
    }

    /// The elements of a piece by the text of their labels, for a check that shares no number with the rest.
    pub fn apart(&self, labels: &[u8], elements: &[u8]) -> BTreeMap<String, Vec<u8>> {
        let size = self.stored.element().size() as usize;
        let count = labels.len() / size;
        let mut found: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        for (label, element) in labels.chunks_exact(size).zip(elements.chunks_exact(elements.len() / count)) {
            let label = keys::of_bytes(self.stored.element(), label).to_string();
            found.entry(label).or_default().extend(element);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_have_numbers_as_they_come_and_an_order() {
        let mut labels = Labels::new(Stored::I16);
        let piece = |labels: &[i32]| bytemuck::cast_slice::<_, u8>(labels).to_vec();
        assert_eq!(labels.numbers(&piece(&[7, 7, -2, 7])), [0, 0, 1, 0]);
        assert_eq!(labels.numbers(&piece(&[0, -2, i32::MIN])), [2, 1, 3]);
        assert_eq!(labels.in_order(), [3, 1, 2, 0]);
        assert_eq!(labels.label(1), Scalar::One(Value::Signed(-2)));
        let found = labels.apart(&piece(&[7, -2, 7]), &[1, 2, 3]);
        assert_eq!(found, BTreeMap::from([("-2".to_owned(), vec![2]), ("7".to_owned(), vec![1, 3])]));
    }
}
