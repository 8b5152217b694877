//! The files of the command line, looked at before anything runs.

use std::fs;

use halofold::Element;

use super::layout::{Axis, Layout};
use crate::failure::Failure;
use crate::input::Source;

/// A file that was found good.
pub struct Work {
    /// Its name on the command line.
    pub path: String,
    /// What it holds.
    pub element: Element,
    /// How many bytes of elements, if that is known before the end.
    pub bytes: Option<u64>,
    /// Its dimensions, and whether the first of them runs fastest; none of bare elements.
    pub shape: Vec<u64>,
    pub fortran: bool,
    /// What its results are made of.
    pub layout: Layout,
    /// The file itself, where it can be opened only once.
    stream: Option<Source>,
}

/// Opens every file and checks what can be known without reading it.
pub fn survey(paths: &[String], raw: Option<Element>, axis: Option<i64>) -> Result<Vec<Work>, Failure> {
    if paths.iter().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::usage("`-` is named twice: standard input can be read only once"));
    }
    paths.iter().map(|path| Work::look(path, raw, axis)).collect()
}

impl Work {
    fn look(path: &str, raw: Option<Element>, axis: Option<i64>) -> Result<Self, Failure> {
        let source = Source::open(path, raw).map_err(|error| Failure::Usage(error.with_raw_hint()))?;
        let element = source.element();
        // Files are closed again, and reopened one by one: a system may allow no more than 256 at a time. What comes
        // through a pipe has to stay open.
        let reopens = !is_standard_input(path) && fs::metadata(path).is_ok_and(|found| found.is_file());
        let layout = match axis {
            None => Layout::Whole,
            Some(axis) => Layout::Axis(along(axis, &source, raw.is_some())?),
        };
        Ok(Work {
            path: path.to_owned(),
            element,
            bytes: source.len().map(|len| len * element.size()),
            shape: source.shape().to_vec(),
            fortran: source.is_fortran(),
            layout,
            stream: (!reopens).then_some(source),
        })
    }

    /// Opens it for reading.
    pub fn open(&mut self, raw: Option<Element>) -> Result<Source, Failure> {
        if let Some(source) = self.stream.take() {
            return Ok(source);
        }
        let source = Source::open(&self.path, raw).map_err(|error| Failure::Usage(error.with_raw_hint()))?;
        // The kernels that are ready, and the space for pieces, are those for what was found first.
        let bytes = source.len().map(|len| len * source.element().size());
        let now = (source.element(), bytes, source.shape(), source.is_fortran());
        if now != (self.element, self.bytes, &self.shape, self.fortran) {
            return Err(Failure::Usage(format!("{}: was changed meanwhile; run this again", self.path)));
        }
        Ok(source)
    }

    /// Checks that another file holds as many elements of the same type in the same order.
    pub fn check_pair(&self, other: &Work) -> Result<(), Failure> {
        let order = |work: &Work| if work.fortran { "Fortran's" } else { "C's" };
        let differ = |what: &str, own: String, others: String| {
            Err(Failure::Usage(format!(
                "--with {}: {what} {others}, and {} has {own}: the two must be alike",
                other.path, self.path
            )))
        };
        if self.element != other.element {
            return differ("has type", self.element.to_string(), other.element.to_string());
        }
        let known = self.bytes.zip(other.bytes);
        if self.shape != other.shape || known.is_some_and(|(own, others)| own != others) {
            return differ("has shape", self.dimensions(), other.dimensions());
        }
        if self.fortran != other.fortran {
            return differ("is in the order", order(self).to_owned(), order(other).to_owned());
        }
        Ok(())
    }

    /// Its shape as NumPy writes it; of bare elements how many there are.
    fn dimensions(&self) -> String {
        let bare = [self.bytes.unwrap_or(0) / self.element.size()];
        let shape = if self.shape.is_empty() { &bare[..] } else { &self.shape };
        format!("({})", shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))
    }
}

/// The axis of a source. Bare elements are an array of one dimension.
fn along(axis: i64, source: &Source, bare: bool) -> Result<Axis, Failure> {
    let name = source.name();
    let made = if bare {
        let len = source.len().ok_or_else(|| {
            Failure::Usage(format!("{name}: --axis needs a shape, and bare elements from a stream have none"))
        })?;
        Axis::new(axis, &[len], false)
    } else {
        Axis::new(axis, source.shape(), source.is_fortran())
    };
    made.map_err(|error| Failure::Usage(format!("{name}: {error}")))
}

fn is_standard_input(path: &str) -> bool {
    path == "-"
}
