//! The files of the command line, checked before anything runs.

use std::path::{Path, PathBuf};

use halofold::Value;

use super::ReduceArgs;
use super::axes::Axes;
use super::layout::{Axis, Layout, LongRow, Share, Shares};
use super::ranked::Lines;
use crate::failure::Failure;
use crate::file_errors::FileErrors;
use crate::files::{Bare, Source, Stored, npy};

/// A mask of a file's elements.
#[derive(Clone, Copy)]
enum Mask {
    /// Another file's Booleans.
    Booleans,
    /// Its own elements from one to another.
    Between([Value; 2]),
}

/// A file that has been checked.
pub struct Work {
    /// Its name on the command line.
    pub path: String,
    /// The same where it is no Unicode.
    file: PathBuf,
    /// The type of its elements, as the GPU takes them.
    pub stored: Stored,
    /// The same, as the file has them.
    held: Stored,
    /// The number of elements, if that is known before the end.
    pub len: Option<u64>,
    /// Its dimensions, and whether the first of them runs fastest; none of bare elements without a shape.
    pub shape: Vec<u64>,
    pub fortran: bool,
    /// The elements of each result.
    pub layout: Layout,
    /// The elements of the files before it that have the same result.
    pub before: u64,
    /// The lines whose elements a GPU puts next to each other, if it is read by lines.
    pub lines: Option<Lines>,
    /// The mask that is made of its elements, if it is one of another file's.
    mask: Option<Mask>,
    /// True if its pieces can be read by their places.
    has_places: bool,
    /// The file itself, where it can be opened only once.
    stream: Option<Source>,
}

/// Opens every file and checks its header. Returns the files that can be reduced.
pub fn survey(
    paths: &[PathBuf],
    args: &ReduceArgs,
    errors: &mut FileErrors,
    check: impl Fn(&Work) -> Result<(), Failure>,
) -> Result<Vec<Work>, Failure> {
    if paths.iter().filter(|path| is_standard_input(path)).count() > 1 {
        return Err(Failure::usage("`-` is named twice: standard input can be read only once"));
    }
    let bare = args.raw.bare();
    let look = |path| {
        let work = Work::look(path, bare.as_ref(), |source| layout(args, source));
        work.and_then(|work| check(&work).map(|()| work))
    };
    paths.iter().filter_map(|path| errors.report(look(path)).transpose()).collect()
}

/// The number of bytes of all elements, if that is known before the end. A header may claim any size.
pub fn bytes<'a>(works: impl IntoIterator<Item = &'a Work>) -> Option<u64> {
    works.into_iter().try_fold(0, |all: u64, work| Some(all.saturating_add(work.bytes()?)))
}

/// Opens a file for reading, and a second one that goes with it.
pub fn open(work: &mut Work, second: Option<&mut Work>, raw: Option<&Bare>) -> Result<Vec<Source>, Failure> {
    [Some(work), second].into_iter().flatten().map(|work| work.open(raw)).collect()
}

impl Work {
    /// A file all elements of which go together.
    pub fn whole(path: &Path, raw: Option<&Bare>) -> Result<Self, Failure> {
        Work::look(path, raw, |_| Ok(Layout::Whole))
    }

    /// The same file to those who do not read it.
    pub fn described(&self) -> Work {
        Work {
            path: self.path.clone(),
            file: self.file.clone(),
            layout: self.layout.clone(),
            shape: self.shape.clone(),
            lines: self.lines.clone(),
            stream: None,
            ..*self
        }
    }

