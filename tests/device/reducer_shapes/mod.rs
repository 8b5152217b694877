//! Every shape of the embeddable reducer against the CPU: sums, and operators that show a wrong element, word, position or partner.
//! Memory around inputs and results is poisoned.

mod parameters;
mod scene;
mod shapes;
