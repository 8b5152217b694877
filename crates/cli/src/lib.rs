//! The commands of the program `halofold`, and what it shares with `halofold-mpi`.
//!
//! - [`program`] reads the command line and runs a command. Each command is a module with arguments and `run`.
//! - [`files`] opens data files and hands out their elements.
//! - [`gpu`] opens adapters. [`transport`] connects the processes of a run: one alone, or the ranks of an MPI program.
//! - The other modules are shared by all commands: failures, output, progress.

#![warn(clippy::allow_attributes_without_reason)]

#[macro_use]
pub mod failure;

mod chart;
mod compare;
mod count;
mod devices;
mod examples;
mod export;
pub mod files;
pub mod gpu;
mod histogram;
mod keys;
mod ladder;
mod lists;
mod named;
mod output;
mod presets;
pub mod program;
mod progress;
mod record;
pub mod reduce;
mod replay;
mod report;
pub mod reserved;
mod row;
mod rung;
mod scan;
mod show;
pub mod stencil;
mod table;
pub mod transport;
mod tune;
mod web;
