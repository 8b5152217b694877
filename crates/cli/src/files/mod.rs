//! Data files of halofold's programs, handed out in pieces of whole elements.
//!
//! A [`Source`] is a NumPy `.npy` file, an array in a `.npz` file or a run of bare elements, from a file or from standard
//! input. It never holds more than the piece its caller asks for, so a file larger than memory
//! streams through. Everything that can be known before the first element is checked when the
//! source is opened: a truncated file fails before any work is done. [`npy`] writes such files.

mod archive;
mod bare;
mod error;
mod grammar;
mod header;
mod native;
pub mod npy;
mod reader;
mod stored;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::ops::Range;
use std::path::Path;

use halofold::{Element, Value};
use halofold_fleet::Place;

pub use bare::{Bare, BareArgs, Dimensions, UnknownType};
pub use error::{Fault, InputError};
use header::{Header, check_whole};
use native::{mark, spread, swap_bytes, widen};
use reader::{Opened, Reader, fill, open_reader};
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

/// The mask that a source hands out in place of its elements.
#[derive(Clone, Copy, Debug)]
enum Mask {
    /// Its Booleans, for elements of a type.
    Booleans(Stored),
    /// Those from one to another.
    Between([Value; 2]),
}

/// The elements of one data file, in the order in which they lie there.
#[derive(Debug)]
pub struct Source {
    /// The file as the command line named it, in Unicode.
    name: String,
    /// The source of the bytes; a stream is past the header. Not buffered: pieces are read straight into the
    /// caller's memory.
    reader: Reader,
    /// The elements, or those of a part: their type, their number and the position in a file at which they begin.
    header: Header,
    /// True if 32-bit integers are handed out in place of narrower ones.
    widens: bool,
    /// None if it hands out the elements.
    mask: Option<Mask>,
    /// The number of bytes that have been handed out.
    taken: u64,
    /// True if its name opens it again.
    reopens: bool,
}

