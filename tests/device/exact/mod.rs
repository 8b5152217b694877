//! Exact sums: zero units in the last place, whatever the data, the order, the cut and the adapter.

mod accumulated;
mod arrays;
mod columns;
mod cpu;
mod edges;
mod forms;
mod gpu;
mod long;
mod mapped;
mod offsets;
mod order;
mod recorded;
mod strided;
mod windows;
