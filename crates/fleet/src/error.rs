//! Errors of a fleet.

use std::{io, thread};

use halofold::read::ReadError;

use halofold::wgpu::{Backend, Device};

/// Errors of one GPU that end its work.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorkerError {
    /// The stencil cannot be stepped there.
    #[error(transparent)]
    Stencil(#[from] halofold::Error),
    /// Data could not be read back to the host.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The GPU has no memory for the slab.
    #[error("the GPU is out of memory: use more GPUs or a smaller grid")]
    Memory,
    /// The device was lost, or wgpu refused something.
    #[error("{0}")]
    Device(String),
    /// A face of another size than the slab's.
    #[error("a face of {given} bytes: the slab's faces have {needed}")]
    Face {
        /// Bytes given.
        given: usize,
        /// Bytes of a face.
        needed: u64,
    },
    /// Cells could not be read, or not be written.
    #[error("{0}")]
    File(String),
    /// A round was begun before the last exchange was over, or an exchange without a round.
    #[error("{0}")]
    Order(&'static str),
}

impl WorkerError {
    /// The error of those who read cells, or write them.
    pub(crate) fn file(error: io::Error) -> Self {
        WorkerError::File(error.to_string())
    }
}

/// Errors of several GPUs that end their work.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// Several devices on the OpenGL back end.
    #[error(
        "several GPUs at once through OpenGL: its devices share one context, which one thread at a time may use; use Vulkan or one GPU"
    )]
    Context,
    /// One of them failed.
    #[error("GPU {member}: {error}")]
    Member {
        /// Its number, in the order in which they were given.
        member: usize,
        /// Its error.
        error: WorkerError,
    },
    /// The grid cannot be cut so.
    #[error(transparent)]
    Stencil(#[from] halofold::Error),
    /// A right-hand side and a configuration that do not go together.
    #[error(
        "a grid whose configuration has a right-hand side takes one, and no other does: Config::with_rhs"
    )]
    Rhs,
    /// Too few layers for the number of GPUs.
    #[error(
        "{layers} layers (rows in 2D, planes in 3D) for {members} GPUs with halos of {halo}: each needs at least as many layers of its own as \
         a halo has; use fewer GPUs or a smaller halo"
    )]
    Layers {
        /// Layers of the grid.
        layers: u32,
        /// GPUs.
        members: usize,
        /// Layers of a halo.
        halo: u32,
    },
    /// No GPUs.
    #[error("a grid takes at least one GPU")]
    NoGpus,
    /// A range that is not inside the grid.
    #[error("bytes up to {end} of a grid of {bytes}")]
    Range {
        /// The end of the range.
        end: u64,
        /// Bytes of the grid.
        bytes: u64,
    },
    /// Cells could not be read, or not be written.
    #[error("{0}")]
    File(String),
}

/// Checks that threads may use these devices side by side. Devices on the OpenGL back end may not: they share one context, wgpu panics
/// when a thread waits for it for long, and Mesa's heap was seen damaged.
///
/// # Errors
///
/// Several of them are on the OpenGL back end.
pub fn check_contexts<'a>(devices: impl IntoIterator<Item = &'a Device>) -> Result<(), FleetError> {
    let is_gl = |device: &&Device| device.adapter_info().backend == Backend::Gl;
    if devices.into_iter().filter(is_gl).count() > 1 { Err(FleetError::Context) } else { Ok(()) }
}

/// Runs work for each of several GPUs in parallel: compiling and uploading take long.
pub(crate) fn each<T: Send>(
    count: usize,
    work: impl Fn(usize) -> Result<T, WorkerError> + Sync,
) -> Result<Vec<T>, FleetError> {
    let work = &work;
    thread::scope(|scope| {
        let all: Vec<_> = (0..count).map(|nth| scope.spawn(move || of(nth, work(nth)))).collect();
        all.into_iter().map(|one| one.join().expect("a worker does not panic")).collect()
    })
}

/// Says which GPU an error is about.
pub(crate) fn of<T>(member: usize, result: Result<T, WorkerError>) -> Result<T, FleetError> {
    result.map_err(|error| match error {
        WorkerError::File(why) => FleetError::File(why),
        error => FleetError::Member { member, error },
    })
}
