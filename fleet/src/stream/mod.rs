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
//! The choice of slabs and passes is `plan`, pure. `pass` reads, computes and writes at the same time, each in a thread of its own, over `device`,
//! the slab on the GPU. `place` has the files beside the result, and `checkpoint` says how far they are, so that a run
//! that was interrupted goes on. Nothing here knows the command line.

mod checkpoint;
mod device;
mod error;
mod pass;
mod place;
mod plan;
mod run;
mod writer;

pub use checkpoint::{Identity, Outcome};
pub use error::StreamError;
pub use place::Place;
pub use plan::{Bounds, Plan, Wishes};
pub use run::{Progress, Run, Settings};

/// The cells of a grid in a file, in the order of the GPU and of its type.
pub trait Cells: Send {
    /// Fills `into` with the bytes of the grid from `offset` on, both of whole cells, and says how many bytes of the file that took.
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<u64, StreamError>;
}
