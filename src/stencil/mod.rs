//! Stencils: Jacobi steps over a grid, by every kernel of the thesis.
//!
//! The same way of the data as for reductions: [`VARIANTS`] (kernels as values) → [`Job::plan`] (pure) → [`Job::compose`] (WGSL) →
//! [`Jacobi`] (a pipeline) → [`Stepper`] (recording) → [`mod@reference`] (the CPU's word on it).

mod catalogue;
mod error;
mod jacobi;
mod plan;
pub mod reference;
mod shape;

pub use catalogue::{Mapping, UnknownVariant, VARIANTS, Variant};
pub use error::StencilError;
pub use jacobi::{Jacobi, Stepper};
pub use plan::{Job, Params, Plan, Tuning};
pub use shape::{BadBlock, BadGrid, Block, Border, Borders, Coefficients, Grid, Points, UnknownBorder};
