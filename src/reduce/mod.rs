//! Reductions: combine many elements into one result, or into one result per row, column or segment.
//!
//! [`Op`] lists the operators and the type of their results. [`Shape`] lists which elements can make up one
//! result.
//!
//! 1. [`Reduce::new`] takes an operator: an [`Op`], or your own over numbers ([`Monoid::custom`]) or over structs and vectors
//!    ([`Monoid::custom_struct`]).
//! 2. [`Compiled::new`](crate::Compiled::new) brings it to a device, and [`Compiled::of`](crate::Compiled::of) takes the input. All elements
//!    give one result, or those of a shape several: `.segments(columns)` one for each row of a matrix.
//! 3. [`Reduction::bind`] binds the buffers, once, and [`Bound::encode`] records the dispatches, any number of times.
//!    [`Reduction::run`] does both and returns the results on the host.
//!
//! ```
//! use halofold::reduce::{Accuracy, Op, Reduce};
//! use halofold::{Compiled, Element, Options};
//!
//! # let Some((device, queue, buffer)) = include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/doctest.rs")) else { return Ok(()) };
//! # let matrix = buffer(bytemuck::cast_slice(&[1.5f32; 1000]));
//! // The mean of each row of a matrix with 100 columns.
//! let mean = Compiled::new(&device, Reduce::new(Op::Mean.over(Element::F32)?), &Options::default())?;
//! let means: Vec<f32> = mean.of(&matrix).segments(100).run(&queue)?;
//! assert_eq!(means, [1.5; 10]);
//!
//! // The sum of all its elements, rounded only once.
//! let exact = Reduce::new(Op::Sum.over(Element::F32)?).with_accuracy(Accuracy::Exact);
//! let sum: f32 = Compiled::new(&device, exact, &Options::default())?.of(&matrix).run(&queue)?;
//! assert_eq!(sum, 1500.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Whole inputs are reduced by the rung `single-pass` of the [`ladder`](crate::ladder). To run another rung, call [`Reduce::with_rung`].
//! [`mod@plan`] shows the dispatches of a reduction. [`mod@reference`] computes results on
//! the CPU to compare with.
//!
//! # Cost
//!
//! | shape | dispatches | scratch memory |
//! |---|---|---|
//! | [`Shape::Whole`], [`Shape::Strided`] | 1 | one accumulator per workgroup, for at most about two thousand workgroups: 50 KB or less |
//! | … with [`Launches::Two`](crate::Launches::Two), unless one workgroup is enough: up to 256 KiB, or 4096 strided elements | 2 | one accumulator per workgroup, as above |
//! | [`Shape::Accumulate`] | 1 | – |
//! | [`Shape::Segments`] | 1 | – |
//! | … few and long | 2 | one accumulator per chunk: about four thousand at most, or two thousand for each segment that is larger than a binding |
//! | [`Shape::Offsets`], at most 2^14 elements | 1 | – |
//! | … more elements | 3 | one accumulator and 16 bytes for every 2^14 elements |
//! | [`Shape::Axis`] | 1 | – |
//! | … few columns, long axis | 2 | one accumulator per chunk of each column: about 2^18 at most, or for each `outer` if an array `[len, inner]` does not fit a binding |
//! | any, with [`Reduction::count_buffer`] | 1 more | – |
//! | any, for each further binding of input | 1 more | – |
//! | … of [`Shape::Whole`] with one input, on a device with 6 storage buffers per shader | 1 more for every second binding | – |
//! | … of [`Shape::Offsets`] | 2 more | – |
//! | no results: no segments, no columns | 0 | – |
//!
//! Accumulators of halofold's own operators have 4 to 24 bytes. Those of your operators have at most 64 bytes; the first row then takes up to 135 KB. A
//! binding holds `max_storage_buffer_binding_size` bytes, and halofold uses at most 2 GiB of them. A binding starts at an aligned offset, so it covers up to
//! `min_storage_buffer_offset_alignment` bytes less; only [`Shape::Whole`] and [`Shape::Accumulate`] of one input lose none. For strided elements the bytes
//! between them count as input. A segment or column that is larger than a binding begins a binding of its own. Results that do
//! not fit one binding also take further dispatches.
//!
//! Scratch memory is a little larger than this table says, because no binding may be empty: see
//! [`Workspace::size`](crate::Workspace::size). A bound reduction owns its bind groups and 256 bytes for each dispatch; with a count
//! it owns 512 bytes for each dispatch and 12 more. Recording it allocates nothing. [`Reduce::plan`] computes the
//! costs of a shape without a device.
//!
//! # States
//!
//! A *state* is an accumulator in a buffer. A reduction can write states instead of results
//! ([`Reduce::with_to_states`]), and another reduction can read them ([`Reduce::with_from_states`]). This way one sum
//! can run over the pieces of a file, over several GPUs or over several machines. States of one operator and
//! element type can be combined in any number and any order, on the GPU or by [`reference::combine`]. At the
//! end a mean or a variance needs the number of elements that the states stand for:
//! [`Reduction::element_count`]. [`ShapeKind::Whole`], [`ShapeKind::Segments`] and [`ShapeKind::Axis`] support states. States
//! as inputs start at a multiple of `min_storage_buffer_offset_alignment` and of their size.
//!
//! One state is the operator's `Acc` as WGSL lays it out in `array<Acc>`: [`Monoid::acc_size`] bytes, little-endian. This is format version 1. The format
//! changes only with a breaking release of this crate: one that changes the leftmost nonzero number of its version.
//!
//! | operator | state |
//! |---|---|
//! | sum, product, dot, L1 of floats | the partial sum or product, in the type of the result |
//! | sum, product, dot of integers; and, or, xor | the partial result in the type of the result, wrapped |
//! | min, max | a key: for integers the value; for floats the bits as a signed integer, with all bits except the sign flipped if the sign is set; a NaN is the lowest key (min) or the highest (max) |
//! | min-max | two keys: all bits of the least flipped, then the greatest |
//! | arg-min, arg-max | the key (of arg-min with all bits flipped), then the index as `u32`; 16 bytes where the key has 64 bits |
//! | wide-sum, L1 of integers, mean of integers | for 32-bit integers one 64-bit integer; for 64-bit integers two: the sum of the upper halves, then the sum of the lower halves |
//! | wide-product | a 64-bit integer |
//! | mean of floats; L2 | the sum; the sum of squares |
//! | variance, deviation | the count, the upper half of the mean with the exponent of a unit in its low bits, the rest of the mean, the sum of squared distances in that unit; for 32-bit integers five words: the sum in 64 bits, the sum of squares in 96 |
//! | max-norm | the largest magnitude; for floats its bits |
//! | count; any, all | `u32`: the count; 0 or 1 |
//! | log-sum-exp | the largest element, the sum of exponentials relative to it, and a `u32`: bit 0 if there was +∞, bit 1 if there was NaN (padded to 24 bytes with 64-bit floats) |
//!
//! The index of arg-min and arg-max counts from the start of the reduction that wrote the state.
//!
//! # What a device needs
//!
//! Each shape needs this many storage buffers per shader (`max_storage_buffers_per_shader_stage`; wgpu's default limits have 8, its downlevel limits 4):
//!
//! | shape | one input | two inputs |
//! |---|---|---|
//! | [`ShapeKind::Whole`] | 4; with 6 it reads two bindings per dispatch | 6 |
//! | [`ShapeKind::Accumulate`] | 3 | 5 |
//! | [`ShapeKind::Strided`] | 3 | 4 |
//! | [`ShapeKind::Segments`] | 3 | 5 |
//! | [`ShapeKind::Offsets`] | 5 | 7 |
//! | [`ShapeKind::Axis`] | 2 | 3 |
//!
//! Element types and operators may need features: see [`Monoid::features`] and [`Monoid::accumulates`]. Subgroup operations are used if the device has
//! [`wgpu::Features::SUBGROUP`], but are never required. Apart from the storage buffers above, no kernel needs a limit above wgpu's downlevel defaults.
//! Larger workgroups and bindings are used if the device was created with them.
//!
//! Inputs, outputs, lists of offsets and counts are ranges of your buffers ([`Slice`](crate::Slice)). These buffers need [`wgpu::BufferUsages::STORAGE`].
//! A reduction cannot write its output to a buffer from which it reads elements or offsets, even if the ranges do not overlap.

pub(crate) mod analysis;
mod compiled;
mod compose;
pub(crate) mod elem;
pub mod exact;
pub(crate) mod kernel;
pub(crate) mod layout;
mod monoid;
mod op;
mod operation;
pub mod plan;
mod reduction;
pub mod reference;
mod refused;
pub(crate) mod results;
mod shape;
mod tuning;
mod value;

pub use crate::Bound;
use crate::gpu::count;
pub use compiled::Both;
pub use elem::Arity;
pub use exact::Accuracy;
pub use monoid::Monoid;
pub use op::Op;
pub use operation::Reduce;
pub use plan::{BufferRange, Plan};
pub use reduction::Reduction;
pub use results::{FromResults, Numbers};
pub use shape::{Shape, ShapeKind};
pub use tuning::Tuning;
pub use value::Scalar;

/// Composes the kernel that applies a [count on the GPU](Reduction::count_buffer) to the parameters of the others. Returns its WGSL and
/// its overrides. This is for inspection: a reduction composes its own.
pub fn length_kernel() -> (String, Vec<(&'static str, f64)>) {
    let kernel = count::kernel(count::WORKGROUP);
    (kernel.wgsl, kernel.overrides)
}
