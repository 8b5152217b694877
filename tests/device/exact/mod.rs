//! Exact sums: zero units in the last place, whatever the data, the order, the cut and the adapter.

mod accumulated;
mod arrays;
mod bench;
mod cpu;
mod edges;
mod forms;
mod gpu;
mod mapped;
mod order;
mod recorded;
mod windows;
