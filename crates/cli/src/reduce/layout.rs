//! The elements of a file that make each result, and the pieces in which they come.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// The pieces of a file.
pub type Shares = Box<dyn Iterator<Item = Share> + Send>;

/// An error: a row of the array is larger than a piece.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "a row of {row} elements, all that have the same position along the axis, does not fit a piece of {most}; \
     make --piece larger (at most 1073741824 bytes), or reduce another axis first"
)]
pub struct LongRow {
    row: u64,
    most: u64,
}

/// Results of one piece, at most, unless one row has more: each takes some hundred bytes on the host, and up to 584 on the GPU.
const MOST_RESULTS: u64 = 1 << 17;

/// Elements of a line along an axis from which on an exact state of each costs less time than its elements take to arrive from memory. With
/// fewer the host is busy with states: 4 million of them took 5 s on an H100, sums in the elements' width 0.4 s.
pub const LONG_LINE: u64 = 1 << 16;

/// The elements of each result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One, of everything.
    Whole,
    /// One for each line along an axis, or along several.
    Axis(Axis),
}

/// The axis of an array as the middle one of three, in the order of memory. Neighbours are one axis. Of others the innermost is, and the
/// rest is cut into planes: those that differ only by their place along the others have states of the same results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The numbers of the axes, from 0.
    pub numbers: Vec<usize>,
    pub outer: u64,
    pub len: u64,
    pub inner: u64,
    /// The other axes, the outermost first: the length of each, and the planes from it to the next.
    others: Vec<[u64; 2]>,
    /// The dimensions of the results.
    pub shape: Vec<u64>,
    /// True if the first of them runs fastest.
    pub fortran: bool,
}

/// A piece of a file: some planes of `len` rows of `inner` elements, or some rows of one plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// Planes before it.
    pub plane: u64,
    /// Rows before it in its plane.
    pub before: u64,
    pub outer: u64,
    pub len: u64,
    pub inner: u64,
    /// True if its planes end with it.
    pub completes: bool,
}

impl Share {
    /// Its elements.
    pub fn elements(&self) -> u64 {
        self.outer * self.len * self.inner
    }

    /// Its results.
    pub fn results(&self) -> u64 {
        self.outer * self.inner
    }
}

/// States of a share that belong to results next to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The states, by their numbers in the share.
    pub states: Range<usize>,
    /// The first of their results, of so many that are not complete.
    pub first: usize,
    pub results: usize,
    /// Elements before them in each result.
    pub before: u64,
    /// True if these results begin.
    pub begins: bool,
    /// The elements of each of these results, if they are complete now.
    pub completes: Option<u64>,
}

impl Axis {
    /// Axes of an array. With `keeps` the results have them as dimensions of one.
    pub fn new(numbers: Vec<usize>, keeps: bool, shape: &[u64], fortran: bool) -> Self {
        let mut order: Vec<usize> = (0..shape.len()).collect();
        if fortran {
            order.reverse();
        }
        // Neighbours of one kind are one; a dimension of one parts nothing.
        let mut kinds: Vec<(bool, u64)> = Vec::new();
        for dimension in order.into_iter().filter(|dimension| shape[*dimension] != 1) {
            let (is_reduced, len) = (numbers.contains(&dimension), shape[dimension]);
            match kinds.last_mut() {
                Some((kind, all)) if *kind == is_reduced => *all = all.saturating_mul(len),
                _ => kinds.push((is_reduced, len)),
            }
        }
        let has_axis = kinds.iter().any(|(is_reduced, _)| *is_reduced);
        let inner = kinds.pop_if(|(is_reduced, _)| has_axis && !*is_reduced).map_or(1, |(_, len)| len);
        let len = kinds.pop_if(|(is_reduced, _)| *is_reduced).map_or(1, |(_, len)| len);
        let lengths: Vec<u64> = kinds.iter().map(|(_, len)| *len).collect();
        let kept = usize::from(kinds.first().is_some_and(|(is_reduced, _)| !is_reduced));
        let left = |number: usize| match numbers.contains(&number) {
            true => keeps.then_some(1),
            false => Some(shape[number]),
        };
        Axis {
            outer: product(&lengths),
            len,
            inner,
            others: lengths[kept..].as_chunks().0.to_vec(),
            shape: (0..shape.len()).filter_map(left).collect(),
            numbers,
            fortran,
        }
    }

