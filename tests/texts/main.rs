//! Tests without a device: the texts of all kernels, and plans.

mod permutations;
mod plan;
