//! What every operation stands on: kernels and their bindings, dispatches, limits, windows of buffers, texels of textures, results.
//!
//! It names no operation.

pub(crate) mod bind;
pub(crate) mod blocks;
pub(crate) mod buffers;
pub(crate) mod compiled;
pub(crate) mod count;
pub mod data;
pub(crate) mod error;
pub(crate) mod grid;
pub(crate) mod input;
pub(crate) mod io;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod limits;
pub(crate) mod operation;
pub(crate) mod outputs;
pub(crate) mod parameters;
pub(crate) mod params;
pub(crate) mod pass;
pub(crate) mod range;
pub(crate) mod request;
pub(crate) mod slice;
pub(crate) mod texels;
pub(crate) mod window;
pub(crate) mod workspace;

pub use buffers::BufferError;
pub use compiled::Compiled;
pub use error::{DataError, Error, FeatureError, WgslError};
pub use io::{InputsOf, Output, OutputsOf, ResultOf};
pub use kernel::{Kernel, Kernels, Launches, Options};
pub use launch::Bound;
pub use limits::{LimitError, SettingError};
pub use operation::{Memory, Operation, Plan, Planned};
pub use pass::{Binding, Pass};
pub use range::Cut;
pub use request::Request;
pub use texels::{Texels, TextureError};
pub use workspace::Workspace;
