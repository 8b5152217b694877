//! Tests that every adapter runs, not only the one that runs all: what applications see, what records and reads, and what limits decide.
//! So do other tests with this module's name in their own: `scripts/test-adapters` asks for it.

mod embedding;
mod examples;
mod of_texels;
pub mod pyramid;
mod reading;
mod reducer_contract;
mod reducer_custom;
mod reducer_depth;
pub mod textures;
