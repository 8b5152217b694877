//! Reduction and stencil kernels in WGSL on wgpu: the classic CUDA and OpenCL ladder on every GPU that wgpu reaches.
//!
//! halofold is three things. A *ladder*: every step of four well-known tutorials on parallel reduction, from the
//! divergent tree to one dispatch with `vec4` loads, each a WGSL file that explains itself. A *measuring tool* (the
//! program `halofold`, feature `cli`): it verifies and times each rung on the GPU at hand. And a *library*: the
//! rungs recorded into another application's encoder or pass.
//!
//! # In a wgpu application
//!
//! halofold takes your device, records into your encoder or pass, and never submits, polls or waits. Pipelines are
//! compiled once, a prepared reduction is recorded any number of times without allocating, and the result stays on the GPU.
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
//!
//! The modules follow the way of the data: [`reduce`] holds the catalogue of rungs, plans, kernels, recording and
//! the CPU's reference; [`stencil`] the same for Jacobi steps over grids; [`histogram`] counts keys into bins; [`mod@read`] brings results to the host; [`measure`] and [`adapter`] are for tools and benches.
//!
//! # Determinism
//!
//! Integers are exact. A float's sum or product has a tree that the plan fixes: the same device, tuning and length give the
//! same bits every time, on every rung but the two atomic ones, whose order of additions is up to the hardware. Minima and
//! maxima are the same on every device; see [`reduce::Operator`] for NaN and signed zeros.
//!
//! # Features of the crate
//!
//! - `wgpu-default`: wgpu's own default back ends. Off by default: the application chooses its back ends.
//! - `translate`: the code each back end gets, as text (module `translate`).
//! - `cli`: the program `halofold`.

#![warn(missing_docs, unreachable_pub, clippy::allow_attributes_without_reason, clippy::print_stdout)]

pub mod adapter;
mod binding;
mod dispatch;
mod element;
pub mod histogram;
pub mod measure;
mod pipeline;
pub mod read;
pub mod reduce;
pub mod reducer;
mod shader;
pub mod stencil;
#[cfg(feature = "translate")]
pub mod translate;
mod window;

pub use element::{Element, UnknownElement, Value};
pub use wgpu;
