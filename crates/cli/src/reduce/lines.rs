//! The elements of each result, next to each other: lines of equal length in batches.

use rayon::prelude::*;

/// The line of an element that is left out.
pub const LEFT_OUT: u32 = u32::MAX;

/// Lines of the same length, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The first element.
    pub start: usize,
    /// Elements of each line.
    pub len: usize,
    /// The results that the lines make.
    pub lines: Vec<u32>,
}

/// All lines of a chunk.
#[derive(Debug, PartialEq, Eq)]
pub struct Lines {
    pub batches: Vec<Batch>,
    /// For each element, its place in the line of the array. `None` if it is the place in the batch's line.
    pub places: Option<Vec<u32>>,
}

impl Lines {
    /// `rows` lines as they were loaded, the first of which makes result `first`.
    pub fn uniform(first: u64, rows: u64, len: u64) -> Self {
        let lines = (first as u32..(first + rows) as u32).collect();
        let batches =
            if rows * len > 0 { vec![Batch { start: 0, len: len as usize, lines }] } else { Vec::new() };
        Lines { batches, places: None }
    }

    /// Moves the elements of each line of `inputs` together, in their order. `line_of` names the line of each element; loaded lines had `len`
    /// elements. Shorter lines come first.
    pub fn regrouped(inputs: &mut [Vec<u8>], size: usize, line_of: &[u32], lines: usize, len: u64) -> Self {
        let mut counts = vec![0u32; lines];
        for line in line_of.iter().filter(|line| **line != LEFT_OUT) {
            counts[*line as usize] += 1;
        }
        let mut order: Vec<u32> = (0..lines as u32).filter(|line| counts[*line as usize] > 0).collect();
        order.sort_by_key(|line| counts[*line as usize]);
        let mut batches: Vec<Batch> = Vec::new();
        let mut next = vec![0u32; lines];
        let mut at = 0;
        for line in order {
            let count = counts[line as usize] as usize;
            next[line as usize] = at as u32;
            match batches.last_mut().filter(|batch| batch.len == count) {
                Some(batch) => batch.lines.push(line),
                None => batches.push(Batch { start: at, len: count, lines: vec![line] }),
            }
            at += count;
        }
        let mut sources = vec![0u32; at];
        for (element, line) in line_of.iter().enumerate().filter(|(_, line)| **line != LEFT_OUT) {
            let place = &mut next[*line as usize];
            sources[*place as usize] = element as u32;
            *place += 1;
        }
        for input in inputs {
            *input = match size {
                2 => gathered::<2>(input, &sources),
                4 => gathered::<4>(input, &sources),
                _ => gathered::<8>(input, &sources),
            };
        }
        sources.par_iter_mut().for_each(|source| *source = (u64::from(*source) % len) as u32);
        Lines { batches, places: Some(sources) }
    }

    /// The place in its line of the array of element `index` of row `row` of a batch.
    pub fn place(&self, batch: &Batch, row: usize, index: u64) -> u64 {
        let element = batch.start + row * batch.len + index as usize;
        self.places.as_ref().map_or(index, |places| places[element].into())
    }

    /// The elements that are left.
    pub fn elements(&self) -> u64 {
        self.batches.iter().map(|batch| (batch.len * batch.lines.len()) as u64).sum()
    }
}

fn gathered<const SIZE: usize>(bytes: &[u8], sources: &[u32]) -> Vec<u8> {
    let elements = bytes.as_chunks::<SIZE>().0;
    sources.par_iter().map(|source| elements[*source as usize]).collect::<Vec<_>>().into_flattened()
}

/// True for each element that is a NaN.
pub fn is_nan(bytes: &[u8], size: usize) -> Vec<bool> {
    match size {
        2 => bytes.as_chunks::<2>().0.par_iter().map(|x| u16::from_ne_bytes(*x) & 0x7fff > 0x7c00).collect(),
        4 => bytes.as_chunks::<4>().0.par_iter().map(|x| f32::from_ne_bytes(*x).is_nan()).collect(),
        _ => bytes.as_chunks::<8>().0.par_iter().map(|x| f64::from_ne_bytes(*x).is_nan()).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_a_line_stay_in_order() {
        let mut inputs = [(0..12u16).flat_map(u16::to_ne_bytes).collect::<Vec<_>>()];
        let line_of = [2, LEFT_OUT, 0, 2, 2, 0, 1, 1, 1, LEFT_OUT, LEFT_OUT, 2];
        let lines = Lines::regrouped(&mut inputs, 2, &line_of, 4, 6);
        let elements: Vec<u16> = bytemuck::pod_collect_to_vec(&inputs[0]);
        assert_eq!(elements, [2, 5, 6, 7, 8, 0, 3, 4, 11]);
        let batch = |start, len, line| Batch { start, len, lines: vec![line] };
        assert_eq!(lines.batches, [batch(0, 2, 0), batch(2, 3, 1), batch(5, 4, 2)]);
        assert_eq!(lines.place(&lines.batches[2], 0, 3), 5);
        assert_eq!(lines.elements(), 9);
    }

    #[test]
    fn lines_of_one_length_share_a_batch() {
        let lines = Lines::regrouped(&mut [vec![0; 16]], 4, &[1, 0, 0, 1], 2, 4);
        assert_eq!(lines.batches, [Batch { start: 0, len: 2, lines: vec![0, 1] }]);
        assert_eq!(Lines::uniform(3, 2, 0).batches, []);
    }

    #[test]
    fn nans_of_every_width_are_found() {
        assert_eq!(is_nan(&[0x00, 0x7c, 0x01, 0xfc], 2), [false, true]);
        assert_eq!(is_nan(bytemuck::cast_slice(&[f64::INFINITY, f64::NAN]), 8), [false, true]);
    }
}
