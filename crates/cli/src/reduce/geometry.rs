//! Lines of a request: which elements make each result, and which layers of the file are loaded together.

use std::ops::Range;

use crate::files::Source;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geometry {
    /// The dimensions for `Source::load`: the array's own, or one dimension if a C-order array is reduced whole.
    pub dims: Vec<u64>,
    /// The axis permutation that `Source::load` applies after reading: kept axes first, then reduced axes.
    pub order: Vec<usize>,
    /// The number of lines, one result each, and the elements per line.
    pub rows: u64,
    pub len: u64,
    pub shape: Vec<u64>,
    /// The reduced axes: those of `--axis`, all with `--keepdims` alone, `None` without either.
    pub axes: Option<Vec<usize>>,
    /// True if a file is in Fortran order: layers of axis 0 are not contiguous, so the whole file is loaded at once.
    is_reversed: bool,
}

/// Layers of a file that are loaded together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub layers: Range<u64>,
    /// The number of lines in these layers, the first line, and the elements of each line here.
    pub rows: u64,
    pub first_row: u64,
    pub len: u64,
    /// Elements of each line in earlier chunks.
    pub before: u64,
}

impl Geometry {
    /// Finds the lines along the axes of a request. Without axes, all elements are one line. `is_reversed` is true if a file is in Fortran
    /// order.
    pub fn new(
        source: &Source,
        axes: Option<&[i64]>,
        keepdims: bool,
        is_reversed: bool,
    ) -> Result<Self, String> {
        let shape = source.shape();
        let numbers = axes.map(|axes| axis_numbers(axes, shape.len())).transpose()?;
        let numbers = numbers.or_else(|| keepdims.then(|| (0..shape.len()).collect()));
        Ok(Self::along(shape, numbers, keepdims, is_reversed))
    }

    fn along(shape: &[u64], numbers: Option<Vec<usize>>, keepdims: bool, is_reversed: bool) -> Self {
        let is_reduced = |axis: &usize| numbers.as_ref().is_none_or(|numbers| numbers.contains(axis));
        let (reduced, kept): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(is_reduced);
        let product = |axes: &[usize]| axes.iter().map(|axis| shape[*axis]).product();
        let results = (0..shape.len()).filter(|axis| keepdims || kept.contains(axis));
        let results = results.map(|axis| if kept.contains(&axis) { shape[axis] } else { 1 }).collect();
        let (rows, len): (u64, u64) = (product(&kept), product(&reduced));
        let (dims, order) = if kept.is_empty() && !is_reversed {
            (vec![len], vec![0])
        } else {
            (shape.to_vec(), [kept, reduced].concat())
        };
        Geometry { dims, order, rows, len, shape: results, axes: numbers, is_reversed }
    }

    /// Cuts the file into chunks of at most `room` elements.
    pub fn chunks(&self, room: u64) -> Result<Vec<Chunk>, u64> {
        let (layers, elements) = (self.dims.first().copied().unwrap_or(1), self.rows * self.len);
        let chunk =
            |layers: Range<u64>| Chunk { layers, rows: self.rows, first_row: 0, len: self.len, before: 0 };
        if elements <= room {
            return Ok(vec![chunk(0..layers)]);
        }
        let layer = elements / layers;
        if self.is_reversed || layer > room {
            return Err(if self.is_reversed { elements } else { layer });
        }
        let each = room / layer;
        // Axis 0 is the first kept axis or the first reduced axis. An array that is reduced whole has one row.
        let is_kept = self.order[0] == 0 && self.rows > 1;
        let chunks =
            (0..layers.div_ceil(each)).map(|nth| nth * each..layers.min((nth + 1) * each)).map(|layers| {
                let (start, count) = (layers.start, layers.end - layers.start);
                let all = self.dims[0];
                match is_kept {
                    true => Chunk {
                        rows: self.rows / all * count,
                        first_row: self.rows / all * start,
                        ..chunk(layers)
                    },
                    false => {
                        Chunk { len: self.len / all * count, before: self.len / all * start, ..chunk(layers) }
                    }
                }
            });
        Ok(chunks.collect())
    }
}

/// Resolves axes of an array of `dimensions`: negative ones count from the end.
fn axis_numbers(axes: &[i64], dimensions: usize) -> Result<Vec<usize>, String> {
    let count = dimensions as i64;
    let mut numbers = Vec::new();
    for axis in axes {
        if !(-count..count).contains(axis) {
            let range = match count {
                0 => "an array of no dimension has none".to_owned(),
                n => format!("an array of {n} has {} to {}", -n, n - 1),
            };
            return Err(format!("--axis {axis}: {range}"));
        }
        let number = axis.rem_euclid(count) as usize;
        if numbers.contains(&number) {
            return Err(format!("--axis {axis}: is named twice"));
        }
        numbers.push(number);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn along(shape: &[u64], axes: &[usize]) -> Geometry {
        Geometry::along(shape, Some(axes.to_vec()), false, false)
    }

    #[test]
    fn geometry_puts_kept_axes_before_reduced_axes() {
        let middle = along(&[2, 3, 4], &[1]);
        assert_eq!((middle.order, middle.rows, middle.len, middle.shape), (vec![0, 2, 1], 8, 3, vec![2, 4]));
        let whole = Geometry::along(&[2, 3, 4], None, false, false);
        assert_eq!((whole.dims, whole.rows, whole.len, whole.shape), (vec![24], 1, 24, vec![]));
    }

    #[test]
    fn chunks_cut_the_first_axis() {
        let lines = |geometry: Geometry, room| {
            let chunks = geometry.chunks(room).unwrap().into_iter();
            chunks.map(|chunk| (chunk.first_row, chunk.rows, chunk.before, chunk.len)).collect::<Vec<_>>()
        };
        assert_eq!(lines(along(&[5, 3], &[1]), 6), [(0, 2, 0, 3), (2, 2, 0, 3), (4, 1, 0, 3)]);
        assert_eq!(lines(along(&[5, 3], &[0]), 9), [(0, 3, 0, 3), (0, 3, 3, 2)]);
        assert_eq!(lines(along(&[4, 3, 2], &[0, 2]), 12), [(0, 3, 0, 4), (0, 3, 4, 4)]);
        assert_eq!(lines(Geometry::along(&[7], None, false, false), 4), [(0, 1, 0, 4), (0, 1, 4, 3)]);
        assert_eq!(along(&[5, 3], &[0]).chunks(2), Err(3));
        assert_eq!(Geometry::along(&[5, 3], Some(vec![0]), false, true).chunks(9), Err(15));
        assert_eq!(lines(along(&[0, 3], &[0]), 1), [(0, 3, 0, 0)]);
    }
}
