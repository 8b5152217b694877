//! The elements of a file that make each result, and the pieces in which they come.

use serde::{Deserialize, Serialize};

/// The pieces of a file.
pub type Shares = Box<dyn Iterator<Item = Share> + Send>;

/// An error: a row of the array is larger than a piece.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error(
    "a row of {inner} elements, all that have the same position along the axis, does not fit a piece of {most}; \
     make --piece larger (at most 1073741824 bytes), or reduce another axis first"
)]
pub struct LongRow {
    inner: u64,
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
    /// One for each line along an axis.
    Axis(Axis),
}

/// The axis of an array as the middle one of three, in the order of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Its number, from 0.
    pub number: usize,
    pub outer: u64,
    pub len: u64,
    pub inner: u64,
    /// The dimensions that are left.
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

impl Axis {
    /// An axis of an array, counted from the end if it is negative.
    pub fn new(axis: i64, shape: &[u64], fortran: bool) -> Result<Self, String> {
        let dimensions = shape.len() as i64;
        if !(-dimensions..dimensions).contains(&axis) {
            let range = match dimensions {
                0 => "an array of no dimension has none".to_owned(),
                n => format!("an array of {n} has {} to {}", -n, n - 1),
            };
            return Err(format!("--axis {axis}: {range}"));
        }
        let number = axis.rem_euclid(dimensions) as usize;
        let (front, behind) = (&shape[..number], &shape[number + 1..]);
        let [front_len, behind_len] = [front, behind].map(product);
        let (outer, inner) = if fortran { (behind_len, front_len) } else { (front_len, behind_len) };
        Ok(Axis { number, outer, len: shape[number], inner, shape: [front, behind].concat(), fortran })
    }

    /// The number of results.
    pub fn results(&self) -> u64 {
        self.outer * self.inner
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
}

impl Axis {
    fn shares(&self, most: u64) -> Result<Shares, LongRow> {
        let &Axis { outer, len, inner, .. } = self;
        if outer == 0 || len == 0 || inner == 0 {
            return Ok(Box::new(std::iter::empty()));
        }
        if inner > most {
            return Err(LongRow { inner, most });
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
        let axis = |number, shape: &[u64], fortran| {
            let axis = Axis::new(number, shape, fortran).unwrap();
            (axis.outer, axis.len, axis.inner, axis.shape)
        };
        assert_eq!(axis(1, &[2, 3, 5, 7], false), (2, 3, 35, vec![2, 5, 7]));
        assert_eq!(axis(1, &[2, 3, 5, 7], true), (35, 3, 2, vec![2, 5, 7]));
        assert_eq!(axis(-1, &[2, 3], false), (2, 3, 1, vec![2]));
        assert_eq!(axis(-2, &[2, 3], true), (3, 2, 1, vec![3]));
        assert_eq!(axis(0, &[9], false), (1, 9, 1, vec![]));
        assert_eq!(axis(1, &[0, 3, u64::MAX, 9], false), (0, 3, u64::MAX, vec![0, u64::MAX, 9]));
        assert!(Axis::new(2, &[2, 3], false).unwrap_err().contains("-2 to 1"));
        assert!(Axis::new(-3, &[2, 3], false).is_err() && Axis::new(0, &[], false).is_err());
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
            let axis = Axis::new(number, &shape, false).unwrap();
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
        assert!(Axis::new(0, &[3, 9], false).unwrap().shares(8).is_err());
        assert!(cut(&Axis::new(0, &[0, 9], false).unwrap(), 8).is_empty());
        assert!(cut(&Axis::new(0, &[4, 0], false).unwrap(), 8).is_empty());
    }
}