    fn look(
        path: &Path,
        raw: Option<&Bare>,
        layout: impl FnOnce(&Source) -> Result<Layout, Failure>,
    ) -> Result<Self, Failure> {
        let source = Source::open_packed(path, raw).map_err(|error| Failure::Usage(error.with_raw_hint()))?;
        let layout = layout(&source)?;
        Ok(Work {
            path: path.display().to_string(),
            file: path.to_owned(),
            stored: source.stored(),
            held: source.stored(),
            len: source.len(),
            shape: source.shape().to_vec(),
            fortran: source.is_fortran(),
            layout,
            before: 0,
            lines: None,
            mask: None,
            has_places: source.file().is_some(),
            // Files are closed again, and reopened one by one: a system may allow no more than 256 at a time. What comes
            // through a pipe has to stay open.
            stream: (!source.reopens()).then_some(source),
        })
    }

    /// A mask of the elements of another file: Booleans in an array of its shape.
    pub fn mask_of(work: &Work, path: &Path) -> Result<Self, Failure> {
        let mask = Work::look(path, None, |_| Ok(work.layout.clone()))?;
        if mask.held != Stored::Bool {
            let (path, held) = (&mask.path, mask.held);
            return Err(Failure::Usage(format!("--where {path}: has type {held}, and a mask is of bool")));
        }
        // Bare elements without a shape are one row.
        let is_row = work.shape.is_empty() && mask.shape.len() == 1;
        let shape = if is_row { Vec::new() } else { mask.shape.clone() };
        let stream = mask.stream.map(|source| source.masking(work.stored));
        let mask = Work { stored: work.stored, mask: Some(Mask::Booleans), shape, stream, ..mask };
        work.check_pair(&mask).map(|()| mask)
    }

    /// A mask of the elements of the file itself that lie from one to another.
    pub fn mask_between(&self, ends: [Value; 2], raw: Option<&Bare>) -> Result<Self, Failure> {
        Ok(Work { mask: Some(Mask::Between(ends)), ..Work::whole(&self.file, raw)? })
    }

    fn open(&mut self, raw: Option<&Bare>) -> Result<Source, Failure> {
        if let Some(source) = self.stream.take() {
            return Ok(source);
        }
        let is_other = matches!(self.mask, Some(Mask::Booleans));
        let raw = raw.filter(|_| !is_other);
        let source =
            Source::open_packed(&self.file, raw).map_err(|error| Failure::Usage(error.with_raw_hint()))?;
        // The kernels that are ready, and the buffers for pieces, are those for the file as it was found first.
        let now = (source.stored(), source.len(), source.is_fortran());
        let is_alike = is_other && self.shape.is_empty() || source.shape() == self.shape;
        if now != (self.held, self.len, self.fortran) || !is_alike {
            return Err(Failure::Usage(format!("{}: was changed meanwhile; run this again", self.path)));
        }
        Ok(match self.mask {
            Some(Mask::Booleans) => source.masking(self.stored),
            Some(Mask::Between(ends)) => source.masking_between(ends),
            None => source,
        })
    }

    /// Takes whole lines at a time from now on; without any, the elements as they lie.
    pub fn take_lines(&mut self, lines: Option<Lines>) {
        self.layout = lines.as_ref().map_or(Layout::Whole, Lines::layout);
        self.lines = lines;
    }

    /// The lines along axes with these numbers. Bare elements without a shape are one.
    pub fn lines_along(&self, numbers: &[usize]) -> Lines {
        let bare = [self.len.unwrap_or(0)];
        let is_bare = self.shape.is_empty() && !numbers.is_empty();
        Lines::along(numbers, if is_bare { &bare } else { &self.shape }, self.fortran)
    }

    /// The lengths and strides of elements that a GPU puts in another order.
    pub fn places(&self) -> &[[u64; 2]] {
        self.lines.as_ref().map_or(&[], |lines| &lines.places)
    }

    /// True if a GPU makes other elements of those in the file, or puts them in another order.
    pub fn is_unpacked(&self) -> bool {
        self.stored.is_packed() || !self.places().is_empty()
    }

    /// Takes elements of 8 and 16 bits as unsigned integers of the same bits.
    pub fn take_patterns(&mut self) {
        self.stored = match self.stored.size() {
            1 => Stored::U8,
            2 => Stored::U16,
            _ => self.stored,
        };
    }

