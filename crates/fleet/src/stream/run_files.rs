//! The files of a run in the folder of its result: two grids and a checkpoint.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::{Cells, StreamError};
use crate::Place;

/// The files of a run: two grids and a checkpoint, named after the result.
#[derive(Clone, Debug)]
pub struct RunFiles {
    result: PathBuf,
    /// The beginning of a grid's file.
    header: Vec<u8>,
}

impl RunFiles {
    /// The files beside a result, each of which begins with a header.
    pub fn new(result: PathBuf, header: Vec<u8>) -> Self {
        RunFiles { result, header }
    }

    /// The checkpoint.
    pub fn checkpoint(&self) -> PathBuf {
        self.beside(".halofold.json")
    }

    /// The file that a pass writes: two files take turns.
    pub fn grid(&self, pass: u32) -> PathBuf {
        self.beside(if pass.is_multiple_of(2) { ".halofold-0" } else { ".halofold-1" })
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.result.clone().into_os_string();
        name.push(ending);
        name.into()
    }

    /// True if the file that a pass writes is there, with the first bytes of the grid.
    pub(super) fn has_begun(&self, pass: u32, bytes: u64) -> bool {
        self.length(&self.grid(pass)).is_some_and(|length| length >= bytes)
    }

    /// Bytes of the grid in a file, if it is there and long enough for the header.
    fn length(&self, path: &Path) -> Option<u64> {
        fs::metadata(path).ok()?.len().checked_sub(self.header.len() as u64)
    }

    /// Opens the file that a pass writes. If it has begun, the layers that it has written stay.
    pub(super) fn create(&self, pass: u32, has_begun: bool) -> Result<Layers, StreamError> {
        let path = self.grid(pass);
        // Later passes write over the grid before the last one, whose place on the disk stays.
        let is_first = pass < 2 && !has_begun;
        let open = || {
            let mut file =
                OpenOptions::new().write(true).create(!has_begun).truncate(is_first).open(&path)?;
            file.write_all(&self.header)?;
            Ok(file)
        };
        let file = open().map_err(StreamError::write(&path))?;
        Ok(Layers { file, path, start: self.header.len() as u64 })
    }

    /// Opens the file that a pass has written: a grid of this many bytes.
    pub(super) fn open(&self, pass: u32, bytes: u64) -> Result<Layers, StreamError> {
        let path = self.grid(pass);
        if self.length(&path) != Some(bytes) {
            return Err(self.gone(pass));
        }
        let file = File::open(&path).map_err(StreamError::read(&path))?;
        Ok(Layers { file, path, start: self.header.len() as u64 })
    }

    fn gone(&self, pass: u32) -> StreamError {
        StreamError::Gone { path: self.grid(pass), checkpoint: self.checkpoint() }
    }

    /// Makes the file of the last pass, a grid of this many bytes, the result. `note` keeps that this has begun: only a run that has noted
    /// it before, `is_noted`, may find that it is done.
    pub(super) fn finish(
        &self,
        (last, bytes): (u32, u64),
        is_noted: bool,
        note: impl FnOnce() -> Result<(), StreamError>,
    ) -> Result<(), StreamError> {
        let grid = self.grid(last);
        if self.length(&grid) == Some(bytes) {
            note()?;
            self.rename(&grid).map_err(StreamError::write(&self.result))?;
        } else if !(is_noted && self.is_result(bytes)) {
            return Err(self.gone(last));
        }
        self.remove([self.grid(last + 1), self.checkpoint()])
    }

    fn rename(&self, grid: &Path) -> io::Result<()> {
        if let Ok(before) = fs::metadata(&self.result) {
            fs::set_permissions(grid, before.permissions())?;
        }
        fs::rename(grid, &self.result)?;
        sync_folder(&self.result)
    }

    /// True if the result may be complete: its header and length are right.
    fn is_result(&self, bytes: u64) -> bool {
        let mut header = vec![0; self.header.len()];
        let read = File::open(&self.result).and_then(|mut file| file.read_exact(&mut header));
        read.is_ok() && header == self.header && self.length(&self.result) == Some(bytes)
    }

    /// Removes the files of a run that has done nothing, after an error that it would meet again.
    pub(super) fn forget(&self, error: &StreamError) {
        if matches!(error, StreamError::Stencil(_) | StreamError::Input(_)) {
            // Only the error is reported; the next run names files that are left over.
            let _ = self.remove([self.grid(0), self.checkpoint()]);
        }
    }

    fn remove(&self, paths: [PathBuf; 2]) -> Result<(), StreamError> {
        for path in paths {
            match fs::remove_file(&path) {
                Err(cause) if cause.kind() != ErrorKind::NotFound => {
                    return Err(StreamError::write(&path)(cause));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Flushes a file's new name to the disk, on systems that can.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

/// The layers of a grid in a file.
pub(super) struct Layers {
    file: File,
    pub path: PathBuf,
    /// The offset at which they begin.
    start: u64,
}

impl Layers {
    /// Writes bytes of the grid from an offset on.
    pub fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.place(offset).write_all(bytes)
    }

    fn place(&self, offset: u64) -> Place<'_> {
        Place { file: &self.file, at: self.start + offset }
    }

    /// Flushes the file to the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

impl Cells for Layers {
    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<u64, StreamError> {
        self.place(offset).read_exact(into).map_err(StreamError::read(&self.path))?;
        Ok(into.len() as u64)
    }
}
