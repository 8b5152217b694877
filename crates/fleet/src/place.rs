//! A place in a file.

use std::fs::File;
use std::io::{self, Read, Write};
#[cfg(unix)]
use std::os::unix::fs::FileExt as _;
#[cfg(windows)]
use std::os::windows::fs::FileExt as _;

/// A place in a file, which goes on as bytes are read or written there. The file's own place is left alone, except by Windows: so several
/// threads read one file, each at its place.
#[derive(Debug)]
pub struct Place<'a> {
    /// The file.
    pub file: &'a File,
    /// Bytes of it before the place.
    pub at: u64,
}

impl Read for Place<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let count = self.file.read_at(buffer, self.at)?;
        #[cfg(windows)]
        let count = self.file.seek_read(buffer, self.at)?;
        self.at += count as u64;
        Ok(count)
    }
}

impl Write for Place<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let count = self.file.write_at(bytes, self.at)?;
        #[cfg(windows)]
        let count = self.file.seek_write(bytes, self.at)?;
        self.at += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
