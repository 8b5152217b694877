//! Stencils: Jacobi steps over a grid, by every kernel of the thesis.
//!
//! The same way of the data as for reductions: [`VARIANTS`] (kernels as values) → [`Job::plan`] (pure) → [`Job::compose`] (WGSL) →
//! [`Jacobi`] (a pipeline) → [`Stepper`] (recording; [`Convergence`] if the steps end by themselves) → [`mod@reference`] (the CPU's word on it).

mod catalogue;
mod companions;
mod convergence;
mod error;
mod jacobi;
mod plan;
mod record;
pub mod reference;
mod residual;
mod seam;
mod shape;
mod until;
mod window;

pub use catalogue::{Mapping, UnknownVariant, VARIANTS, Variant};
pub use companions::Companion;
pub use convergence::Convergence;
pub use error::StencilError;
pub use jacobi::{Jacobi, Stepper};
pub use plan::{Job, Params, Plan, Tuning};
pub use shape::{BadBlock, Block, Border, Borders, Coefficients, Grid, Points, UnknownBorder};
pub use until::{Norm, Outcome, Until};
pub use window::{Seam, Window};
