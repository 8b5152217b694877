//! Measures halofold: GPU time, this machine's memory peak, statistics, rows and records of runs.
//!
//! Unlike the library, this crate submits and waits: it is for tools, tests and benches. Functions that wait fail if the device is
//! lost; `# Errors` lists other reasons.

#![warn(missing_docs, unreachable_pub, clippy::allow_attributes_without_reason, clippy::print_stdout)]

mod buffer;
pub mod compare;
mod compile;
pub mod cpu;
mod dataset;
mod differ;
mod grid_check;
mod grid_run;
mod inputs;
mod job;
mod kernel;
mod meter;
mod peak;
mod periodic_grid;
mod record;
mod row;
mod rung_run;
mod sampling;
mod statistics;
mod test_data;
mod timer;
mod timestamps;
mod upload;

pub use compile::compile;
pub use dataset::{Dataset, Host};
pub use grid_check::{Difference, GridCheck, PingPong};
pub use grid_run::{GridRun, StepGrids, whole_passes};
pub use inputs::{Inputs, Rotation, TooSmall};
pub use job::Job;
pub use kernel::Kernel;
pub use meter::{Meter, Rejection, Sampler, Subject};
pub use peak::{Form, Peak, PeakMeter};
pub use record::{Adapter, Record, SCHEMA};
pub use row::{
    LadderFigures, LadderWork, LibraryFigures, LibraryWork, Machine, NOISY, Row, Status, StencilFigures,
    StencilWork, Times, What, sides, significant,
};
pub use rung_run::RungRun;
pub use statistics::Summary;
pub use test_data::TestData;
pub use timer::{Budget, Encode, MeasureError, Measurement, Timer, Timing};
pub use upload::upload;
