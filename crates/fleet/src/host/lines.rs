//! The elements of each result, next to each other: lines of equal length in batches.

use super::in_parallel;

/// The line of an element that is left out.
const LEFT_OUT: u32 = u32::MAX;

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
    /// The lines, by their length.
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

    /// Moves the elements of each line of `inputs` together, in their order. `line_of` names the line of each element of `size` bytes; loaded
    /// lines had `len` elements. Shorter lines come first.
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
        sources.iter_mut().for_each(|source| *source = (u64::from(*source) % len) as u32);
        Lines { batches, places: Some(sources) }
    }

    /// The place in its line of the array of element `index` of row `row` of a batch.
    pub fn place(&self, batch: &Batch, row: usize, index: u64) -> u64 {
        let element = batch.start + row * batch.len + index as usize;
        self.places.as_ref().map_or(index, |places| places[element].into())
    }

    /// The elements of each of `lines` lines.
    pub fn counts(&self, lines: usize) -> Vec<u64> {
        let mut counts = vec![0; lines];
        for batch in &self.batches {
            batch.lines.iter().for_each(|line| counts[*line as usize] = batch.len as u64);
        }
        counts
    }

    /// The elements that are left.
    pub fn elements(&self) -> u64 {
        self.batches.iter().map(|batch| (batch.len * batch.lines.len()) as u64).sum()
    }
}

fn gathered<const SIZE: usize>(bytes: &[u8], sources: &[u32]) -> Vec<u8> {
    let elements = bytes.as_chunks::<SIZE>().0;
    let mut result = vec![0; sources.len() * SIZE];
    in_parallel(&mut result, &|start, part| {
        let target = part.as_chunks_mut::<SIZE>().0;
        target.iter_mut().zip(&sources[start / SIZE..]).for_each(|(into, at)| *into = elements[*at as usize]);
    });
    result
}

/// The line of each element of `rows` rows of `len` elements. The first row is line `first`.
pub fn lines_of_rows(first: u64, rows: u64, len: u64) -> Vec<u32> {
    let mut line_of = vec![0u32; (rows * len) as usize];
    each(&mut line_of, &|element, line| *line = (first + element as u64 / len) as u32);
    line_of
}

/// Leaves out the elements whose word of a mask is zero.
pub fn leave_out_false(line_of: &mut [u32], mask: &[u8]) {
    let words = mask.as_chunks::<4>().0;
    leave_out(line_of, &|element| words[element] == [0; 4]);
}

/// Leaves out floats of `size` bytes that are NaN.
pub fn leave_out_nans(line_of: &mut [u32], bytes: &[u8], size: usize) {
    match size {
        2 => {
            let floats = bytes.as_chunks::<2>().0;
            leave_out(line_of, &|at| u16::from_ne_bytes(floats[at]) & 0x7fff > 0x7c00);
        }
        4 => {
            let floats = bytes.as_chunks::<4>().0;
            leave_out(line_of, &|at| f32::from_ne_bytes(floats[at]).is_nan());
        }
        _ => {
            let floats = bytes.as_chunks::<8>().0;
            leave_out(line_of, &|at| f64::from_ne_bytes(floats[at]).is_nan());
        }
    }
}

/// True if any element is left out.
pub fn has_left_out(line_of: &[u32]) -> bool {
    line_of.contains(&LEFT_OUT)
}

fn leave_out(line_of: &mut [u32], is_out: &(impl Fn(usize) -> bool + Sync)) {
    each(line_of, &|element, line| {
        if is_out(element) {
            *line = LEFT_OUT;
        }
    });
}

/// Calls `change` with each element's number and line.
pub(super) fn each(line_of: &mut [u32], change: &(impl Fn(usize, &mut u32) + Sync)) {
    in_parallel(bytemuck::cast_slice_mut(line_of), &|start, part| {
        let part = bytemuck::cast_slice_mut::<u8, u32>(part);
        part.iter_mut().enumerate().for_each(|(nth, line)| change(start / 4 + nth, line));
    });
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
    fn masks_and_nans_leave_elements_out() {
        let mut line_of = lines_of_rows(5, 2, 2);
        assert_eq!(line_of, [5, 5, 6, 6]);
        leave_out_false(&mut line_of, bytemuck::cast_slice(&[1u32, 0, 1, 1]));
        leave_out_nans(&mut line_of, bytemuck::cast_slice(&[f64::INFINITY, 1.0, f64::NAN, 0.0]), 8);
        assert_eq!(line_of, [5, LEFT_OUT, LEFT_OUT, 6]);
        let mut halves = [0, 0];
        leave_out_nans(&mut halves, &[0x00, 0x7c, 0x01, 0xfc], 2);
        assert!(halves == [0, LEFT_OUT] && has_left_out(&halves));
    }
}
