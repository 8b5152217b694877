//! Tests of one device: the embeddable reductions, histograms and everything around them, test by test.

#[path = "../common/mod.rs"]
mod common;

mod by_key;
mod cases;
mod compiling;
mod cut;
mod embedding;
mod exact;
mod examples;
mod group;
mod group_by;
mod histogram;
mod inputs;
mod least_limits;
mod measuring;
mod one_launch;
mod pyramid;
mod quantiles;
mod rank_rows;
mod reading;
mod reducer_contract;
mod reducer_custom;
mod reducer_depth;
mod reducer_shapes;
mod refusals;
mod scan;
mod select;
mod textures;
mod tunings;
