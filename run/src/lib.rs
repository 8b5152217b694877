//! Runs requests on files, for the programs of [halofold]: opens files and devices, reduces pieces, merges states, prints rows.
//!
//! - [`files`] opens data files and hands out their elements.
//! - [`reduce`] reduces files: request → pieces → devices → states merged in the order of the file → rows.
//! - [`scan`] writes the prefixes of a file's elements, on the same road.
//! - [`histogram`] counts the elements of a file in bins, on the road of reductions.
//! - [`grid`] steps grids of files: on one GPU, on several, or from file to file.
//! - [`gpu`] opens adapters, and [`transport`] connects the processes of a run: one alone, or the ranks of an MPI program.
//! - The other modules are shared by all commands: failures, output, progress.
//!
//! A program has the arguments of a command and calls its `run`.

#![warn(clippy::allow_attributes_without_reason)]

pub mod count;
pub mod failure;
pub mod file_errors;
pub mod files;
pub mod gpu;
pub mod grid;
pub mod histogram;
mod joined;
mod keys;
pub mod output;
mod passes;
pub mod progress;
pub mod reduce;
pub mod reserved;
pub mod scan;
pub mod table;
pub mod transport;
