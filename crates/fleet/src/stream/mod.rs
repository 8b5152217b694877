//! Grids larger than a GPU: stepped slab by slab, from one file to another.
//!
//! A *slab* is a run of layers: rows of a 2D grid, planes of a 3D grid. A *pass* takes every slab of a file some steps further and
//! writes it to another file:
//!
//! ```text
//!     file of the pass before   ....#########....     a slab's own layers and a halo of as many layers as the pass has steps
//!                                   |||||||||         upload, step, download
//!     file of this pass             #########         its own layers alone
//! ```
//!
//! After s steps the s outermost layers of a halo are wrong, because their neighbours are not there: a slab's own layers never are.
//! So the bits are those of stepping the whole grid, for slabs of any height and passes of any depth.
//!
//! `bounds` chooses slabs and passes, and `schedule` is the choice; both are pure. `pass` reads, computes and writes at the same time,
//! each in a thread of its own, over `device`,
//! the slab on the GPU. `run_files` has the files beside the result, and `checkpoint` says how far they are, so that a run
//! that was interrupted goes on. Nothing here knows the command line.
//!
//! ```
//! use std::path::Path;
//!
//! use halofold::stencil::{Config, Weights};
//! use halofold::wgpu::{Device, Queue};
//! use halofold_fleet::stream::{Bounds, Cells, Identity, RunFiles, Run, StreamOptions, StreamError, SlabSizes};
//!
//! /// A thousand steps of the grid in `input`, in 4 GiB of the GPU's memory, to a file of bare cells.
//! fn step(gpu: (&Device, &Queue), config: Config, weights: Weights, input: &dyn Cells) -> Result<(), StreamError> {
//!     let (config, limits) = (config.on(gpu.0), gpu.0.limits());
//!     // All that the result depends on: a checkpoint of another identity is refused.
//!     let identity = Identity::default().with("grid", config.grid.to_string()).with("steps", 1000);
//!     let files = RunFiles::new(Path::new("result.bin").to_owned(), Vec::new());
//!     let bounds = Bounds::new(&config, 1000, 4 << 30, &limits);
//!     let run = Run::open(files, identity, bounds, SlabSizes::default(), false)?;
//!     run.steps(StreamOptions::new(gpu, config, weights, input), |progress| println!("{progress:?}"))?;
//!     run.finish()
//! }
//! ```

mod bounds;
mod checkpoint;
mod device;
mod error;
mod pass;
mod run;
mod run_files;
mod schedule;
mod speed;
mod writer;

pub use bounds::{Bounds, SlabSizes};
pub use checkpoint::Identity;
pub use error::StreamError;
pub use run::{Done, Progress, Run, StreamOptions};
pub use run_files::RunFiles;
pub use schedule::Schedule;
pub use speed::layer_seconds;

/// The cells of a grid in a file, in the order of the GPU and of its type.
pub trait Cells: Sync {
    /// Fills `into` with the bytes of the grid from `offset` on, both of whole cells, and says how many bytes of the file that took. Several
    /// threads do so at once.
    ///
    /// # Errors
    ///
    /// They cannot be read: [`StreamError::Input`].
    fn read_at(&self, offset: u64, into: &mut [u8]) -> Result<u64, StreamError>;
}
