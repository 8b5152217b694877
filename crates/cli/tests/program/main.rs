//! The program as its users start it: arguments, files, output, and the files that it leaves.

mod files;
mod keys;
mod number;

mod cli;
mod histogram;
mod ladder_range;
mod outputs;
mod readme;
mod records;
mod reduce_axis;
mod reduce_by;
mod reduce_exact;
mod reduce_files;
mod reduce_kept;
mod reduce_moments;
mod reduce_output;
mod reduce_own;
mod reduce_quantiles;
mod scan;
mod several_adapters;
mod stencil_files;
mod stencil_preset;
mod stencil_streamed;
mod web;
