//! Reductions, histograms and stencils in WGSL on wgpu, and the classic CUDA and OpenCL reduction ladder on every GPU that wgpu reaches.
//!
//! This reads the sum of a buffer back to the host:
//!
//! ```
//! use halofold::{Compiled, Element, Options};
//! use halofold::reduce::{Op, Reduce};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let elements = buffer(bytemuck::cast_slice(&[1.5f32; 1000]));
//! let sum = Compiled::new(&device, Reduce::new(Op::Sum.over(Element::F32)?), &Options::default())?;
//! let total: f32 = sum.of(&elements).run(&queue)?;
//! # assert_eq!(total, 1500.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`reduce`]: sums, minima and their positions, means, variances, dot products, and your own operators,
//!   over a whole buffer or over its rows, columns or segments; sums without rounding ([`reduce::exact`]).
//! - [`histogram`]: counts how many keys fall into each bin.
//! - [`group`]: counts, exact sums, means and variances, minima and maxima of the values of each group, by ids or by keys in
//!   any order; results for each run of equal keys.
//! - [`rank`]: medians, quantiles, the k largest or smallest elements.
//! - [`select`]: the elements, or their indices, for which a function holds.
//! - [`scan`]: the sum of all elements up to each, and the same with any other operator.
//! - [`pyramid`]: minima and maxima of a texture at half its size, a quarter, and so on.
//! - [`stencil`]: Jacobi steps over a grid.
//! - [`mod@read`]: reads results back to the host.
//! - [`probe`]: finds out if a device counts right in workgroup memory.
//!
//! To learn, start at [`ladder`]. It has every step of four well-known tutorials on parallel
//! reduction, from the divergent tree to one dispatch with `vec4` loads. Each step is a WGSL file that
//! explains itself (`shaders/ladder/`). To measure, run the program `halofold` (package `halofold-cli`). It
//! verifies and times each rung and each stencil on your GPU. The program and the benches are built on
//! [`adapter`] and on the crate `halofold-measure`.
//!
//! # In a wgpu application
//!
//! halofold takes your device and records into your encoder or pass. It never submits, polls or waits, unless
//! you ask for results on the host. A bound reduction can be recorded any number of times without
//! allocating, and its result stays on the GPU. Every input and output is a [`Slice`]: `&buffer`,
//! `buffer.slice(256..)`, or a range of bytes. A request that cannot be carried out returns an error that
//! names the limit and the remedy.
//!
//! ```
//! use halofold::reduce::{Op, Bound, Reduce};
//! use halofold::{Compiled, Element, Options, wgpu};
//!
//! /// Once, when the application starts. All buffers have `BufferUsages::STORAGE`.
//! fn prepare(
//!     device: &wgpu::Device,
//!     luminances: &wgpu::Buffer,
//!     mean: &wgpu::Buffer,
//! ) -> Result<Bound, Box<dyn std::error::Error>> {
//!     let reduce = Reduce::new(Op::Mean.over(Element::F32)?);
//!     Ok(Compiled::new(device, reduce, &Options::default())?.of(luminances).bind(mean)?)
//! }
//!
//! /// Every frame: between the dispatch that writes the luminances and the one that reads their mean.
//! fn record(prepared: &Bound, pass: &mut wgpu::ComputePass<'_>) {
//!     prepared.encode_in_pass(pass);
//! }
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return };
//! # let elements = buffer(bytemuck::cast_slice(&[1.5f32; 1000]));
//! # let result = buffer(&[0; 4]);
//! # let prepared = prepare(&device, &elements, &result).unwrap();
//! # let mut encoder = device.create_command_encoder(&Default::default());
//! # record(&prepared, &mut encoder.begin_compute_pass(&Default::default()));
//! # let readback = halofold::read::Readback::new(&device, 4);
//! # readback.encode(&mut encoder, &result, 0, 4).unwrap();
//! # queue.submit([encoder.finish()]);
//! # assert_eq!(readback.wait(4).unwrap(), 1.5f32.to_le_bytes());
//! ```
//!
//! The tables of [`reduce`](crate::reduce#cost) and [`histogram`](crate::histogram#cost) list the dispatches and memory of each operation.
//!
//! # In a browser
//!
//! With wgpu's feature `webgpu`, everything here works as WebAssembly, except for what waits: it returns [`read::ReadError::Browser`].
//! Await the other form instead: [`Reduction::run_async`](reduce::Reduction::run_async), [`Request::run_async`], [`Compiled::run_async`](crate::Compiled::run_async),
//! [`read::Reading`]. As wgpu's types there, those of this crate are neither `Send` nor `Sync`. `examples/web` is a page.
//!
//! # Determinism
//!
//! | operation | identical bits |
//! |---|---|
//! | [`reduce`], integers: sums, products, dot products, L1 and maximum norms, minima, maxima, their positions, bits, counts, any, all, means | on every GPU, every time |
//! | [`reduce`], floats: minima, maxima, their positions, maximum norms, counts, any, all | on every GPU, every time |
//! | [`reduce`], floats: sums, products, means, dot products, L1; variances, deviations, L2 and results of logarithms, of any type | every time on the same device for the same plan |
//! | [`reduce`] with [`reduce::Accuracy::Exact`]: sums, means and L1 norms of floats, dot products of f32 | on every GPU, every time |
//! | [`reduce`], your own operators | integer arithmetic as in the integer rows, float arithmetic as in the float rows |
//! | [`reduce::Shape::Accumulate`], floats: sums, dot products, L1 | not guaranteed: the hardware decides the order of additions |
//! | [`group::ReduceRuns`], integers; minima and maxima; exact sums | on every GPU, every time |
//! | [`group::ReduceRuns`], other floats | every time on the same device for the same plan |
//! | [`histogram`] | on every GPU, every time |
//! | [`group::GroupById`]; [`group::GroupByKey`], unless keys are too many | on every GPU, every time |
//! | [`rank`]: elements | on every GPU, every time |
//! | [`rank`]: quantiles between two elements | every time on the same device |
//! | [`group::RunLengths`], [`select::Select::unique`] | on every GPU, every time |
//! | [`select`], your own functions | on every GPU, every time, if the function has the same results there |
//! | [`scan`], integers; minima and maxima; exact sums | on every GPU, every time |
//! | [`scan`], other floats | every time on the same device for the same plan |
//! | [`pyramid`] | on every GPU, every time, if the map of texels has the same bits there |
//! | [`stencil`] | every time on the same device with the same variant |
//! | the ladder, integers; minima and maxima | on every GPU, every time |
//! | the ladder, float sums and products | every time on the same device with the same tuning, offset and length |
//! | the ladder, float sums and products by `subgroup-atomic` and `workgroup-atomic` | not guaranteed: the hardware decides the order of additions |
//!
//! CUB calls these three levels `gpu_to_gpu`, `run_to_run` and `not_guaranteed`.
//!
//! A plan fixes which elements are combined with which, in every shape. *The same plan* means the same operator, shape, lengths, offsets,
//! [`reduce::Reduce`] and [`Options`]; for segments between offsets it also means the same list of offsets. Where a count on the GPU gives the length, the
//! count must be the same in both runs. The result may then differ in its last bits from that of a plan for exactly that length. *The same device* means
//! the same GPU, driver, back end, limits and features. Another GPU may have wider subgroups and other limits, and its compiler may fuse a multiplication
//! with an addition. [`reduce::Op`] defines the treatment of NaN and of signed zeros.
//!
//! # Features of the crate
//!
//! - `ladder`: [`ladder`], the kernels that reductions do not take by themselves. On by default.
//! - `stencil`: [`stencil`]. On by default.
//! - `essays`: keeps the comments of kernels, for programs that show them. Off by default.
//! - `wgpu-default`: enables wgpu's default back ends. Off by default: the application chooses its back ends.

