//! A file that all ranks write, each its part. It takes its name when it is complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use halofold_mpi::Ranks;
use halofold_run::files::npy;

/// An array that is to be written.
pub struct Output {
    path: PathBuf,
    /// The file until it is complete: beside the other, so that it can take its name.
    part: PathBuf,
    /// The bytes before the first cell.
    header: Vec<u8>,
    /// Bytes of all cells.
    cells: u64,
}

impl Output {
    /// Makes sure on the first rank that the file can be written, and leaves nothing there. All ranks call this together.
    pub fn new<'a>(
        path: &Path,
        mut inputs: impl Iterator<Item = &'a PathBuf>,
        descr: &str,
        shape: &[u64],
        cells: u64,
        ranks: &Ranks,
    ) -> Self {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let part = path.with_file_name(format!(".{name}.part"));
        let is_same = |input| {
            fs::canonicalize(path).is_ok_and(|path| fs::canonicalize(input).is_ok_and(|input| path == input))
        };
        let possible = match ranks.is_first() {
            _ if !npy::is_named(path) => Err("the name must end in .npy".to_owned()),
            _ if inputs.any(is_same) => Err("is an input; name another file".to_owned()),
            true => {
                File::create(&part).and_then(|_| fs::remove_file(&part)).map_err(|error| error.to_string())
            }
            false => Ok(()),
        };
        let mut header = Vec::new();
        let written = npy::write(&mut header, descr, shape, false, &[]).map_err(|error| error.to_string());
        ranks.agree(possible.and(written).map_err(|why| format!("-o {}: {why}", path.display())));
        Output { path: path.to_owned(), part, header, cells }
    }

    /// Writes the file: each rank what `cells` hands out, from its first cell's byte on. After a failure there is what was there before. All
    /// ranks call this together.
    pub fn write<E>(
        &self,
        first: u64,
        ranks: &Ranks,
        cells: impl FnOnce(&mut dyn FnMut(&[u8])) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |error: io::Error| format!("-o {}: {error}", self.path.display());
        let remove = || {
            if ranks.is_first() {
                // Nothing is to be done about it.
                let _ = fs::remove_file(&self.part);
            }
        };
        let begun = if ranks.is_first() { self.begin() } else { Ok(()) };
        ranks.agree_or(begun.map_err(failed), remove);
        let mut written = self.open(first);
        cells(&mut |piece| {
            if let Ok(file) = &mut written
                && let Err(error) = file.write_all(piece)
            {
                written = Err(error);
            }
        })?;
        // Other nodes see it once it is on the file server.
        ranks.agree_or(written.and_then(|file| file.sync_all()).map_err(failed), remove);
        let named = if ranks.is_first() { fs::rename(&self.part, &self.path) } else { Ok(()) };
        ranks.agree_or(named.map_err(failed), remove);
        Ok(())
    }

    /// The header, and room for all cells.
    fn begin(&self) -> io::Result<()> {
        let mut file = File::create(&self.part)?;
        file.write_all(&self.header)?;
        file.set_len(self.header.len() as u64 + self.cells)
    }

    fn open(&self, first: u64) -> io::Result<File> {
        let mut file = OpenOptions::new().write(true).open(&self.part)?;
        file.seek(SeekFrom::Start(self.header.len() as u64 + first))?;
        Ok(file)
    }
}
