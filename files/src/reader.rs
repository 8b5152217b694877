//! Where the bytes of a file come from.

use std::fs::{self, File};
use std::io::{self, Read, Seek as _};

use super::{InputError, STANDARD_INPUT};

/// Where bytes come from.
pub(crate) enum Reader {
    File(File),
    /// What has no places to go to: a pipe, standard input.
    Stream(Box<dyn Read + Send>),
}

impl Reader {
    /// The file, where it is a regular one.
    pub(crate) fn file(&self) -> Option<&File> {
        match self {
            Reader::File(file) => Some(file),
            Reader::Stream(_) => None,
        }
    }

    /// Goes on at another place of a file, so many bytes behind this one.
    pub(crate) fn go(&mut self, bytes: i64, label: &str) -> Result<(), InputError> {
        let Reader::File(file) = self else { return Err(InputError::Stream { name: label.into() }) };
        file.seek_relative(bytes).map_err(|cause| InputError::reading(label, cause))
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

/// Opens a file, or standard input, and tells how many bytes it will give if that is known.
pub(crate) fn open_reader(path: &str) -> Result<(Reader, Option<u64>), InputError> {
    if path == STANDARD_INPUT {
        return Ok((Reader::Stream(Box::new(io::stdin())), None));
    }
    let (file, length) = open_file(path)?;
    let reader = if length.is_some() { Reader::File(file) } else { Reader::Stream(Box::new(file)) };
    Ok((reader, length))
}

/// Opens a file and tells its length, where it has one: a pipe or a device is read until it ends.
fn open_file(path: &str) -> Result<(File, Option<u64>), InputError> {
    let failed = |cause| InputError::opening(path, cause);
    // Asked before opening because Windows reports a directory as one more missing permission.
    if fs::metadata(path).map_err(failed)?.is_dir() {
        return Err(InputError::Directory { name: path.into() });
    }
    let file = File::open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    let length = metadata.is_file().then_some(metadata.len());
    Ok((file, length))
}

/// Reads until `buffer` is full or nothing more comes, and returns how many bytes came.
pub(crate) fn fill(mut reader: impl Read, buffer: &mut [u8], label: &str) -> Result<usize, InputError> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(InputError::reading(label, cause)),
        }
    }
    Ok(filled)
}
