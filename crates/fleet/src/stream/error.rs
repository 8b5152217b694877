//! Errors that end a streamed run early.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use halofold::stencil::StencilError;

use crate::error::WorkerError;

/// Errors that end a streamed run early. Each message names the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A slab and its halo that are larger than a buffer may be.
    #[error(
        "a slab height of {height} (rows in 2D, planes in 3D) and a halo of {depth} take buffers of {needed} bytes, and there is room \
         for {room}: allow more memory, or ask for fewer layers or fewer steps per pass; if both are 1, make the outermost dimension \
         the longest"
    )]
    Room {
        /// Layers of a slab.
        height: u32,
        /// Layers of a halo.
        depth: u32,
        /// Bytes they take.
        needed: u64,
        /// Bytes a buffer may take.
        room: u64,
    },
    /// A slab that is lower than its neighbours' halos.
    #[error(
        "a slab height of {height} (rows in 2D, planes in 3D) and a depth of {depth}: a pass has at most as many steps as each slab \
         has layers; ask for higher slabs or fewer steps per pass, or allow more memory"
    )]
    Thin {
        /// Layers of the lowest slab.
        height: u32,
        /// Steps of a pass.
        depth: u32,
    },
    /// More steps of a pass than are kept ready.
    #[error("a depth of {depth}: a pass makes at most {most} steps")]
    Deep {
        /// Steps of a pass.
        depth: u32,
        /// The most there may be.
        most: u32,
    },
    /// Nothing to step.
    #[error("a grid without cells: each of its sides must have one or more")]
    Empty,
    /// A file could not be read.
    #[error("{}: cannot be read: {cause}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// The grid or the right-hand side could not be read.
    #[error(transparent)]
    Input(Box<dyn Error + Send + Sync>),
    /// A file could not be written.
    #[error("{}: cannot be written: {cause}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// No room for a file.
    #[error(
        "{}: {cause}: a run takes up to twice the grid's bytes beside its result; make room and resume it: what is done is kept",
        path.display()
    )]
    Full {
        /// The file.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// There is nothing to resume.
    #[error("{}: there is no such checkpoint, so there is nothing to resume", path.display())]
    NoCheckpoint {
        /// Its path.
        path: PathBuf,
    },
    /// A grid that a run to resume has written is not there any more.
    #[error(
        "{}: is gone or incomplete, and the run cannot go on without it: put it back, or remove {} to begin again",
        path.display(), checkpoint.display()
    )]
    Gone {
        /// The grid's file.
        path: PathBuf,
        /// The run's checkpoint.
        checkpoint: PathBuf,
    },
    /// A new run where one waits to be resumed.
    #[error("{}: an unfinished run waits here: resume it, or remove the file to begin again", path.display())]
    Unfinished {
        /// Its checkpoint.
        path: PathBuf,
    },
    /// A checkpoint that cannot be read.
    #[error("{}: is not a checkpoint of this program ({cause}): remove it to begin again", path.display())]
    BadCheckpoint {
        /// The file.
        path: PathBuf,
        /// The fault.
        cause: String,
    },
    /// A checkpoint of another run.
    #[error(
        "{}: is of another run ({what}: then {then}, now {now}); resume with what the run began with",
        path.display()
    )]
    OtherRun {
        /// The checkpoint.
        path: PathBuf,
        /// The part that is different.
        what: String,
        /// Its value then.
        then: String,
        /// Its value now.
        now: String,
    },
    /// The run was asked to stop.
    #[error("interrupted after {done} of {steps} steps: what is done is kept, and can be resumed")]
    Stopped {
        /// Steps that are complete.
        done: u32,
        /// Steps of the run.
        steps: u32,
    },
    /// The stencil cannot step a slab.
    #[error(transparent)]
    Stencil(#[from] StencilError),
    /// The GPU has no memory for the buffers.
    #[error("the GPU has no memory for slabs of {bytes} bytes in all: allow less memory")]
    Memory {
        /// Bytes of all buffers.
        bytes: u64,
    },
    /// The device failed.
    #[error("the device failed: {0}; what is done is kept, and can be resumed")]
    Device(#[from] WorkerError),
}

impl StreamError {
    /// A file that could not be read.
    pub(super) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |cause| StreamError::Read { path: path.to_owned(), cause }
    }

    /// A file that could not be written.
    pub(super) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        |cause| {
            let path = path.to_owned();
            match cause.kind() {
                ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                    StreamError::Full { path, cause }
                }
                _ => StreamError::Write { path, cause },
            }
        }
    }
}
