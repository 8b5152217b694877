//! The program as its users start it: arguments, files, output, and the files that it leaves.

mod files;
mod keys;

mod cli;
mod export;
mod histogram;
#[cfg(unix)]
mod outputs;
mod readme;
mod records;
mod reduce;
mod refusals;
mod replay;
mod scan;
mod several_adapters;
mod stencil_files;
mod web;