    /// The number of results.
    pub fn results(&self) -> u64 {
        product(&self.shape)
    }

    /// The elements of each result.
    pub fn elements(&self) -> u64 {
        self.others.iter().fold(self.len, |all, [len, _]| all.saturating_mul(*len))
    }

    /// True if axes that are no neighbours have states of each result apart from each other.
    pub fn is_apart(&self) -> bool {
        !self.others.is_empty()
    }

    /// The results that are not complete at the same time, of axes that are no neighbours: those of so many planes.
    fn planes(&self) -> u64 {
        self.others.iter().fold(1, |all, [_, planes]| all.saturating_mul(*planes))
    }

    /// The place of a plane among those of results that are not complete, and along the other axes.
    fn place(&self, mut plane: u64) -> (u64, u64) {
        let (mut place, mut along) = (0, 0);
        let [mut planes_before, mut lens_before] = [1; 2];
        for [len, planes] in self.others.iter().rev() {
            place += plane % planes * planes_before;
            along += plane / planes % len * lens_before;
            plane /= planes * len;
            planes_before *= planes;
            lens_before *= len;
        }
        (place, along)
    }

    /// The states of a plane of a share, where others have states of the same results.
    fn run(&self, share: &Share, plane: u64) -> Run {
        let (place, along) = self.place(share.plane + plane);
        let [first, count, inner] =
            [plane * self.inner, self.planes() * self.inner, self.inner].map(|n| n as usize);
        let before = along * self.len + share.before;
        let is_last = before + share.len == self.elements() && place + 1 == self.planes();
        Run {
            states: first..first + inner,
            first: place as usize * inner,
            results: count,
            before,
            begins: before == 0 && place == 0,
            completes: is_last.then(|| self.elements()),
        }
    }
}

/// The elements of an array; its header has made sure that 64 bits count them, unless there are none.
fn product(dimensions: &[u64]) -> u64 {
    if dimensions.contains(&0) { 0 } else { dimensions.iter().fold(1, |all, n| all.saturating_mul(*n)) }
}

impl Layout {
    /// The pieces of at most `most` elements. Of everything there are as many as it takes.
    pub fn shares(&self, most: u64) -> Result<Shares, LongRow> {
        match self {
            Layout::Whole => Ok(Box::new((0..).map(move |piece| Share {
                plane: 0,
                before: piece * most,
                outer: 1,
                len: most,
                inner: 1,
                completes: false,
            }))),
            Layout::Axis(axis) => axis.shares(most),
        }
    }

    /// The results that the states of a share belong to.
    pub fn runs<'a>(&'a self, share: &'a Share) -> Box<dyn Iterator<Item = Run> + 'a> {
        match self {
            Layout::Axis(axis) if axis.is_apart() => {
                Box::new((0..share.outer).map(|plane| axis.run(share, plane)))
            }
            _ => Box::new(std::iter::once(Run {
                states: 0..share.results() as usize,
                first: 0,
                results: share.results() as usize,
                before: share.before,
                begins: share.before == 0,
                completes: share.completes.then_some(share.before + share.len),
            })),
        }
    }

    /// True if all elements make one result, in the order of memory.
    pub fn is_one_line(&self) -> bool {
        match self {
            Layout::Whole => true,
            Layout::Axis(axis) => axis.outer == 1 && axis.inner == 1,
        }
    }
}

