//! Bins of a histogram: equidistant edges as `np.linspace` computes them, and the bin of a number.

use half::f16;
use halofold::histogram::Keys;
use halofold::{Element, Value};

use crate::files::Stored;
use crate::keys::{key_range, number};
use crate::reduce::op::widened;

#[derive(Clone, Copy, Debug)]
pub enum Range {
    Given([f64; 2]),
    Found([Value; 2]),
}

/// Equal bins over a range. A bin includes its lower edge, the last one also its upper edge.
pub struct Bins {
    pub edges: Vec<f64>,
    /// NumPy's name of the edges' type.
    pub dtype: &'static str,
    element: Element,
}

impl Bins {
    /// Makes `count` bins over a range, for the elements of a file. Edges have the type of float elements, and 64 bits for integers.
    /// Edges between elements are computed in that type, as in NumPy 2; edges of a given range in 64 bits, rounded once.
    pub fn new(stored: Stored, range: Range, count: u32) -> Result<Self, String> {
        let is_found = matches!(range, Range::Found(_));
        let [low, high] = match range {
            Range::Given(ends) => ends,
            Range::Found(ends) => ends.map(Value::as_f64),
        };
        let [low, high] = if low == high { [low - 0.5, high + 0.5] } else { [low, high] };
        let (dtype, round): (_, fn(f64) -> f64) = match stored.element() {
            // CPUs convert through 32 bits and round twice.
            Element::F16 => ("f2", |x| f16::from_f64_const(x).to_f64()),
            Element::F32 => ("f4", |x| f64::from(x as f32)),
            _ => ("f8", |x| x),
        };
        // An operation on two 16-bit or 32-bit elements, rounded to 64 bits and then to their type, equals one rounding.
        let step_round = if is_found { round } else { |x| x };
        let distance = step_round(high - low);
        let step = step_round(distance / f64::from(count));
        if !(distance > 0.0 && distance.is_finite()) {
            return Err(format!(
                "bins from {low:?} to {high:?} have no width in floats; choose another --range"
            ));
        }
        let edge = |i: u32| {
            let at = step_round(f64::from(i));
            let from_low = if step == 0.0 { step_round(at / f64::from(count)) * distance } else { at * step };
            round(step_round(from_low) + low)
        };
        let edges = (0..count).map(edge).chain([round(high)]).collect();
        // 16-bit floats are counted as 32-bit floats.
        Ok(Bins { edges, dtype, element: widened(stored.element()) })
    }

    pub fn count(&self) -> usize {
        self.edges.len() - 1
    }

    /// Returns the bin of a number: -1 below all bins, the number of bins above. NaN is above.
    pub fn place(&self, x: f64) -> i64 {
        let count = self.count();
        match self.edges.partition_point(|edge| *edge <= x) {
            _ if x.is_nan() || x > self.edges[count] => count as i64,
            // The last bin includes its upper edge.
            above => above as i64 - 1 - i64::from(above > count),
        }
    }

    /// Returns the borders of the bins as keys for the library's histogram, and the number of bins between them, without empty bins at the
    /// end. `None` if no element lies in any bin.
    pub fn keys(&self) -> Option<(Keys, u32)> {
        let count = self.count() as i64;
        let mut levels: Vec<_> = (0..count).map(|bin| self.first(bin)).collect();
        // The last level is the largest number that is counted.
        let end = self.first(count).checked_sub(1)?;
        while levels.pop_if(|level| *level > end).is_some() {}
        let bins = levels.len() as u32;
        if bins == 0 {
            return None;
        }
        levels.push(end);
        let keys = match self.element {
            Element::U32 | Element::I32 => Keys::U32Levels(levels.iter().map(|key| *key as u32).collect()),
            Element::F32 => {
                let levels: Vec<_> =
                    levels.iter().map(|key| number(self.element, *key as u64).as_f64() as f32).collect();
                let ends = [self.edges[0], self.edges[self.count()]].map(|end| end as f32);
                let ranges = Keys::Ranges { low: ends[0], high: ends[1] };
                // Ranges are faster.
                let are_alike = ranges.borders(bins).is_some_and(|borders| borders == levels);
                if are_alike { ranges } else { Keys::Levels(levels.into()) }
            }
            _ => Keys::U64Levels(levels.iter().map(|key| *key as u64).collect()),
        };
        Some((keys, bins))
    }

    /// Returns the smallest key of the elements' type at or above a bin's lower edge; one past the last key if there is none.
    fn first(&self, bin: i64) -> u128 {
        let (mut low, mut high) = key_range(self.element);
        while low < high {
            let middle = low.midpoint(high);
            if self.place(number(self.element, middle as u64).as_f64()) < bin {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bin_includes_its_lower_edge() {
        let bins = Bins::new(Element::F32.into(), Range::Given([0.0, 1.0]), 4).unwrap();
        let places = [-0.1, 0.0, 0.25, 0.3, 0.999, 1.0, 1.1, f64::NAN].map(|x| bins.place(x));
        assert_eq!(places, [-1, 0, 1, 1, 3, 3, 4, 4]);
    }

    #[test]
    fn edges_are_those_of_numpy_2() {
        let edges = |stored: Stored, range, count| Bins::new(stored, range, count).map(|bins| bins.edges);
        let tenths = Range::Found([0.1, 0.7].map(Value::F32));
        let expected = [0.1f32, 0.22, 0.339_999_97, 0.459_999_95, 0.58, 0.7].map(f64::from);
        assert_eq!(edges(Element::F32.into(), tenths, 5).unwrap(), expected);
        assert_eq!(edges(Stored::U8, Range::Found([Value::Unsigned(7); 2]), 2).unwrap(), [6.5, 7.0, 7.5]);
        let wide = Range::Found([i64::MIN, i64::MAX].map(Value::Signed));
        assert_eq!(edges(Element::I64.into(), wide, 2).unwrap()[1], 0.0);
        assert!(edges(Element::F32.into(), Range::Found([f32::MIN, f32::MAX].map(Value::F32)), 2).is_err());
    }
}
