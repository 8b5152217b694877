//! Tests without a device: the texts of all kernels, and plans.

mod english;
mod imports;
mod permutations;
mod plan;
mod public;
