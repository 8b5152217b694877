//! Every shape of the embeddable reducer against the CPU: exact sums, and an operator whose accumulator takes twelve bytes
//! and remembers positions. Memory around inputs and results is poisoned.

mod fixed;
mod launches;
mod offsets;
mod outputs;
mod pairs;
mod parameters;
mod scene;
mod structs;
mod whole;
