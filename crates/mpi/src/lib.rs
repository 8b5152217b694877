//! halofold over the ranks of an MPI program: one process a GPU, on one node or on many.
//!
//! - [`run`] starts MPI. An error, a panic or a lost device on one rank ends all of them, with a message that names the rank.
//! - [`RankGpu::open`] opens the adapter that is a rank's turn on its node.
//! - [`all_reduce`] adds up [exact states](halofold::reduce::exact): a correctly rounded sum, the same bits for any number of ranks.
//! - [`GlobalGrid`] is the grid that the ranks' parts make, and [`Field`] steps values on it: each rank its layers, faces exchanged while
//!   interiors are computed. The grid has the bits that it has on one GPU.
//!
//! The program `halofold-mpi` reduces and steps files that all ranks can read.

#![warn(missing_docs, unreachable_pub, clippy::allow_attributes_without_reason, clippy::print_stdout)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod faces;
mod field;
mod gpu;
mod grid;
mod merge;
mod ranks;

pub use field::Field;
pub use gpu::{GpuError, RankGpu, adapter_of};
pub use grid::{GlobalGrid, GridError};
pub use halofold;
pub use merge::all_reduce;
pub use mpi;
pub use ranks::{Ranks, run};
