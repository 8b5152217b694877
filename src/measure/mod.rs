//! Measuring: GPU time, this machine's memory peak, statistics.
//!
//! Unlike the rest of the library this module submits and waits: it is for tools and benches.

mod peak;
mod statistics;
mod timer;

pub use peak::{Peak, peak};
pub use statistics::Summary;
pub use timer::{Budget, MeasureError, Measurement, Timer, Timing};
