//! The parts that every operation stands on: reductions, histograms and stencils.

pub(crate) mod blocks;
pub(crate) mod buffers;
mod count;
pub(crate) mod grid;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod limits;
pub(crate) mod scratch;

pub use buffers::BufferError;
pub use kernel::Options;
pub use launch::Prepared;
pub use limits::LimitError;
