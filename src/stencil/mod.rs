//! Stencils: Jacobi steps over a grid, by every kernel of the thesis and some of our own.
//!
//! The same way of the data as for reductions: [`STENCILS`] and [`VARIANTS`] (points and kernels as values) → [`Config::plan`] (pure) →
//! [`Config::compose`] (WGSL) → [`Jacobi`] (a pipeline) → [`Stepper`] (recording; [`Convergence`] if the steps end by themselves) →
//! [`mod@reference`] (the CPU's word on it).
//!
//! A Poisson problem `4 u - (north + south + west + east) = b` by damped Jacobi steps, `u' = (1 - ω) u + ω/4 (neighbours + b)`:
//!
//! ```
//! use halofold::stencil::{Config, Convergence, FIVE_POINT, Grid, Grids, Jacobi, StencilError, Until, Weights};
//! use halofold::{Element, wgpu};
//!
//! const DAMPING: f64 = 0.8;
//!
//! /// Records steps until none changes a cell by 1e-6. Both grids start alike, their outermost cells being the borders' values;
//! /// `rhs` holds ω/4 b. Which of them has the result, and after how many steps, is in [`Convergence::outcome`].
//! fn record_poisson(
//!     device: &wgpu::Device,
//!     encoder: &mut wgpu::CommandEncoder,
//!     grid: Grid,
//!     [first, second, rhs]: [&wgpu::Buffer; 3],
//! ) -> Result<Convergence, StencilError> {
//!     let config = Config::fastest(&FIVE_POINT, Element::F32, grid).with_rhs();
//!     let weights = Weights([1.0 - DAMPING, DAMPING / 4.0, 0.0, 0.0]);
//!     let jacobi = Jacobi::new(device, config, weights)?;
//!     let grids = Grids::new(first, second).with_rhs(rhs);
//!     let run = jacobi.prepare_until(device, grids, Until::new(1e-6))?;
//!     run.encode(encoder, 10_000);
//!     Ok(run)
//! }
//! # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
//! # let Some((device, queue)) = opened else { return };
//! # use wgpu::util::DeviceExt as _;
//! # let buffer = |cells: [f32; 9]| device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
//! #     label: None, contents: bytemuck::cast_slice(&cells), usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC });
//! # let [first, second] = [0, 1].map(|_| buffer([0.0; 9]));
//! # let rhs = buffer([(DAMPING / 4.0 * 8.0) as f32; 9]);
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! # let run = record_poisson(&device, &mut encoder, Grid::plane(3, 3), [&first, &second, &rhs]).unwrap();
//! # queue.submit([encoder.finish()]);
//! # let read = |buffer: &wgpu::Buffer, size| {
//! #     let readback = halofold::read::Readback::new(&device, size);
//! #     let mut encoder = device.create_command_encoder(&Default::default());
//! #     readback.encode(&mut encoder, buffer, 0, size).unwrap();
//! #     queue.submit([encoder.finish()]);
//! #     readback.wait(&device, size).unwrap()
//! # };
//! # let outcome = Convergence::parse(&read(run.outcome(), Convergence::OUTCOME_SIZE));
//! # let bytes = read(if outcome.in_first() { &first } else { &second }, 36);
//! # // One free cell, whose neighbours are all zero: 4 u = 8.
//! # let centre = f32::from_ne_bytes(bytes[16..20].try_into().unwrap());
//! # assert!(outcome.converged, "{outcome:?}");
//! # assert!((centre - 2.0).abs() < 1e-4, "{centre}");
//! ```

mod aux_kernels;
mod blocked;
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
mod steps;
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
