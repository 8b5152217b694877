//! Memory that two ranks of one node share.
//!
//! An MPI moves a message between processes of a node by one thread, at a few GB/s: less than a bus has. Through memory that both have
//! mapped, several threads of both copy.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;
use std::slice;

use halofold_fleet::with_few_threads;
use rayon::prelude::*;
use tempfile::NamedTempFile;

/// The folder of files that are memory, on Linux.
const FOLDER: &str = "/dev/shm";

/// Bytes that a thread copies: less is not worth another thread.
const PART: usize = 1 << 20;

/// Memory of a file, mapped.
pub(crate) struct Shared {
    start: *mut u8,
    len: usize,
}

impl Shared {
    /// So many bytes of new memory, and the file that others find it by as long as this is kept. Other systems than Linux have none.
    pub(crate) fn create(len: usize) -> io::Result<(Self, NamedTempFile)> {
        let mut file = tempfile::Builder::new().prefix("halofold-").tempfile_in(FOLDER)?;
        // Written once, so that there is memory for all of it: what is mapped fails too late.
        let zeros = vec![0; PART.min(len)];
        for begin in (0..len).step_by(PART) {
            file.write_all(&zeros[..PART.min(len - begin)])?;
        }
        Ok((Shared::map(file.as_file(), len)?, file))
    }

    /// The memory that another rank has made.
    pub(crate) fn open(path: &Path, len: usize) -> io::Result<Self> {
        let file = File::options().read(true).write(true).open(path)?;
        if file.metadata()?.len() != len as u64 {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Shared::map(&file, len)
    }

    #[cfg(unix)]
    fn map(file: &File, len: usize) -> io::Result<Self> {
        use std::os::fd::AsRawFd as _;
        use std::ptr;

        let (access, descriptor) = (libc::PROT_READ | libc::PROT_WRITE, file.as_raw_fd());
        // SAFETY: a new mapping, at a place that the system chooses.
        let start = unsafe { libc::mmap(ptr::null_mut(), len, access, libc::MAP_SHARED, descriptor, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        Ok(Shared { start: start.cast(), len })
    }

    #[cfg(not(unix))]
    fn map(_: &File, _: usize) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Copies bytes to it, from this place on.
    ///
    /// # Safety
    ///
    /// No other rank reads or writes there.
    pub(crate) unsafe fn write(&mut self, at: usize, bytes: &[u8]) {
        assert!(at <= self.len && bytes.len() <= self.len - at, "bytes beyond shared memory");
        // SAFETY: it lies within the mapping, and nobody else uses it.
        copy(bytes, unsafe { slice::from_raw_parts_mut(self.start.add(at), bytes.len()) });
    }

    /// So many bytes of it, from this place on.
    ///
    /// # Safety
    ///
    /// No other rank writes there as long as they are borrowed.
    pub(crate) unsafe fn read(&self, at: usize, len: usize) -> &[u8] {
        assert!(at <= self.len && len <= self.len - at, "bytes beyond shared memory");
        // SAFETY: they lie within the mapping, and nobody writes them.
        unsafe { slice::from_raw_parts(self.start.add(at), len) }
    }
}

#[cfg(unix)]
impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: nothing borrows it any more.
        unsafe { libc::munmap(self.start.cast(), self.len) };
    }
}

/// Copies bytes, many of them by several threads.
pub(crate) fn copy(from: &[u8], to: &mut [u8]) {
    if from.len() <= PART {
        return to.copy_from_slice(from);
    }
    let parts = to.par_chunks_mut(PART).zip(from.par_chunks(PART));
    with_few_threads(|| parts.for_each(|(to, from)| to.copy_from_slice(from)));
}

#[cfg(test)]
mod tests {
    use super::{PART, Shared};

    #[test]
    fn one_reads_what_the_other_writes() {
        let len = PART + 7;
        let Ok((mut one, file)) = Shared::create(len) else {
            eprintln!("NOT TESTED: no memory can be shared here");
            return;
        };
        assert!(Shared::open(file.path(), len + 1).is_err());
        let other = Shared::open(file.path(), len).unwrap();
        drop(file);
        let bytes: Vec<u8> = (0..PART).map(|at| (at % 251) as u8).collect();
        // SAFETY: no other thread has them.
        unsafe {
            one.write(5, &bytes);
            assert!(
                other.read(5, PART) == bytes
                    && other.read(0, 5) == [0; 5]
                    && other.read(PART + 5, 2) == [0; 2]
            );
        }
    }
}
