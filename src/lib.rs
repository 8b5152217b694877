#![doc = "draft"]

pub mod adapter;
pub mod element;
pub mod measure;
pub mod read;
pub mod reduce;
mod shader;
#[cfg(feature = "translate")]
pub mod translate;

pub use element::{Element, Value};
pub use wgpu;
