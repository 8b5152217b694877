//! The parts that every operation stands on: reductions, histograms, order statistics, prefixes, pyramids and stencils.

pub(crate) mod blocks;
pub(crate) mod buffers;
pub(crate) mod count;
pub(crate) mod device;
mod error;
pub(crate) mod grid;
pub(crate) mod input;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod limits;
mod map;
pub(crate) mod outputs;
pub(crate) mod request;
mod scratch;
pub(crate) mod texels;

pub use buffers::BufferError;
pub use device::OnDevice;
pub use error::OperationError;
pub use kernel::Options;
pub use launch::Prepared;
pub use limits::{LimitError, SettingError};
pub use map::Map;
pub use request::{Pass, Request};
pub use texels::{Texels, TextureError};