    /// Checks that another file holds as many elements of the same type in the same order.
    pub fn check_pair(&self, other: &Work) -> Result<(), Failure> {
        let order = |work: &Work| if work.fortran { "Fortran's" } else { "C's" };
        let differ = |what: &str, own: String, others: String| {
            let option = if other.mask.is_some() { "--where" } else { "--with" };
            Err(Failure::Usage(format!(
                "{option} {}: {what} {others}, and {} has {own}: the two must be alike",
                other.path, self.path
            )))
        };
        if self.stored != other.stored {
            return differ("has type", self.stored.to_string(), other.stored.to_string());
        }
        let known = self.len.zip(other.len);
        if self.shape != other.shape || known.is_some_and(|(own, others)| own != others) {
            return differ("has shape", self.dimensions(), other.dimensions());
        }
        if self.fortran != other.fortran {
            return differ("is in the order", order(self).to_owned(), order(other).to_owned());
        }
        Ok(())
    }

    /// True if it is read from its start to its end only.
    pub fn is_stream(&self) -> bool {
        !self.has_places
    }

    /// True if it can be read once only.
    pub fn passes_once(&self) -> bool {
        self.stream.is_some()
    }

    /// The pieces of at most so many elements that are one of several processes', and the number of elements before them. The pieces of
    /// all are those of one, in the order of the processes.
    pub fn shares_of(&self, elements: u64, [place, count]: [usize; 2]) -> Result<(Shares, u64), LongRow> {
        let ahead = self.before;
        let behind = move |share: Share| Share { before: share.before + ahead, ..share };
        let shares: Shares = Box::new(self.layout.shares(elements)?.map(behind));
        if count == 1 {
            return Ok((shares, 0));
        }
        let pieces = match self.layout {
            Layout::Whole => self.len.unwrap_or(0).div_ceil(elements),
            Layout::Axis(_) => self.layout.shares(elements)?.count() as u64,
        };
        let first = |place: usize| (u128::from(pieces) * place as u128 / count as u128) as usize;
        let own = first(place)..first(place + 1);
        let before = self.layout.shares(elements)?.take(own.start).map(|share| share.elements()).sum();
        Ok((Box::new(shares.skip(own.start).take(own.len())), before))
    }

    /// The number of bytes of elements, if that is known before the end.
    pub fn bytes(&self) -> Option<u64> {
        self.len.map(|len| len * self.stored.size())
    }

    /// True if searches have to count the places of its elements in another order than that of memory: C's.
    pub fn is_turned(&self) -> bool {
        self.fortran && self.shape.len() > 1 && self.layout.is_one_line()
    }

    /// Its shape as NumPy writes it; of bare elements how many there are.
    fn dimensions(&self) -> String {
        let bare = [self.len.unwrap_or(0)];
        npy::tuple(if self.shape.is_empty() { &bare } else { &self.shape })
    }
}

/// The elements of each result of a source. Bare elements without a shape are an array of one dimension.
fn layout(args: &ReduceArgs, source: &Source) -> Result<Layout, Failure> {
    let axes = args.axis.as_ref().unwrap_or(&Axes::All);
    if *axes == Axes::All && !args.keepdims {
        return Ok(Layout::Whole);
    }
    let refused = |why: String| Failure::Usage(format!("{}: {why}", source.name()));
    let without = "--axis needs a shape, and bare elements from a stream have none: name one with --shape";
    let shape = if args.raw.is_run() {
        vec![source.len().ok_or_else(|| refused(without.to_owned()))?]
    } else {
        source.shape().to_vec()
    };
    let numbers = axes.of(shape.len()).map_err(refused)?;
    Ok(Layout::Axis(Axis::new(numbers, args.keepdims, &shape, source.is_fortran())))
}

fn is_standard_input(path: &Path) -> bool {
    path == Path::new("-")
}