impl Axis {
    fn shares(&self, most: u64) -> Result<Shares, LongRow> {
        let &Axis { outer, len, inner, .. } = self;
        if outer == 0 || len == 0 || inner == 0 {
            return Ok(Box::new(std::iter::empty()));
        }
        // As many results of axes that are no neighbours stay in memory until they are complete.
        let row = self.planes().saturating_mul(inner);
        if row > most {
            return Err(LongRow { row, most });
        }
        let planes = (most / (len * inner)).min(MOST_RESULTS / inner).max(1);
        let rows = (most / inner).min(len);
        let mut next = (0, 0);
        Ok(Box::new(std::iter::from_fn(move || {
            let (plane, before) = next;
            if plane == outer {
                return None;
            }
            let share = if rows == len {
                let outer = planes.min(outer - plane);
                Share { plane, before, outer, len, inner, completes: true }
            } else {
                let taken = rows.min(len - before);
                Share { plane, before, outer: 1, len: taken, inner, completes: before + taken == len }
            };
            next = if share.completes { (plane + share.outer, 0) } else { (plane, before + share.len) };
            Some(share)
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(axis: &Axis, most: u64) -> Vec<Share> {
        axis.shares(most).unwrap().collect()
    }

    #[test]
    fn axes_are_the_middle_one_of_three() {
        let axis = |numbers: &[usize], shape: &[u64], fortran| {
            let axis = Axis::new(numbers.to_vec(), false, shape, fortran);
            assert!(!axis.is_apart());
            (axis.outer, axis.len, axis.inner, axis.shape)
        };
        assert_eq!(axis(&[1], &[2, 3, 5, 7], false), (2, 3, 35, vec![2, 5, 7]));
        assert_eq!(axis(&[1], &[2, 3, 5, 7], true), (35, 3, 2, vec![2, 5, 7]));
        assert_eq!(axis(&[2, 1], &[2, 3, 5, 7], true), (7, 15, 2, vec![2, 7]));
        assert_eq!(axis(&[0, 2], &[2, 1, 5, 7], false), (1, 10, 7, vec![1, 7]));
        assert_eq!(axis(&[0], &[9], false), (1, 9, 1, vec![]));
        assert_eq!(axis(&[0], &[1, 9], false), (9, 1, 1, vec![9]));
        assert_eq!(axis(&[1], &[0, 3, u64::MAX, 9], false), (0, 3, u64::MAX, vec![0, u64::MAX, 9]));
        assert_eq!(Axis::new(vec![0, 2], true, &[2, 3, 5], false).shape, [1, 3, 1]);
    }

    #[test]
    fn results_of_axes_apart_complete_once_in_their_order() {
        let shape = [2, 3, 4, 5, 2, 3];
        for (numbers, fortran, most) in [
            (vec![1, 3], false, 1000),
            (vec![1, 3], false, 24),
            (vec![0, 2, 5], false, 100),
            (vec![4, 1], true, 60),
            (vec![0, 3, 5], true, 60),
        ] {
            let axis = Axis::new(numbers.clone(), false, &shape, fortran);
            let (results, elements) = (axis.results(), axis.elements());
            assert!(axis.is_apart() && results * elements == 720);
            let layout = Layout::Axis(axis);
            let (mut completed, mut counts) = (0, Vec::new());
            for share in layout.shares(most).unwrap() {
                for run in layout.runs(&share) {
                    if run.begins {
                        counts = vec![0; run.results];
                    }
                    for result in &mut counts[run.first..][..run.states.len()] {
                        assert_eq!(*result, run.before, "{numbers:?} in {most}");
                        *result += share.len;
                    }
                    if let Some(n) = run.completes {
                        assert!(n == elements && counts.iter().all(|count| *count == n));
                        completed += counts.len() as u64;
                    }
                }
            }
            assert_eq!(completed, results);
        }
    }

    #[test]
    fn pieces_are_planes_or_rows_and_cover_everything() {
        for (shape, number, most) in [
            ([4, 6, 5], 1, 1000),
            ([4, 6, 5], 1, 60),
            ([4, 6, 5], 1, 29),
            ([4, 6, 5], 1, 5),
            ([7, 1, 1], 1, 3),
            ([1, 100, 1], 1, 8),
            ([5, 6, 7], 0, 42),
        ] {
            let axis = Axis::new(vec![number], false, &shape, false);
            let shares = cut(&axis, most);
            let (mut elements, mut results) = (0, 0);
            for share in &shares {
                let at = (share.plane * axis.len + share.before) * axis.inner;
                assert_eq!(at, elements, "{shape:?} in {most}");
                assert!(share.elements() <= most && share.elements() > 0);
                elements += share.elements();
                results += if share.completes { share.results() } else { 0 };
            }
            assert_eq!((elements, results), (shape.iter().product(), axis.results()), "{shape:?} in {most}");
        }
    }

    #[test]
    fn rows_that_do_not_fit_are_refused_and_no_elements_are_no_pieces() {
        let axis = |numbers: &[usize], shape: &[u64]| Axis::new(numbers.to_vec(), false, shape, false);
        assert!(axis(&[0], &[3, 9]).shares(8).is_err());
        assert!(axis(&[0, 2], &[3, 9, 4]).shares(8).is_err());
        assert!(cut(&axis(&[0], &[0, 9]), 8).is_empty());
        assert!(cut(&axis(&[0], &[4, 0]), 8).is_empty());
    }
}