impl Source {
    /// Opens `path`, where `-` is standard input: a `.npy` file of a type that the library reduces.
    ///
    /// # Errors
    ///
    /// There is no such file, it is no such array, or it is not complete.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, InputError> {
        Self::open_narrow(path.as_ref(), None, Narrow::Refused)
    }

    /// Opens a `.npy` file or, with `raw`, bare elements. Narrower integers and Booleans are handed out as they are.
    ///
    /// # Errors
    ///
    /// As [`Source::open`]; bare elements of which the last is not complete or that have another shape, or a `.npy` file in their place,
    /// whose header is no elements.
    pub fn open_packed(path: impl AsRef<Path>, raw: Option<&Bare>) -> Result<Self, InputError> {
        Self::open_narrow(path.as_ref(), raw, Narrow::Packed)
    }

    /// The same, but 32-bit integers are handed out in place of narrower ones and of Booleans.
    ///
    /// # Errors
    ///
    /// As [`Source::open_packed`].
    pub fn open_widening(path: impl AsRef<Path>, raw: Option<&Bare>) -> Result<Self, InputError> {
        Self::open_narrow(path.as_ref(), raw, Narrow::Widened)
    }

    fn open_narrow(path: &Path, raw: Option<&Bare>, narrow: Narrow) -> Result<Self, InputError> {
        let name = &path.to_string_lossy();
        let opened = Self::open_array(path, raw.is_some()).map_err(|fault| InputError::new(name, fault));
        opened.and_then(|opened| Self::new(name, opened, raw, narrow))
    }

    /// Opens a file, or an array in an archive. Bare elements are in none.
    fn open_array(path: &Path, is_bare: bool) -> Result<Opened, Fault> {
        let member = archive::named(path).filter(|_| !is_bare);
        let opened = open_reader(member.as_ref().map_or(path, |(path, _)| path))?;
        let begins = |file| header::begins_archive(Place { file, at: 0 });
        match opened.reader {
            Reader::File(file) if member.is_some() || !is_bare && begins(&file) => {
                archive::open(file, member.map(|(_, array)| array))
            }
            reader => Ok(Opened { reader, ..opened }),
        }
    }

    /// The elements of an open file: those of a NumPy array, or bare ones.
    fn new(
        name: &str,
        Opened { mut reader, start, end, reopens }: Opened,
        raw: Option<&Bare>,
        narrow: Narrow,
    ) -> Result<Self, InputError> {
        let header = match raw {
            Some(_) if reader.file().is_some_and(|file| header::begins(Place { file, at: 0 })) => {
                Err(Fault::NotBare)
            }
            Some(bare) => Header::bare(bare, end),
            None => Header::read(&mut reader, narrow != Narrow::Refused),
        };
        let mut header = header.map_err(|fault| InputError::new(name, fault))?;
        header.start += start;
        let widens = narrow == Narrow::Widened && header.stored.is_packed();
        let source = Source { name: name.to_owned(), reader, header, widens, mask: None, taken: 0, reopens };
        // More bytes than the array needs are fine, as they are to NumPy: another array may follow.
        let found = end.map(|end| end.saturating_sub(source.header.start));
        match found.filter(|found| source.header.bytes.is_some_and(|bytes| *found < bytes)) {
            Some(found) => Err(source.truncated(found)),
            None => Ok(source),
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
        let size = self.header.stored.size();
        self.places()?;
        self.header.start += elements.start * size;
        self.header.bytes = Some((elements.end - elements.start) * size);
        Ok(self)
    }

    /// Hands Booleans out as a mask of elements of a type: as large, with no bit set if false, and several bits of each byte if true.
    ///
    /// # Panics
    ///
    /// If they are no Booleans.
    pub fn masking(self, elements: Stored) -> Self {
        assert_eq!(self.stored(), Stored::Bool, "a mask is of Booleans");
        Source { mask: Some(Mask::Booleans(elements)), ..self }
    }

    /// Hands out such a mask of the elements from one to another, of 32 or 64 bits.
    pub fn masking_between(self, ends: [Value; 2]) -> Self {
        Source { mask: Some(Mask::Between(ends)), ..self }
    }

    /// The file as the command line named it; `-` is standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The type of the elements in the file.
    pub fn stored(&self) -> Stored {
        self.header.stored
    }

    /// The type of the elements, or the one they are widened to.
    pub fn element(&self) -> Element {
        self.header.stored.element()
    }

    /// The number of bytes one takes as it is handed out.
    pub fn size(&self) -> u64 {
        match self.mask {
            Some(Mask::Booleans(elements)) => elements.size(),
            _ if self.widens => self.element().size(),
            _ => self.header.stored.size(),
        }
    }

    /// The dimensions of the whole array; none of bare elements without a shape.
    pub fn shape(&self) -> &[u64] {
        &self.header.shape
    }

    /// True if the first dimension runs fastest, as in Fortran, instead of the last.
    pub fn is_fortran(&self) -> bool {
        self.header.fortran
    }

    /// The number of elements in all, or in the part; `None` as long as the end of a stream of bare
    /// elements has not been seen.
    #[allow(clippy::len_without_is_empty, reason = "of a stream it is not known")]
    pub fn len(&self) -> Option<u64> {
        self.header.bytes.map(|bytes| bytes / self.header.stored.size())
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
        let at = self.header.start + self.taken;
        let found = self.reader.fill(at, &mut piece[..wanted]).map_err(|fault| self.error(fault))?;
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
        let from = element * self.header.stored.size();
        let wanted = self.wanted(piece.len(), from);
        let at = self.header.start + from;
        let found = fill(Place { file, at }, &mut piece[..wanted]).map_err(|fault| self.error(fault))?;
        if found < wanted {
            // Other threads read other places: how much there is now, only the file knows.
            let length = file.metadata().map_or(at, |metadata| metadata.len());
            return Err(self.truncated(length.saturating_sub(self.header.start)));
        }
        Ok(self.handed_out(piece, found))
    }

    /// True if elements are handed out as they are read: memory that they are read to is written and not looked at.
    pub fn hands_out_as_read(&self) -> bool {
        !self.header.swap && !self.widens && self.mask.is_none()
    }

    /// True if its name opens it again, from the start. A pipe can be opened once.
    pub fn reopens(&self) -> bool {
        self.reopens
    }

    /// The open file, if it is a regular one, and its elements lie there as they are.
    pub fn file(&self) -> Option<&File> {
        self.reader.file()
    }

    /// The file; an error for a stream, which cannot be read at a position.
    fn places(&self) -> Result<&File, InputError> {
        self.file().ok_or_else(|| self.error(Fault::Stream))
    }

    /// The number of bytes to ask for where there is room for `room` bytes of elements as they are handed out, and `taken` bytes come before.
    fn wanted(&self, room: usize, taken: u64) -> usize {
        let [size, stored] = [self.size(), self.header.stored.size()].map(|bytes| bytes as usize);
        debug_assert!(room >= size, "no room for one element looks like the end");
        let room = room / size * stored;
        let left = self.header.bytes.map_or(u64::MAX, |bytes| bytes.saturating_sub(taken));
        usize::try_from(left).map_or(room, |left| left.min(room))
    }

    /// Converts the bytes read to the start of `piece` into the caller's elements, and returns their number.
    fn handed_out(&self, piece: &mut [u8], found: usize) -> usize {
        let stored = self.header.stored.size() as usize;
        if self.header.swap {
            swap_bytes(&mut piece[..found], stored);
        }
        let count = found / stored;
        if self.widens {
            widen(piece, count, self.header.stored);
        }
        match self.mask {
            Some(Mask::Booleans(elements)) => spread(piece, count, elements.size() as usize),
            Some(Mask::Between(ends)) => mark(&mut piece[..found], self.header.stored, ends),
            None => {}
        }
        count
    }

    /// Judges a reader that had no more to give: an array must be complete, a stream must end
    /// between two elements.
    fn end(&mut self) -> Result<(), InputError> {
        if self.header.bytes.is_some() {
            return Err(self.truncated(self.taken));
        }
        check_whole(self.taken, self.header.stored).map_err(|fault| self.error(fault))?;
        // Known from now on, so that a terminal is not asked for more after its end-of-file key.
        self.header.bytes = Some(self.taken);
        Ok(())
    }

    /// The error of elements that end after this many bytes.
    fn truncated(&self, found: u64) -> InputError {
        self.error(Fault::Truncated { part: "data", expected: self.header.bytes.unwrap_or(found), found })
    }

    fn error(&self, fault: Fault) -> InputError {
        InputError::new(&self.name, fault)
    }
}
