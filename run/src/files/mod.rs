//! Data files of halofold's programs, handed out in pieces of whole elements.
//!
//! A [`Source`] is a NumPy `.npy` file or a run of bare elements, from a file or from standard
//! input. It never holds more than the piece its caller asks for, so a file larger than memory
//! streams through. Everything that can be known before the first element is checked when the
//! source is opened: a truncated file fails before any work is done. [`npy`] writes such files.

mod error;
mod grammar;
mod header;
mod native;
pub mod npy;
mod reader;
mod stored;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::File;
use std::ops::Range;
use std::path::Path;

use halofold::Element;

pub use error::InputError;
use native::{swap_bytes, widen};
use reader::{Place, Reader, fill, open_reader};
pub use stored::Stored;

/// The argument that means standard input.
const STANDARD_INPUT: &str = "-";

/// The treatment of integers that are narrower than any of the library's, and of Booleans, in a `.npy` file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Narrow {
    /// The file is refused.
    Refused,
    /// 32-bit integers are handed out in their place.
    Widened,
    /// They are handed out as they are.
    Packed,
}

/// The elements of one data file, in the order in which they lie there.
pub struct Source {
    /// The file as the command line named it, in Unicode.
    name: String,
    /// The source of the bytes; a stream is past the header. Not buffered: pieces are read straight into the
    /// caller's memory.
    reader: Reader,
    /// The position in a file at which the elements, or those of a part, begin.
    start: u64,
    /// The type of the elements in the file.
    stored: Stored,
    /// True if 32-bit integers are handed out in place of narrower ones.
    widens: bool,
    /// The array's dimensions; none of bare elements.
    shape: Vec<u64>,
    /// True if the first dimension runs fastest.
    fortran: bool,
    /// True if the file's byte order is not this machine's.
    swap: bool,
    /// The number of bytes the elements take; unknown until the end in a stream of bare elements.
    bytes: Option<u64>,
    /// The number of them that have been handed out.
    taken: u64,
}

