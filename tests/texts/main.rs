//! Tests without a device: the texts of all kernels, and plans.

#[allow(dead_code, reason = "`halofold show` needs the rest")]
#[path = "../../crates/cli/src/show/translate/mod.rs"]
mod translate;

mod imports;
mod permutations;
mod plan;
mod translations;
