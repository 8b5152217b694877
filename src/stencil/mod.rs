//! Stencils: Jacobi steps over a grid, with every kernel of the thesis and some of our own.
//!
//! Data flows as for reductions: [`STENCILS`] and [`VARIANTS`] (stencils and kernels as values) →
//! [`Config::plan`] (pure) → [`Config::compose`] (WGSL) → [`Jacobi`] (pipelines) → [`Stepper`] (recording;
//! [`Convergence`] for runs that stop at convergence) → [`mod@reference`] (the results on the CPU).
//!
//! This solves a Poisson problem `4 u - (north + south + west + east) = b` by damped Jacobi steps, `u' = (1 - ω) u + ω/4 (neighbours + b)`:
//!
//! ```
//! use halofold::{Compiled, Element, Options};
//! use halofold::stencil::{Config, FIVE_POINT, Grid, Grids, Jacobi, Until, Weights};
//!
//! const DAMPING: f64 = 0.8;
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let [first, second] = [0, 1].map(|_| buffer(&[0; 36]));
//! # let rhs = buffer(bytemuck::cast_slice(&[(DAMPING / 4.0 * 8.0) as f32; 9]));
//! // Both grids start alike, their outermost cells being the borders' values; `rhs` holds ω/4 b.
//! let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(3, 3)).with_rhs();
//! let jacobi = Jacobi::new(config, Weights::new(&[1.0 - DAMPING, DAMPING / 4.0, 0.0, 0.0]));
//! let jacobi = Compiled::new(&device, jacobi, &Options::default())?;
//! let grids = Grids::new(&first, &second).with_rhs(&rhs);
//!
//! // Tools: records, submits, waits, until no step changes a cell by 1e-6.
//! let (outcome, cells) = jacobi.run_until::<f32>(&queue, grids, Until::new(1e-6), 10_000)?;
//! # // One free cell, whose neighbours are all zero: 4 u = 8.
//! # assert!(outcome.converged && (cells[4] - 2.0).abs() < 1e-4, "{outcome:?} {cells:?}");
//!
//! // An application: bound once, then recorded any number of times, some steps each time.
//! let run = jacobi.bind_until(grids, Until::new(1e-6))?;
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! run.encode(&mut encoder, 0..100);
//! run.encode(&mut encoder, 100..200);
//! # assert_eq!(jacobi.run::<f32>(&queue, grids, 3)?.len(), 9);
//! # assert!(jacobi.run::<f64>(&queue, grids, 3).is_err());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod aux_kernels;
mod blocked;
mod catalogue;
mod check;
mod compose;
mod config;
mod convergence;
mod cuts;
mod fitting;
mod formula;
mod grids;
mod halo;
mod host;
mod jacobi;
mod kernels;
mod passes;
mod plan;
pub mod reference;
mod residual;
mod shape;
pub mod slab;
mod stencils;
mod tuning;
mod until;
mod window;

pub use crate::Options;
pub use catalogue::{Mapping, VARIANTS, Variant};
pub use config::Config;
pub use convergence::Convergence;
pub use grids::Grids;
pub use jacobi::{Jacobi, Stepper};
pub use shape::{Block, Border, Borders, Grid};
pub use stencils::*;
pub use tuning::Tuning;
pub use until::{Norm, Outcome, Until};
