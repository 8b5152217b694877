//! Data files: NumPy's `.npy`, arrays in `.npz` archives, and bare elements.
//!
//! A [`Source`] is an open file whose header was checked, so a truncated file fails early. A stream is read into memory,
//! so every source can be read at any position. [`npy`] and [`npz`] write such files.

mod archive;
mod bare;
mod error;
mod header;
pub mod npy;
pub mod npz;
mod reader;
mod stored;
#[cfg(test)]
pub(crate) mod tests;

use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use halofold::Element;
use halofold_fleet::Place;
use halofold_fleet::host::{permuted, swap_bytes};
use rayon::prelude::*;

pub use bare::{Bare, BareArgs, Dimensions};
pub use error::{Fault, InputError};
use header::Header;
use reader::{Opened, Reader, fill, open_reader};
pub use stored::Stored;

pub const STANDARD_INPUT: &str = "-";

/// Bytes that one thread reads at a time.
const CHUNK: usize = 4 << 20;

pub struct Source {
    name: String,
    data: Data,
    header: Header,
    bytes: u64,
}

enum Data {
    /// A file; elements begin at the header's `start`.
    File(File),
    /// A stream after its header, kept in memory once it is read.
    Stream(Mutex<Stream>),
}

/// A stream, read when its first element is needed.
enum Stream {
    Unread(Box<dyn Read + Send>),
    Held(Arc<Vec<u8>>),
}

impl Source {
    /// Opens `path`: a `.npy` file, an array of a `.npz` archive or, with `raw`, bare elements. `-` is standard input.
    pub fn open(path: &Path, raw: Option<&Bare>) -> Result<Self, InputError> {
        let name = &path.to_string_lossy();
        let opened = open_array(path, raw.is_some()).and_then(|opened| Self::new(name, opened, raw));
        opened.map_err(|fault| InputError::new(name, fault, raw.is_some()))
    }

    fn new(name: &str, opened: Opened, raw: Option<&Bare>) -> Result<Self, Fault> {
        let Opened { mut reader, start, end } = opened;
        let header = match raw {
            None => Header::read(&mut reader)?,
            Some(_) if reader.file().is_some_and(|file| header::begins(Place { file, at: 0 })) => {
                return Err(Fault::NotBare);
            }
            Some(bare) => Header::bare(bare, end)?,
        };
        let header = Header { start: header.start + start, ..header };
        let (data, found) = match reader {
            Reader::File(file) => (Data::File(file), end.unwrap_or(0).saturating_sub(header.start)),
            // The number of bare elements is known at the end of the stream.
            Reader::Stream(stream) => {
                let (stream, found) = match header.bytes {
                    Some(bytes) => (Stream::Unread(stream), bytes),
                    None => reader::read_all(stream, u64::MAX).map(|held| {
                        let found = held.len() as u64;
                        (Stream::Held(held.into()), found)
                    })?,
                };
                (Data::Stream(Mutex::new(stream)), found)
            }
        };
        // A file may be longer than its array, as for NumPy: another array may follow.
        let header = header.with_length(raw, found)?;
        let bytes = header.bytes.unwrap_or(found);
        if found < bytes {
            return Err(Fault::Truncated { part: "data", expected: bytes, found });
        }
        Ok(Source { name: name.to_owned(), data, header, bytes })
    }

