//! Reductions: from many elements to one, by every kernel of the ladder.
//!
//! The way of the data, one module a step: [`catalogue`](RUNGS) (rungs as values) → [`Job::plan`] (pure: a length and
//! limits in, dispatches out) → [`Job::compose`] (WGSL) → [`Reduction`] (pipelines) → [`Prepared`] (recording) → [`mod@reference`] (the CPU's word on it).
//!
//! For an application, [`reducer`](crate::reducer) is the shorter way; a rung is recorded like this:
//!
//! ```
//! use halofold::reduce::{Input, Job, Operator, Output, Reduction, Rung, Tuning, Workspace};
//! use halofold::{Element, wgpu};
//!
//! /// Records the sum of the first `len` floats of `elements` into `result`.
//! fn record_sum(
//!     device: &wgpu::Device,
//!     encoder: &mut wgpu::CommandEncoder,
//!     elements: &wgpu::Buffer,
//!     len: u64,
//!     result: &wgpu::Buffer,
//! ) -> Result<(), Box<dyn std::error::Error>> {
//!     let rung = Rung::named("single-pass")?;
//!     let job = Job {
//!         rung,
//!         accumulator: Operator::Sum.over(Element::F32).ok_or("f32 has a sum")?,
//!         tuning: Tuning::of(rung, &device.limits(), len),
//!         finish: rung.finishes[0],
//!     };
//!     // Once, when the application starts:
//!     let reduction = Reduction::new(device, job)?;
//!     let workspace = Workspace::new(device, &reduction.plan(0, len)?);
//!     let input = Input { buffer: elements, offset: 0, len };
//!     let prepared = reduction.prepare(device, input, Output { buffer: result, offset: 0 }, &workspace)?;
//!     // As often as it likes:
//!     prepared.encode(encoder);
//!     Ok(())
//! }
//! # let Some(adapter) = pollster::block_on(halofold::adapter::preferred(false)) else { return };
//! # let (device, queue) = pollster::block_on(halofold::adapter::open(&adapter)).unwrap();
//! # use wgpu::util::DeviceExt as _;
//! # let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
//! #     label: None, contents: bytemuck::cast_slice(&[1.5f32; 1000]), usage: wgpu::BufferUsages::STORAGE });
//! # let result = device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 4,
//! #     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC, mapped_at_creation: false });
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! # record_sum(&device, &mut encoder, &elements, 1000, &result).unwrap();
//! # let readback = halofold::read::Readback::new(&device, 4);
//! # readback.encode(&mut encoder, &result, 0, 4).unwrap();
//! # queue.submit([encoder.finish()]);
//! # assert_eq!(readback.wait(&device, 4).unwrap(), 1500f32.to_le_bytes());
//! ```

mod catalogue;
mod compose;
mod error;
pub(crate) mod operator;
mod plan;
mod reducer;
pub mod reference;
mod tuning;

pub use catalogue::{Coverage, Finish, Memory, RUNGS, Rung, Subgroups, UnknownFinish, UnknownRung};
pub use error::{PlanError, ReduceError};
pub use operator::{Accumulator, AtomicWord, Operator, UnknownOperator};
pub use plan::{From, Job, Params, Pass, Plan, Stage, To};
pub use reducer::{Input, Output, Prepared, Reduction, Workspace};
pub use tuning::Tuning;
