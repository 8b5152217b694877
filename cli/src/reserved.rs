//! A file that is opened before the work and written after it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::failure::Failure;

/// An open file that still has its old content. One that was not there before goes away again unless it is written.
pub struct Reserved {
    option: &'static str,
    path: PathBuf,
    file: File,
    fresh: bool,
}

impl Reserved {
    /// Opens the file that an option names.
    pub fn open(option: &'static str, path: &Path) -> Result<Self, Failure> {
        let fresh = !path.exists();
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| failure(option, path, &error))?;
        Ok(Reserved { option, path: path.to_owned(), file, fresh })
    }

    /// Replaces the content.
    pub fn write(self, text: &str) -> Result<(), Failure> {
        self.write_with(|file| file.write_all(text.as_bytes()))
    }

    /// Replaces the content by what `content` writes.
    pub fn write_with(mut self, content: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Failure> {
        let replaced = self.empty().and_then(|()| content(&mut self.file));
        replaced.map_err(|error| failure(self.option, &self.path, &error))?;
        self.fresh = false;
        Ok(())
    }

    fn empty(&self) -> io::Result<()> {
        // Pipes and devices have nothing to cut off.
        if self.file.metadata()?.is_file() { self.file.set_len(0) } else { Ok(()) }
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        if self.fresh {
            // An empty file may stay behind if this fails; what led here is reported.
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn failure(option: &str, path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("{option} {}: {error}", path.display()))
}