    /// The file as the command line named it; `-` is standard input.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn stored(&self) -> Stored {
        self.header.stored
    }

    pub fn element(&self) -> Element {
        self.header.stored.element()
    }

    pub fn shape(&self) -> &[u64] {
        &self.header.shape
    }

    /// Returns true if the first dimension is contiguous, as in Fortran.
    pub fn is_fortran(&self) -> bool {
        self.header.fortran
    }

    #[allow(clippy::len_without_is_empty, reason = "an empty array is no special case")]
    pub fn len(&self) -> u64 {
        self.bytes / self.header.stored.size()
    }

    /// Returns the size of all elements, as kernels read them, in bytes.
    pub fn bytes(&self) -> u64 {
        self.len() * self.element().size()
    }

    /// Returns true if the elements came from a stream, which only one process can read.
    pub fn is_stream(&self) -> bool {
        matches!(self.data, Data::Stream(_))
    }

    /// Returns true if the file holds elements as kernels read them: wide, in this machine's byte order, in C order.
    pub fn is_plain(&self) -> bool {
        !self.header.swap && !self.header.stored.is_packed() && !self.reverses()
    }

    /// Returns true if the file stores its axes in the reverse of C order.
    pub fn reverses(&self) -> bool {
        self.header.fortran && self.header.shape.iter().filter(|len| **len != 1).count() > 1
    }

    /// Reads bytes from offset `at` of the elements into `target`. Several threads read a long range.
    pub fn read_at(&self, at: u64, target: &mut [u8]) -> Result<(), InputError> {
        let held = self.held().map_err(|fault| InputError::new(&self.name, fault, false))?;
        let read = |(index, chunk): (usize, &mut [u8])| {
            let at = at + (index * CHUNK) as u64;
            let found = match (&self.data, &held) {
                (Data::File(file), _) => fill(Place { file, at: self.header.start + at }, chunk)?,
                (Data::Stream(_), held) => {
                    fill(&held.as_deref().map_or(&[][..], Vec::as_slice)[at as usize..], chunk)?
                }
            };
            if found < chunk.len() {
                let found = at + found as u64;
                return Err(Fault::Truncated { part: "data", expected: self.bytes, found });
            }
            Ok(())
        };
        let read = match target.len() {
            0..=CHUNK => read((0, target)),
            _ => target.par_chunks_mut(CHUNK).enumerate().try_for_each(read),
        };
        read.map_err(|fault| InputError::new(&self.name, fault, false))
    }

    /// Returns the elements of a stream, reading it on the first call; `None` for a file.
    fn held(&self) -> Result<Option<Arc<Vec<u8>>>, Fault> {
        let Data::Stream(stream) = &self.data else { return Ok(None) };
        let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
        if let Stream::Unread(unread) = &mut *stream {
            let bytes = reader::read_all(unread, self.bytes)?;
            let found = bytes.len() as u64;
            if found < self.bytes {
                return Err(Fault::Truncated { part: "data", expected: self.bytes, found });
            }
            *stream = Stream::Held(bytes.into());
        }
        match &*stream {
            Stream::Held(held) => Ok(Some(held.clone())),
            Stream::Unread(_) => Ok(None),
        }
    }

    /// Loads `layers` of the outermost axis in C order, as kernels read the elements. `dims` are the file's dimensions or a single one.
    /// Axes are permuted first: axis `k` of the result is axis `order[k]`. All layers of a Fortran array are loaded, because its first
    /// axis is the innermost in the file.
    pub fn load(&self, dims: &[u64], layers: Range<u64>, order: &[usize]) -> Result<Vec<u8>, InputError> {
        let Header { stored, swap, .. } = self.header;
        let all = dims.first().copied().unwrap_or(1);
        let layer = self.bytes.checked_div(all).unwrap_or(0);
        let mut bytes = vec![0; ((layers.end - layers.start) * layer) as usize];
        self.read_at(layers.start * layer, &mut bytes)?;
        if swap {
            swap_bytes(&mut bytes, stored.size() as usize);
        }
        let mut lens: Vec<usize> = dims.iter().map(|len| *len as usize).collect();
        if let Some(first) = lens.first_mut() {
            *first = (layers.end - layers.start) as usize;
        }
        let mut order = order.to_vec();
        if self.reverses() {
            assert!(
                layers == (0..all) && dims == self.shape(),
                "layers of a Fortran array do not lie together"
            );
            // In the file, axis `k` is the `k`-th from the end.
            lens.reverse();
            order.iter_mut().for_each(|axis| *axis = lens.len() - 1 - *axis);
        }
        Ok(stored.widened(permuted(bytes, stored.size() as usize, &lens, &order)))
    }

    pub fn load_all(&self) -> Result<Vec<u8>, InputError> {
        let shape = self.shape();
        self.load(shape, 0..shape.first().copied().unwrap_or(1), &(0..shape.len()).collect::<Vec<_>>())
    }
}

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
