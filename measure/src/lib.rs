//! Measuring halofold: GPU time, this machine's memory peak, statistics, what a run leaves behind as rows and records, and the
//! code that each back end gets.
//!
//! Unlike the library this crate submits and waits: it is for tools, tests and benches.

#![warn(missing_docs, unreachable_pub, clippy::allow_attributes_without_reason, clippy::print_stdout)]

mod compile;
mod differ;
mod field;
mod inputs;
mod job;
mod mosaic;
mod noise;
mod peak;
mod record;
mod row;
mod settle;
mod stamps;
mod statistics;
mod timer;
pub mod translate;
mod trial;

pub use compile::compile;
pub use field::{Difference, Field, FieldError, Pair};
pub use inputs::{Inputs, Rotation, TooSmall};
pub use job::Job;
pub use noise::Noise;
pub use peak::{Form, Peak, PeakMeter, peak};
pub use record::{Adapter, Ceiling, Record, SCHEMA};
pub use row::{
    LadderFigures, LadderWork, LibraryFigures, LibraryWork, Machine, Row, Status, StencilFigures,
    StencilWork, Times, What, sides,
};
pub use statistics::Summary;
pub use timer::{Budget, MeasureError, Measurement, Timer, Timing};
pub use trial::Trial;