#![warn(missing_docs, unreachable_pub, clippy::allow_attributes_without_reason, clippy::print_stdout)]
#![cfg_attr(
    not(all(feature = "ladder", feature = "stencil")),
    allow(dead_code, unreachable_pub, unused_imports, reason = "parts of the base serve these alone")
)]

pub mod adapter;
mod dispatch;
mod element;
mod gpu;
pub mod group;
pub mod histogram;
#[cfg(feature = "ladder")]
pub mod ladder;
mod map;
mod of_texels;
#[cfg(test)]
mod parameters;
mod parse;
pub mod probe;
pub mod pyramid;
pub mod rank;
pub mod read;
pub mod reduce;
pub mod scan;
pub mod select;
mod shader;
#[cfg(feature = "stencil")]
pub mod stencil;

pub use dispatch::DispatchArguments;
pub use element::{Element, Value};
pub use gpu::data;
pub use gpu::slice::Slice;
pub use gpu::{
    Binding, Bound, BufferError, Compiled, Cut, DataError, Error, FeatureError, InputsOf, Kernel, Kernels,
    Launches, LimitError, Memory, Operation, Options, Output, OutputsOf, Pass, Plan, Planned, Request,
    ResultOf, SettingError, Texels, TextureError, WgslError, Workspace,
};
pub use map::Map;
pub use of_texels::OfTexels;
pub use wgpu;