impl Source {
    /// Opens `path`, where `-` is standard input: a `.npy` file of a type that the library reduces.
    ///
    /// # Errors
    ///
    /// There is no such file, it is no such array, or it is not complete.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, InputError> {
        let (reader, length) = open_reader(path.as_ref())?;
        Self::npy(&path.as_ref().to_string_lossy(), reader, length, Narrow::Refused)
    }

    /// Opens a `.npy` file or, with `raw`, bare little-endian elements. Narrower integers and Booleans are handed out as
    /// they are.
    ///
    /// # Errors
    ///
    /// As [`Source::open`]; bare elements of which the last is not complete, or a `.npy` file in their place, whose header is no elements.
    pub fn open_packed(path: impl AsRef<Path>, raw: Option<Stored>) -> Result<Self, InputError> {
        Self::open_narrow(path.as_ref(), raw, Narrow::Packed)
    }

    /// The same, but 32-bit integers are handed out in place of narrower ones and of Booleans.
    ///
    /// # Errors
    ///
    /// As [`Source::open_packed`].
    pub fn open_widening(path: impl AsRef<Path>, raw: Option<Stored>) -> Result<Self, InputError> {
        Self::open_narrow(path.as_ref(), raw, Narrow::Widened)
    }

    fn open_narrow(path: &Path, raw: Option<Stored>, narrow: Narrow) -> Result<Self, InputError> {
        let (reader, length) = open_reader(path)?;
        let name = &path.to_string_lossy();
        match raw {
            Some(_) if reader.file().is_some_and(|file| header::begins(Place { file, at: 0 }, name)) => {
                Err(InputError::NotBare { name: name.to_string() })
            }
            Some(stored) => Self::bare(name, reader, length, stored, narrow),
            None => Self::npy(name, reader, length, narrow),
        }
    }

    /// Only some of the elements, by their places in the order in which they lie in the file. Nothing may have been read before.
    ///
    /// # Errors
    ///
    /// It is a stream, which has no places to go to.
    ///
    /// # Panics
    ///
    /// If there are no such elements.
    pub fn part(mut self, elements: Range<u64>) -> Result<Self, InputError> {
        let len = self.len().unwrap_or(u64::MAX);
        assert!(elements.start <= elements.end && elements.end <= len, "{elements:?} of {len} elements");
        let size = self.stored.size();
        self.places()?;
        self.start += elements.start * size;
        self.bytes = Some((elements.end - elements.start) * size);
        Ok(self)
    }

    /// Bare elements, as many as `length` holds or until the stream ends.
    fn bare(
        name: &str,
        reader: Reader,
        length: Option<u64>,
        stored: Stored,
        narrow: Narrow,
    ) -> Result<Self, InputError> {
        if let Some(length) = length {
            check_whole(name, length, stored)?;
        }
        Ok(Self {
            name: name.to_owned(),
            reader,
            start: 0,
            stored,
            widens: narrow == Narrow::Widened && stored.is_packed(),
            shape: Vec::new(),
            fortran: false,
            swap: cfg!(target_endian = "big"),
            bytes: length,
            taken: 0,
        })
    }

    /// A NumPy array, whose header says what and how much it is.
    fn npy(name: &str, mut reader: Reader, length: Option<u64>, narrow: Narrow) -> Result<Self, InputError> {
        let header = header::read(&mut reader, label(name), narrow != Narrow::Refused)?;
        if let Some(length) = length {
            // More bytes than the array needs are fine, as they are to NumPy: another array may
            // follow.
            let found = length.saturating_sub(header.start);
            if found < header.bytes {
                return Err(InputError::truncated(label(name), "data", header.bytes, found));
            }
        }
        Ok(Self {
            name: name.to_owned(),
            reader,
            start: header.start,
            stored: header.stored,
            widens: narrow == Narrow::Widened && header.stored.is_packed(),
            shape: header.shape,
            fortran: header.fortran,
            swap: header.swap,
            bytes: Some(header.bytes),
            taken: 0,
        })
    }

    /// The file as the command line named it; `-` is standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the elements in the file.
    pub fn stored(&self) -> Stored {
        self.stored
    }

    /// The type of the elements, or the one they are widened to.
    pub fn element(&self) -> Element {
        self.stored.element()
    }

    /// The number of bytes one takes as it is handed out.
    pub fn size(&self) -> u64 {
        if self.widens { self.element().size() } else { self.stored.size() }
    }

    /// The dimensions of the whole array; none of bare elements.
    pub fn shape(&self) -> &[u64] {
        &self.shape
    }

    /// True if the first dimension runs fastest, as in Fortran, instead of the last.
    pub fn is_fortran(&self) -> bool {
        self.fortran
    }

    /// The number of elements in all, or in the part; `None` as long as the end of a stream of bare
    /// elements has not been seen.
    #[allow(clippy::len_without_is_empty, reason = "of a stream it is not known")]
    pub fn len(&self) -> Option<u64> {
        self.bytes.map(|bytes| bytes / self.stored.size())
    }

    /// Fills `piece` from its start with the next elements, in this machine's byte order, and
    /// returns how many.
    ///
    /// As many whole elements as fit come at once, fewer only where the data end, and 0 after that.
    /// Bytes of `piece` past the elements keep no particular value. Each call costs a system call
    /// or two, so let a piece be large, a MiB or more; it must have room for one element.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or ends too early.
    pub fn read(&mut self, piece: &mut [u8]) -> Result<usize, InputError> {
        let wanted = self.wanted(piece.len(), self.taken);
        let found = self.reader.fill(self.start + self.taken, &mut piece[..wanted], label(&self.name))?;
        self.taken += found as u64;
        if found < wanted {
            self.end()?;
        }
        Ok(self.handed_out(piece, found))
    }

    /// Fills `piece` with elements as [`Source::read`] does, but from element number `element` on, and wherever `read` is. Several threads
    /// may do so at once.
    ///
    /// # Errors
    ///
    /// It is a stream, which has no places to go to; the file cannot be read there, or ends too early.
    pub fn read_at(&self, element: u64, piece: &mut [u8]) -> Result<usize, InputError> {
        let file = self.places()?;
        let from = element * self.stored.size();
        let wanted = self.wanted(piece.len(), from);
        let place = Place { file, at: self.start + from };
        let found = fill(place, &mut piece[..wanted], label(&self.name))?;
        if found < wanted {
            // Other threads read other places: how much there is now, only the file knows.
            let length = file.metadata().map_or(self.start + from, |metadata| metadata.len());
            let found = length.saturating_sub(self.start);
            return Err(InputError::truncated(label(&self.name), "data", self.bytes.unwrap_or(found), found));
        }
        Ok(self.handed_out(piece, found))
    }

    /// The open file, if it is a regular one.
    pub fn file(&self) -> Option<&File> {
        self.reader.file()
    }

    /// The file, which has places to go to.
    fn places(&self) -> Result<&File, InputError> {
        self.file().ok_or_else(|| InputError::Stream { name: label(&self.name).into() })
    }

    /// The number of bytes to ask for where there is room for `room` bytes of elements as they are handed out, and `taken` bytes come before.
    fn wanted(&self, room: usize, taken: u64) -> usize {
        let [size, stored] = [self.size(), self.stored.size()].map(|bytes| bytes as usize);
        debug_assert!(room >= size, "no room for one element looks like the end");
        let room = room / size * stored;
        let left = self.bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(taken));
        usize::try_from(left).map_or(room, |left| left.min(room))
    }

    /// Makes what the caller gets of so many bytes that were read to the start of `piece`, and tells how many elements that is.
    fn handed_out(&self, piece: &mut [u8], found: usize) -> usize {
        let stored = self.stored.size() as usize;
        if self.swap {
            swap_bytes(&mut piece[..found], stored);
        }
        let count = found / stored;
        if self.widens {
            widen(piece, count, self.stored);
        }
        count
    }

    /// Judges a reader that had no more to give: an array must be complete, a stream must end
    /// between two elements.
    fn end(&mut self) -> Result<(), InputError> {
        if let Some(bytes) = self.bytes {
            return Err(InputError::truncated(label(&self.name), "data", bytes, self.taken));
        }
        check_whole(&self.name, self.taken, self.stored)?;
        // Known from now on, so that a terminal is not asked for more after its end-of-file key.
        self.bytes = Some(self.taken);
        Ok(())
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source")
            .field("name", &self.name)
            .field("start", &self.start)
            .field("stored", &self.stored)
            .field("widens", &self.widens)
            .field("shape", &self.shape)
            .field("fortran", &self.fortran)
            .field("swap", &self.swap)
            .field("bytes", &self.bytes)
            .field("taken", &self.taken)
            .finish_non_exhaustive()
    }
}

/// The name of the file `name` in error messages.
fn label(name: &str) -> &str {
    if name == STANDARD_INPUT { "standard input" } else { name }
}

/// Refuses a run of bare elements that ends inside one.
fn check_whole(name: &str, bytes: u64, stored: Stored) -> Result<(), InputError> {
    if bytes.is_multiple_of(stored.size()) {
        return Ok(());
    }
    Err(InputError::Ragged { name: label(name).into(), bytes, stored })
}
