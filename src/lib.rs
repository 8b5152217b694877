//! Reduction and stencil kernels in WGSL on wgpu: the classic CUDA and OpenCL ladder on every GPU that wgpu reaches.
//!
//! Three doors:
//!
//! - **A wgpu application** that has a buffer on the GPU and wants its sum, maximum, mean, variance, dot product, or those of
//!   every row, column or segment, starts at [`reduce`]; for counts of keys in bins at [`histogram`], for Jacobi steps
//!   over a grid at [`stencil`]. [`mod@read`] brings results to the host.
//! - **A learner** starts at [`reduce`], the ladder: every step of four well-known tutorials on parallel reduction, from the
//!   divergent tree to one dispatch with `vec4` loads, each a WGSL file that explains itself (`shaders/ladder/`).
//! - **Whoever measures** runs the program `halofold` (package `halofold-cli`), which verifies and times each rung and stencil on the
//!   GPU at hand; [`adapter`] and the crate `halofold-measure` are what it and the benches are made of.
//!
//! # In a wgpu application
//!
//! halofold takes your device, records into your encoder or pass, and never submits, polls or waits (but for [`mod@read`], when
//! you ask for bytes on the host). Pipelines are compiled once, a prepared reduction is recorded any number of times without
//! allocating, and the result stays on the GPU. Where something starts in a buffer is said in bytes, how long it is in elements.
//! What cannot be done is an error value that says what to do about it.
//!
//! ```
//! use halofold::reduce::{Extent, Form, Input, Op, Output, Reducer, Shape, Source, Workspace};
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
//!     // Once, when the application starts. All buffers have `BufferUsages::STORAGE`.
//!     let sum = Op::Sum.over(Element::F32).ok_or("f32 has a sum")?;
//!     let reducer = Reducer::new(device, sum, Form::Whole)?;
//!     let plan = reducer.plan(Shape::Whole, &[Extent { offset: 0, len }], None)?;
//!     let workspace = Workspace::new(device, &plan);
//!     let input = [Input { buffer: elements, offset: 0, len }];
//!     let output = Output { buffer: result, offset: 0 };
//!     let prepared = reducer.prepare(device, Source::of(&input), Shape::Whole, output, &workspace)?;
//!     // As often as it likes:
//!     prepared.encode(encoder);
//!     Ok(())
//! }
//! # let opened = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs"));
//! # let Some((device, queue)) = opened else { return };
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
//! # assert_eq!(readback.wait(4).unwrap(), 1500f32.to_le_bytes());
//! ```
//!
//! On the host, [`read::Readback`] gathers results of any size and waits or is awaited; [`read::Mailbox`] is the shortest way
//! for one small result.
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
pub mod stencil;
mod window;

pub use binding::BufferError;
pub use element::{Element, UnknownElement, Value};
pub use pipeline::LimitError;
pub use wgpu;
