//! Groups: the labels of elements, and the results that they stand for.

use halofold::{Element, Value};
use rayon::prelude::*;

use super::geometry::Geometry;
use crate::failure::Failure;
use crate::files::{Source, Stored};
use crate::keys;

/// Labels that lie closer together are counted in a table, others are sorted.
const TABLE: u64 = 1 << 24;

/// The labels of a request.
pub struct Labels {
    /// The labels in order.
    pub keys: Vec<Value>,
    /// Their type.
    pub stored: Stored,
    /// The group of each element, or of each place along the axis.
    groups: Vec<u32>,
}

impl Labels {
    /// Loads the labels of an array, or of the places along its axis.
    ///
    /// # Errors
    ///
    /// They are no integers, or have another shape.
    pub fn load(source: &Source, data: &Source, geometry: &Geometry) -> Result<Self, Failure> {
        let (name, stored, shape) = (source.name(), source.stored(), source.shape());
        if stored.element().is_float() {
            return Err(Failure::Usage(format!(
                "--by {name}: labels are integers or Booleans, not {stored}"
            )));
        }
        let is_along = shape == [geometry.len] && geometry.axes.is_some();
        if shape != data.shape() && !is_along {
            let of = crate::files::npy::tuple;
            let remedy = match (shape, data.shape().iter().position(|len| shape == [*len])) {
                ([_], Some(axis)) => format!(", or --axis {axis}"),
                _ => String::new(),
            };
            return Err(Failure::Usage(format!(
                "--by {name}: shape {} differs from the data's {}; give one label per element{remedy}",
                of(shape),
                of(data.shape())
            )));
        }
        let order = if is_along { vec![0] } else { geometry.order.clone() };
        let dims = if is_along { shape } else { &geometry.dims };
        let bytes =
            source.load(dims, 0..dims.first().copied().unwrap_or(1), &order).map_err(Failure::usage)?;
        let element = stored.element();
        let labels: Vec<u64> =
            bytes.par_chunks_exact(element.size() as usize).map(|bytes| ordered(element, bytes)).collect();
        let (keys, groups) = numbered(labels);
        Ok(Labels { keys: keys.into_iter().map(|key| keys::number(element, key)).collect(), stored, groups })
    }

    /// The line of each loaded element: the groups of a line are apart from those of another by `rows`.
    pub fn lines(&self, rows: u64, len: u64) -> Vec<u32> {
        let of = |element: u64| {
            let (row, place) = (element / len, element % len);
            let group = if self.groups.len() as u64 == len { place } else { element };
            self.groups[group as usize] * rows as u32 + row as u32
        };
        (0..rows * len).into_par_iter().map(of).collect()
    }
}

/// An integer as a key that orders like it.
fn ordered(element: Element, bytes: &[u8]) -> u64 {
    match keys::of_bytes(element, bytes) {
        Value::Signed(x) if element.size() == 4 => u64::from(x as u32 ^ 1 << 31),
        Value::Signed(x) => x as u64 ^ 1 << 63,
        Value::Unsigned(x) => x,
        _ => 0,
    }
}

/// The different labels in order, and the number of each element's.
fn numbered(labels: Vec<u64>) -> (Vec<u64>, Vec<u32>) {
    let least = labels.par_iter().min().copied().unwrap_or(0);
    let most = labels.par_iter().max().copied().unwrap_or(0);
    if most - least >= TABLE {
        let mut keys = labels.clone();
        keys.par_sort_unstable();
        keys.dedup();
        let groups = labels.par_iter().map(|label| keys.partition_point(|key| key < label) as u32).collect();
        return (keys, groups);
    }
    let mut table = vec![0u32; (most - least) as usize + 1];
    labels.iter().for_each(|label| table[(label - least) as usize] = 1);
    let keys: Vec<_> =
        (0u64..).zip(&table).filter(|(_, is_there)| **is_there == 1).map(|(at, _)| least + at).collect();
    let keys = if labels.is_empty() { Vec::new() } else { keys };
    (0u32..).zip(&keys).for_each(|(number, key)| table[(key - least) as usize] = number);
    let groups = labels.par_iter().map(|label| table[(label - least) as usize]).collect();
    (keys, groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_numbered_in_order() {
        assert_eq!(numbered(vec![7, 3, 7, 9]), (vec![3, 7, 9], vec![1, 0, 1, 2]));
        assert_eq!(numbered(vec![1 << 40, 3, 1 << 40]), (vec![3, 1 << 40], vec![1, 0, 1]));
        assert_eq!(numbered(Vec::new()), (Vec::new(), Vec::new()));
        let key = |x: i32| ordered(Element::I32, &x.to_ne_bytes());
        assert!(key(i32::MIN) < key(-1) && key(-1) < key(0) && key(0) < key(i32::MAX));
        assert_eq!(keys::number(Element::I32, key(-5)), Value::Signed(-5));
    }

    #[test]
    fn groups_of_a_line_are_results_of_their_own() {
        let along = Labels { keys: Vec::new(), stored: Element::I32.into(), groups: vec![1, 0, 1] };
        assert_eq!(along.lines(2, 3), [2, 0, 2, 3, 1, 3]);
    }
}
