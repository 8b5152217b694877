//! Stencils: Jacobi steps over a grid, by every kernel of the thesis and some of our own.
//!
//! The same way of the data as for reductions: [`STENCILS`] and [`VARIANTS`] (points and kernels as values) → [`Config::plan`] (pure) →
//! [`Config::compose`] (WGSL) → [`Jacobi`] (a pipeline) → [`Stepper`] (recording; [`Convergence`] if the steps end by themselves) →
//! [`mod@reference`] (the CPU's word on it).

mod aux_kernels;
mod catalogue;
mod config;
mod convergence;
mod error;
mod grids;
mod halo;
mod jacobi;
mod plan;
pub mod reference;
mod residual;
mod shape;
mod stencils;
mod tuning;
mod uniforms;
mod until;
mod window;

pub use aux_kernels::AuxKernel;
pub use catalogue::{Mapping, Serves, UnknownVariant, VARIANTS, Variant};
pub use config::Config;
pub use convergence::Convergence;
pub use error::StencilError;
pub use grids::Grids;
pub use jacobi::{Jacobi, Stepper};
pub use plan::{Params, Plan};
pub use shape::{BadBlock, BadGrid, Block, Border, Borders, Grid, UnknownBorder};
pub use stencils::*;
pub use tuning::Tuning;
pub use until::{Norm, Outcome, Until};
pub use window::{Halo, Window};
