//! Grids on several devices, and grids that stream through one.

mod stream;
mod team;
