//! Files and streams as sources of bytes.

use std::fs::{self, File};
use std::io::{self, Read, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

use super::STANDARD_INPUT;
use super::error::Fault;

pub(crate) enum Reader {
    File(File),
    /// A stream without positions: a pipe, standard input.
    Stream(Box<dyn Read + Send>),
}

/// A file or stream at the first byte of a `.npy` file, an archive member, or raw elements. A `.npy` header is still unread.
pub(crate) struct Opened {
    pub(crate) reader: Reader,
    /// Offsets in the file of the content's first byte and of its end. A stream has 0 and `None`.
    pub(crate) start: u64,
    pub(crate) end: Option<u64>,
}

impl Opened {
    pub(crate) fn part(mut file: File, bytes: Range<u64>) -> Result<Self, Fault> {
        file.seek(SeekFrom::Start(bytes.start)).map_err(Fault::Read)?;
        Ok(Opened { reader: Reader::File(file), start: bytes.start, end: Some(bytes.end) })
    }

    pub(crate) fn stream(stream: impl Read + Send + 'static) -> Self {
        Opened { reader: Reader::Stream(Box::new(stream)), start: 0, end: None }
    }
}

impl Reader {
    pub(crate) fn file(&self) -> Option<&File> {
        match self {
            Reader::File(file) => Some(file),
            Reader::Stream(_) => None,
        }
    }
}

impl Read for Reader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Reader::File(file) => file.read(buffer),
            Reader::Stream(stream) => stream.read(buffer),
        }
    }
}

/// Opens a regular file. Standard input, a pipe or a device opens as a stream, without reading it.
pub(crate) fn open_reader(path: &Path) -> Result<Opened, Fault> {
    if path == Path::new(STANDARD_INPUT) {
        return Ok(Opened::stream(io::stdin()));
    }
    // Checked before opening, because Windows reports a directory as a missing permission.
    if fs::metadata(path).map_err(Fault::opening)?.is_dir() {
        return Err(Fault::Directory);
    }
    let file = File::open(path).map_err(Fault::opening)?;
    let metadata = file.metadata().map_err(Fault::opening)?;
    if metadata.is_file() { Opened::part(file, 0..metadata.len()) } else { Ok(Opened::stream(file)) }
}

/// Reads until `buffer` is full or the input ends. Returns the number of bytes read.
pub(crate) fn fill(mut reader: impl Read, buffer: &mut [u8]) -> Result<usize, Fault> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(Fault::Read(cause)),
        }
    }
    Ok(filled)
}

/// Reads a stream to its end, but no more bytes than an array needs.
pub(crate) fn read_all(stream: impl Read, needed: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    stream.take(needed).read_to_end(&mut bytes).map_err(Fault::Read)?;
    Ok(bytes)
}
