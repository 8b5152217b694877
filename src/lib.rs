//! Reduction and stencil kernels in WGSL on wgpu: the classic CUDA and OpenCL ladder on every GPU that wgpu reaches.
//!
//! The sum of a buffer, on the host:
//!
//! ```
//! use halofold::Element;
//! use halofold::reduce::{Op, Reducer};
//!
//! # fn run() -> Result<(), Box<dyn std::error::Error>> {
//! # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
//! # let Some((device, queue)) = opened else { return Ok(()) };
//! # use halofold::wgpu::{self, util::DeviceExt as _};
//! # let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
//! #     label: None, contents: bytemuck::cast_slice(&[1.5f32; 1000]), usage: wgpu::BufferUsages::STORAGE });
//! let sum = Reducer::new(&device, Op::Sum.over(Element::F32)?)?;
//! let total: f32 = sum.of(&elements).wait(&queue)?;
//! # assert_eq!(total, 1500.0);
//! # Ok(())
//! # }
//! # run().unwrap();
//! ```
//!
//! - [`reduce`]: sums, minima and where they are, means, variances, dot products … of everything, of rows, columns or segments, and
//!   your own operators.
//! - [`histogram`]: how many keys fall into each bin.
//! - [`stencil`]: Jacobi steps over a grid.
//! - [`mod@read`]: results on the host.
//!
//! A learner starts at [`reduce::ladder`]: every step of four well-known tutorials on parallel reduction, from the divergent tree to
//! one dispatch with `vec4` loads, each a WGSL file that explains itself (`shaders/ladder/`). Whoever measures runs the program
//! `halofold` (package `halofold-cli`), which verifies and times each rung and stencil on the GPU at hand; [`adapter`] and the crate
//! `halofold-measure` are what it and the benches are made of.
//!
//! # In a wgpu application
//!
//! halofold takes your device, records into your encoder or pass, and never submits, polls or waits, unless you ask for results
//! on the host. A prepared reduction is recorded any number of times without allocating, and its result stays on the GPU. Places in
//! buffers are a [`Slice`]: `&buffer`, `buffer.slice(256..)`, or bytes from an offset on. What cannot be done is an error value
//! that says what to do about it.
//!
//! ```
//! use halofold::reduce::{Op, Prepared, Reducer};
//! use halofold::{Element, wgpu};
//!
//! /// What an application keeps. All buffers have `BufferUsages::STORAGE`.
//! fn prepare(
//!     device: &wgpu::Device,
//!     luminances: &wgpu::Buffer,
//!     mean: &wgpu::Buffer,
//! ) -> Result<Prepared, Box<dyn std::error::Error>> {
//!     Ok(Reducer::new(device, Op::Mean.over(Element::F32)?)?.of(luminances).into(mean)?)
//! }
//!
//! /// Every frame: between the dispatch that writes the luminances and the one that reads their mean.
//! fn record(prepared: &Prepared, pass: &mut wgpu::ComputePass<'_>) {
//!     prepared.encode_in_pass(pass);
//! }
//! # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
//! # let Some((device, queue)) = opened else { return };
//! # use wgpu::util::DeviceExt as _;
//! # let elements = device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
//! #     label: None, contents: bytemuck::cast_slice(&[1.5f32; 1000]), usage: wgpu::BufferUsages::STORAGE });
//! # let result = device.create_buffer(&wgpu::BufferDescriptor { label: None, size: 4,
//! #     usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC, mapped_at_creation: false });
//! # let prepared = prepare(&device, &elements, &result).unwrap();
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! # record(&prepared, &mut encoder.begin_compute_pass(&Default::default()));
//! # let readback = halofold::read::Readback::new(&device, 4);
//! # readback.encode(&mut encoder, &result, 0, 4).unwrap();
//! # queue.submit([encoder.finish()]);
//! # assert_eq!(readback.wait(4).unwrap(), 1.5f32.to_le_bytes());
//! ```
//!
//! What each operation costs in dispatches and memory is in the tables of [`reduce`](crate::reduce#cost) and
//! [`histogram`](crate::histogram#cost).
//!
//! # Determinism
//!
//! | what | the same bits |
//! |---|---|
//! | [`reduce`], integers: sums, products, dot products, L1 and maximum norms, minima, maxima, their places, bits, counts, any, all, means | on every GPU, every time |
//! | [`reduce`], floats: minima, maxima, their places, maximum norms, counts, any, all | on every GPU, every time |
//! | [`reduce`], floats: sums, products, means, dot products, L1; variances, deviations, L2 and log-sum-exp of any type | every time on the same device for the same plan |
//! | [`reduce`], your own operators | as their functions: integer arithmetic as integers, float arithmetic as floats |
//! | [`reduce::Shape::Accumulate`], floats: sums, dot products, L1 | not guaranteed: the hardware decides the order of additions |
//! | [`histogram`] | on every GPU, every time |
//! | [`stencil`] | every time on the same device with the same variant |
//! | the ladder, integers; minima and maxima | on every GPU, every time |
//! | the ladder, float sums and products | every time on the same device with the same tuning, offset and length |
//! | the same by `subgroup-atomic` and `workgroup-atomic` | not guaranteed: the hardware decides the order of additions |
//!
//! CUB calls the three `gpu_to_gpu`, `run_to_run` and `not_guaranteed`.
//!
//! A plan fixes which elements are combined with which, in every shape: *the same plan* is the same operator, shape, lengths and
//! offsets, with the same [`reduce::Options`]; for segments between offsets the same list of them; and a length that the GPU knows is the
//! same in both runs, but need not give the bits of a plan for just so many elements. *The same device* is the same GPU, driver,
//! back end, limits and features. On another GPU the subgroups may be wider, the limits others, and the compiler may fuse a
//! multiplication with an addition. [`reduce::Op`] says what becomes of NaN and signed zeros.
//!
//! # Features of the crate
//!
//! - `wgpu-default`: wgpu's own default back ends. Off by default: the application chooses its back ends.

#![warn(missing_docs, unreachable_pub, clippy::allow_attributes_without_reason, clippy::print_stdout)]

pub mod adapter;
mod binding;
mod dispatch;
mod element;
pub mod histogram;
mod pipeline;
pub mod read;
pub mod reduce;
mod shader;
mod slice;
pub mod stencil;
mod window;

pub use binding::BufferError;
pub use element::{Element, UnknownElement, Value};
pub use pipeline::LimitError;
pub use slice::Slice;
pub use wgpu;
