//! Stencils over several GPUs of one machine, of any vendor, on [wgpu](halofold::wgpu).
//!
//! A grid is cut into [slabs](halofold::stencil::slab), one for each GPU. A [`Team`] steps them, and brings the layers that a slab needs of its
//! neighbours from GPU to GPU through the host. That is hidden: each GPU makes its outermost layers first, and computes the others while
//! the faces travel.
//!
//! ```
//! use halofold::stencil::{Config, FIVE_POINT, Grid};
//! use halofold::{Element, adapter};
//! use halofold_fleet::{FleetError, Member, Settings, Team};
//!
//! /// A thousand steps on all GPUs of the machine.
//! fn step(members: &[Member], cells: &[u8]) -> Result<Vec<u8>, FleetError> {
//!     let config = Config::fastest(&FIVE_POINT, Element::F32, Grid::plane(4096, 4096));
//!     let mut team = Team::new(members, config, FIVE_POINT.usual, (cells, None), &Settings::default())?;
//!     team.advance(1000)?;
//!     team.read(0..config.bytes())
//! }
//!
//! async fn members() -> Result<Vec<Member>, halofold::wgpu::RequestDeviceError> {
//!     let mut members = Vec::new();
//!     for gpu in adapter::list().await {
//!         let (device, queue) = adapter::open(&gpu).await?;
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
//! However many GPUs, and however the grid is cut, the grid has the bits of one GPU that runs the same kernel. Kernels on a
//! GPU that contract products and sums (`fma`) may differ from those on one that does not: GPUs of different vendors agree where the kernel
//! says `fma` itself, as the time-blocked ones do.
//!
//! # Cost
//!
//! A GPU holds two buffers of its slab and its halos, and for each neighbour two faces that the host can map. Nothing is allocated
//! after the first round of each number of steps.

mod depth;
mod error;
mod face;
mod split;
mod staging;
pub mod stream;
mod team;
mod watched;
mod worker;

pub use error::{FleetError, WorkerError};
pub use split::split;
pub use team::{Settings, Team, kernel_of_parts};
pub use worker::{Member, Worker};
