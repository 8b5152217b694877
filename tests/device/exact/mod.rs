//! Exact sums: zero units in the last place, whatever the data, the order, the cut and the adapter.

mod arrays;
mod bench;
mod cpu;
mod forms;
mod gpu;
mod order;
mod windows;
