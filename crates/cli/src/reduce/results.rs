//! The results of one operator over one file: all of them if they are few, and as an array for a file.

use std::fs::File;
use std::io;

use halofold::reduce::{Op, Scalar};
use serde::Serialize;

use super::dtype;
use super::layout::Layout;
use super::op;
use crate::failure::Failure;
use crate::files::Stored;

/// Letters of a line of results, from which on the next line begins.
const LINE: usize = 72;

/// Results that are printed, at most.
pub const FEW: u64 = 1000;

/// Results in the order of memory.
pub struct Results {
    name: String,
    /// True if each is a minimum and a maximum.
    are_ranges: bool,
    /// The types of the numbers of each: one, but for the operators of requests.
    dtypes: Vec<Stored>,
    /// Their dimensions; none of a single one.
    shape: Vec<u64>,
    fortran: bool,
    /// Numbers of each, which are another dimension of the array: the first one, or the last.
    several: Option<(u64, bool)>,
    pushed: u64,
    /// All of them, if they are few.
    few: Option<Vec<Option<Scalar>>>,
    /// All of them as bytes of an array, if a file is to hold them.
    bytes: Option<Vec<u8>>,
}

impl Results {
    /// Before the first one of elements `of` a type; `stored` in an array or not.
    pub fn new(op: Op, of: Stored, layout: &Layout, stored: bool) -> Self {
        let results = Results::named(op.name(), vec![op::dtype(op, of)], layout, stored);
        Results { are_ranges: op == Op::MinMax, ..results }
    }

    /// Before the first one, each of numbers of these types.
    pub fn named(name: &str, dtypes: Vec<Stored>, layout: &Layout, stored: bool) -> Self {
        let (shape, fortran, count) = match layout {
            Layout::Whole => (Vec::new(), false, 1),
            Layout::Axis(axis) => (axis.shape.clone(), axis.fortran, axis.results()),
        };
        // An array of no results may still be more empty lists than memory holds.
        let lists = shape.iter().fold(1u64, |all, n| all.saturating_mul((*n).max(1))).max(count);
        Results {
            name: name.to_owned(),
            are_ranges: false,
            dtypes,
            shape,
            fortran,
            several: None,
            pushed: 0,
            few: (lists <= FEW).then(Vec::new),
            bytes: stored.then(Vec::new),
        }
    }

    /// Returns these for so many numbers of each, which are pushed one after the other: the array has a dimension more, the first one or the
    /// last.
    pub fn with_several(self, number: u64, is_first: bool) -> Self {
        let lists = self.shape.iter().fold(number, |all, n| all.saturating_mul((*n).max(1)));
        Results { several: Some((number, is_first)), few: (lists <= FEW).then(Vec::new), ..self }
    }

    /// Their operator.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds the next one, or the next number of it; none of no elements, where there is none.
    pub fn push(&mut self, answer: Option<Scalar>) -> Result<(), Failure> {
        if let Some(bytes) = &mut self.bytes {
            let dtype = self.dtypes[0];
            // A range of no elements is two NaNs.
            let times = if self.are_ranges && answer.is_none() { 2 } else { 1 };
            let encoded = (0..times).try_for_each(|_| dtype::encode(dtype, answer, bytes));
            encoded.ok_or_else(|| {
                if answer.is_none() {
                    let (name, number) = (&self.name, self.pushed);
                    return Failure::Usage(format!(
                        "{name}: all elements of result {number} are left out, and it has no value; print it"
                    ));
                }
                Failure::Usage(format!(
                    "{}: result {} does not fit {}; take an operator that wraps, or print it",
                    self.name,
                    self.pushed,
                    dtype.numpy()
                ))
            })?;
        }
        if let Some(few) = &mut self.few {
            few.push(answer);
        }
        self.pushed += 1;
        Ok(())
    }

    /// The dimensions of the array: a range is a last one of two.
    pub fn shape(&self) -> Vec<u64> {
        match self.dimension() {
            None => self.shape.clone(),
            Some((number, true)) => [&[number], &self.shape[..]].concat(),
            Some((number, false)) => [&self.shape[..], &[number]].concat(),
        }
    }

    /// The length of the dimension that numbers of each have, and if it is the first one.
    fn dimension(&self) -> Option<(u64, bool)> {
        if self.are_ranges { Some((2, false)) } else { self.several }
    }

    /// True if they are elements with their places.
    pub fn have_places(&self) -> bool {
        self.several.is_some_and(|(_, is_first)| !is_first)
    }

    /// The type of the array, as NumPy names it.
    pub fn dtype(&self) -> String {
        self.dtypes.iter().map(|dtype| dtype.numpy()).collect::<Vec<_>>().join(",")
    }

    /// True if they are true or false.
    pub fn are_truths(&self) -> bool {
        self.dtypes == [Stored::Bool]
    }

    /// The first of them, which is the only one of a whole file.
    pub fn only(&self) -> Option<Scalar> {
        self.few.as_ref()?.first().copied().flatten()
    }

