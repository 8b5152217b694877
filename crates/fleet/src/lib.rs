//! Stencils over several GPUs of one machine, of any vendor, on [wgpu](halofold::wgpu).
//!
//! A grid is cut into equal [slabs](halofold::stencil::slab), one for each GPU. A [`Team`] steps them, and brings the layers that a slab needs of its
//! neighbours from GPU to GPU through the host. That is hidden: each GPU makes its outermost layers first, and computes the others while
//! the faces travel.
//!
//! ```
//! use halofold::stencil::{Config, FIVE_POINT, Grid};
//! use halofold::{Element, adapter};
//! use halofold_fleet::{FleetError, Member, Team, in_memory};
//!
//! /// A thousand steps on all GPUs of the machine.
//! fn step(members: &[Member], cells: &[u8]) -> Result<Vec<u8>, FleetError> {
//!     let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(4096, 4096));
//!     let mut team = Team::new(members, config, FIVE_POINT.usual, (&in_memory(cells), None), None)?;
//!     team.advance(1000)?;
//!     let mut stepped = Vec::new();
//!     team.read(0..config.bytes(), |piece| Ok(stepped.extend_from_slice(piece)))?;
//!     Ok(stepped)
//! }
//!
//! async fn members() -> Result<Vec<Member>, halofold::wgpu::RequestDeviceError> {
//!     let all = adapter::list().await;
//!     let infos: Vec<_> = all.iter().map(|adapter| adapter.get_info()).collect();
//!     let mut members = Vec::new();
//!     // One GPU may be there several times, by several back ends.
//!     for nth in adapter::distinct(&infos) {
//!         let (device, queue) = adapter::open(&all[nth]).await?;
//!         members.push(Member { device, queue });
//!     }
//!     Ok(members)
//! }
//! ```
//!
//! [`OneGpu`], [`GridState`] and [`host`] are what halofold's programs share besides: no interface for others.
//!
//! # Bits
//!
//! However many GPUs, and however the grid is cut, the grid has the bits of one GPU that runs the same kernel with the same driver. All slabs
//! are stepped by one kernel. Compilers may fuse a product with the addition that follows, and those of different drivers choose differently:
//! on GPUs of several kinds together the last bits of kernels that make single steps may depend on where the grid is cut. The time-blocked
//! kernels say `fma` themselves, and have the same bits everywhere.
//!
//! # Cost
//!
//! A GPU holds two buffers of its slab and its halos, and for each neighbour two faces that the host can map. Nothing is allocated after the
//! first round of each kind.

mod depth;
mod download;
mod error;
mod error_scopes;
mod grid_state;
pub mod host;
mod one_gpu;
mod place;
mod split;
mod staging;
mod stepping;
mod team;
mod threads;
mod upload;
mod worker;

pub use depth::{Slabs, steps_of_round};
pub use error::{FleetError, WorkerError, check_contexts};
pub use error_scopes::faults_of;
pub use grid_state::{GridState, MOST_STEPS, Sink, StepError, steps_of_submission};
pub use one_gpu::{OneGpu, Record, Submit};
pub use place::Place;
pub use split::{part_of_layers, unit_of_layers};
pub use stepping::{Round, Stepping};
pub use team::{Team, kernel_of_parts};
pub use threads::{limit_few_threads, with_few_threads};
pub use upload::upload;
pub use worker::{Cells, Member, Worker, in_memory};
