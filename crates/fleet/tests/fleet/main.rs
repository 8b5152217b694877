//! Grids on several devices.

mod devices;
mod team;
