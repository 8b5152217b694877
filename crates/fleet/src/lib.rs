//! Stencils over several GPUs of one machine, of any vendor, on [wgpu](halofold::wgpu).
//!
//! A grid is cut into [slabs](halofold::stencil::slab), one for each GPU. A [`Team`] steps them, and brings the layers that a slab needs of its
//! neighbours from GPU to GPU through the host. That is hidden: each GPU makes its outermost layers first, and computes the others while
//! the faces travel.
//!
//! ```
//! use halofold::stencil::{Config, FIVE_POINT, Grid};
//! use halofold::{Element, adapter};
//! use halofold_fleet::{FleetError, Member, TeamOptions, Team};
//!
//! /// A thousand steps on all GPUs of the machine.
//! fn step(members: &[Member], cells: &[u8]) -> Result<Vec<u8>, FleetError> {
//!     let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(4096, 4096));
//!     let mut team = Team::new(members, config, FIVE_POINT.usual, (cells, None), &TeamOptions::default())?;
//!     team.advance(1000)?;
//!     team.read(0..config.bytes())
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
//! A grid that is larger than a GPU, or than all of them, goes from file to file: see [`stream`].
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
//! A GPU holds two buffers of its slab and its halos, and for each neighbour two faces that the host can map. Halos have room for rounds
//! that get longer in the run, up to an eighth of the slab. Nothing is allocated after the first round of each kind. A run that turns out to be slower than
//! on one GPU alone is moved to that one, through the host's memory.

mod cache;
mod choice;
mod cut;
mod depth;
mod error;
mod error_scopes;
mod halo_face;
mod measured;
mod place;
mod search;
mod split;
mod staging;
mod stepping;
pub mod stream;
mod team;
mod threads;
mod worker;

pub use cut::{is_short, kernel_of_parts, room_of_halo};
pub use error::{FleetError, WorkerError, check_contexts};
pub use error_scopes::faults_of;
pub use measured::{Measured, measure_slab};
pub use place::Place;
pub use split::{part, part_of_layers, split, unit_of_layers, whole_units};
pub use staging::Staging;
pub use stepping::{Round, Rounds, Stepping};
pub use team::{Team, TeamOptions};
pub use threads::{limit_few_threads, with_few_threads};
pub use worker::{Member, Worker};
