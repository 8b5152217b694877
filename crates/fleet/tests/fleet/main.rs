//! Grids on several devices, and grids that stream through one.

mod devices;
mod stream;
mod team;
