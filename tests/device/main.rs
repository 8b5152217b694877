//! Tests of one device: the embeddable reductions, histograms and everything around them, test by test.

#[path = "../common/mod.rs"]
mod common;

mod by_key;
mod cases;
mod compiling;
mod counts;
mod cut;
mod exact;
mod groups;
mod histogram;
mod inputs;
mod least_limits;
mod measuring;
mod on_every_adapter;
mod one_launch;
mod ranks;
mod recipes;
mod reducer_shapes;
mod refusals;
mod scan;
mod tunings;
mod workspaces;