    /// All results as nested lists, if they are few.
    pub fn nested(&self) -> Option<Nested<'_>> {
        let answers = self.few.as_deref()?;
        let mut strides = vec![1; self.shape.len()];
        let number = self.several.map_or(self.dtypes.len(), |(number, _)| number as usize);
        let numbers = Some((number, 1)).filter(|_| number > 1 || self.several.is_some());
        let mut each = number;
        let mut place = |dimension: usize| {
            strides[dimension] = each;
            each *= self.shape[dimension] as usize;
        };
        if self.fortran {
            (0..self.shape.len()).for_each(&mut place);
        } else {
            (0..self.shape.len()).rev().for_each(&mut place);
        }
        let dimensions = self.shape.iter().zip(strides).map(|(len, stride)| (*len as usize, stride));
        let dimensions = dimensions.chain(numbers).collect();
        Some(Nested { answers, dimensions })
    }

    /// Writes them as a `.npy` array.
    pub fn write(&self, file: &mut File) -> io::Result<()> {
        let stored = self.bytes.as_deref().unwrap_or_default();
        // The last dimension is the slowest one in Fortran's order, the first one in C's: all minima, then all maxima.
        let split;
        let bytes = match self.dimension() {
            Some((number, is_first)) if is_first != self.fortran => {
                split = planes(stored, self.dtypes[0].size() as usize, number as usize);
                &split
            }
            _ => stored,
        };
        let shape = self.shape();
        dtype::write_npy(self.dtypes[0], &shape, self.fortran && shape.len() > 1, bytes, file)
    }
}

/// Groups of so many elements: the first of all, then the second of all, and so on.
fn planes(groups: &[u8], size: usize, number: usize) -> Vec<u8> {
    let plane =
        |nth: usize| groups.chunks_exact(number * size).flat_map(move |group| &group[nth * size..][..size]);
    (0..number).flat_map(plane).copied().collect()
}

/// Few results, in the order of their dimensions.
pub struct Nested<'a> {
    answers: &'a [Option<Scalar>],
    /// The length of each, and from one to the next.
    dimensions: Vec<(usize, usize)>,
}

impl Nested<'_> {
    /// As a tree, each result as `make` makes it.
    pub fn tree<T>(&self, make: impl Fn(Option<Scalar>) -> T) -> Tree<T> {
        self.list(0, 0, &make)
    }

    fn list<T>(&self, dimension: usize, at: usize, make: &impl Fn(Option<Scalar>) -> T) -> Tree<T> {
        let Some(&(len, stride)) = self.dimensions.get(dimension) else {
            return Tree::Leaf(make(self.answers[at]));
        };
        Tree::List((0..len).map(|k| self.list(dimension + 1, at + k * stride, make)).collect())
    }
}

/// Nested lists.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Tree<T> {
    Leaf(T),
    List(Vec<Tree<T>>),
}

impl<T> Tree<T> {
    /// As text, each leaf as `show` writes it, in lines that end between two leaves.
    pub fn text(&self, show: &impl Fn(&T) -> String) -> String {
        textwrap::fill(&self.unbroken(show), LINE).replace('\u{a0}', " ")
    }

    fn unbroken(&self, show: &impl Fn(&T) -> String) -> String {
        match self {
            Tree::Leaf(leaf) => show(leaf).replace(' ', "\u{a0}"),
            Tree::List(items) => {
                let items: Vec<_> = items.iter().map(|item| item.unbroken(show)).collect();
                format!("[{}]", items.join(", "))
            }
        }
    }

    /// The leaves in their order, with their places.
    pub fn leaves(&self) -> Vec<(Vec<usize>, &T)> {
        match self {
            Tree::Leaf(leaf) => vec![(Vec::new(), leaf)],
            Tree::List(items) => {
                let mut all = Vec::new();
                for (at, item) in items.iter().enumerate() {
                    let leaves = item.leaves().into_iter();
                    all.extend(leaves.map(|(place, leaf)| ([&[at], &place[..]].concat(), leaf)));
                }
                all
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use halofold::{Element, Value};

    use super::super::layout::Axis;
    use super::*;

    fn results(op: Op, fortran: bool, answers: impl Iterator<Item = Scalar>) -> Results {
        let axis = Axis::new(vec![2], false, &[2, 3, 4], fortran);
        let mut results = Results::new(op, Element::U32.into(), &Layout::Axis(axis), true);
        answers.for_each(|answer| results.push(Some(answer)).map_err(|_| ()).unwrap());
        results
    }

    #[test]
    fn lists_follow_the_dimensions() {
        let value = |x| Scalar::One(Value::Unsigned(x));
        let text = |fortran| {
            let results = results(Op::Max, fortran, (0..6).map(value));
            let tree = results.nested().unwrap().tree(|answer| answer.unwrap());
            assert_eq!(tree.leaves()[4].0, [1, 1]);
            tree.text(&Scalar::to_string)
        };
        assert_eq!(text(false), "[[0, 1, 2], [3, 4, 5]]");
        assert_eq!(text(true), "[[0, 2, 4], [1, 3, 5]]");
    }

    #[test]
    fn ranges_have_a_dimension_more() {
        let range = |x| Scalar::Range { min: Value::Unsigned(x), max: Value::Unsigned(10 + x) };
        let results = results(Op::MinMax, true, (0..6).map(range));
        assert_eq!(results.shape(), [2, 3, 2]);
        assert_eq!(planes(&[0, 10, 1, 11], 1, 2), [0, 1, 10, 11]);
    }
}
