//! Measuring: GPU time, this machine's memory peak, statistics, and (feature `record`) what a run leaves behind.
//!
//! Unlike the rest of the library this module submits and waits: it is for tools and benches.

mod differ;
mod field;
mod inputs;
#[cfg(feature = "record")]
mod library_row;
mod mosaic;
mod noise;
mod peak;
#[cfg(feature = "record")]
mod record;
#[cfg(feature = "record")]
mod row;
mod statistics;
#[cfg(feature = "record")]
mod stencil_row;
mod timer;
mod trial;

pub use field::{Difference, Field, FieldError, Pair};
pub use inputs::{Inputs, Rotation, TooSmall};
#[cfg(feature = "record")]
pub use library_row::LibraryRow;
pub use noise::Noise;
pub use peak::{Peak, peak};
#[cfg(feature = "record")]
pub use record::{Adapter, Ceiling, Record, SCHEMA};
#[cfg(feature = "record")]
pub use row::{Row, Status};
pub use statistics::Summary;
#[cfg(feature = "record")]
pub use stencil_row::StencilRow;
pub use timer::{Budget, MeasureError, Measurement, Timer, Timing};
pub use trial::Trial;
