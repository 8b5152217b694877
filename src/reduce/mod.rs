//! Reductions: from many elements to one, or to one a row, column or segment.
//!
//! [`Op`] lists the operators with their results by element type, [`Shape`] what one result can be made of.
//!
//! An operator ([`Op`], or your own by [`Monoid::custom`]) and a device make a [`Reducer`] (kernels, each compiled when it is first
//! needed) → [`Reducer::of`] describes a [`Reduction`] (buffers and shape) → [`Reduction::into`] binds (once) → [`Prepared`] records (any
//! number of times). [`Reduction::wait`] does it all and answers the results on the host.
//!
//! Whole inputs go by the last rung of the [`ladder`]; any other rung is [`Strategy::Rung`] in the [`Options`]. [`mod@plan`] shows
//! what is launched, [`mod@reference`] computes the same on the CPU.
//!
//! # Cost
//!
//! | shape | launches | [`Workspace`] |
//! |---|---|---|
//! | [`Shape::Whole`], [`Shape::Strided`] | 1 | an accumulator for each workgroup, of which there are about two thousand at most: 50 KB or less |
//! | … with [`Meeting::TwoLaunches`], from 2^12 to 2^16 elements on | 2 | the same |
//! | [`Shape::Accumulate`] | 1 | – |
//! | [`Shape::Segments`] | 1 | – |
//! | … few and long | 2 | an accumulator for each chunk: about four thousand at most |
//! | [`Shape::Offsets`], at most 2^14 elements | 1 | – |
//! | … more elements | 3 | an accumulator and 16 bytes for every 2^14 elements |
//! | [`Shape::Axis`] | 1 | – |
//! | … few columns, long axis | 2 | an accumulator for each chunk of each column: about 2^18 at most |
//! | any, with [`Reduction::first`] | 1 more | – |
//! | any, for each further binding of input | 1 more | – |
//! | … of [`Shape::Whole`] with one input, where a shader has 6 storage buffers | every second one 1 more | – |
//! | … of [`Shape::Offsets`] | 2 more | – |
//! | no results: no segments, no columns | 0 | – |
//!
//! Accumulators of halofold's own operators have 4 to 24 bytes, yours 64 at most (and 135 KB of them in the first row). A binding holds
//! `max_storage_buffer_binding_size` bytes, of which halofold uses at most 2 GiB, and all shapes but [`Shape::Whole`] and
//! [`Shape::Accumulate`] of one input leave one alignment free. Strided elements take up what lies between them. A segment or column
//! that no binding holds begins a binding of its own. Many more results than one binding holds take further dispatches, too.
//!
//! Every workspace has some bytes besides, as no binding may be empty: [`Workspace::size`]. A prepared reduction owns 256 bytes
//! for each launch (512 with a count, and 12 besides) and its bind groups; recording it allocates nothing.
//! [`Plan::of`] says what a shape takes without a device, [`Prepared::plan`] what was prepared.
//!
//! # States
//!
//! A reduction can leave its accumulators instead of its result ([`Options::to_states`]), and another can start from accumulators
//! ([`Options::from_states`]): a sum that goes on over pieces of a file, over several GPUs, over machines. States of one operator and
//! element type are combined in any number and any order, on the GPU or by [`reference::combine`]; [`Reduction::standing_for`] says how
//! many elements they are of, which a mean or a variance needs at the end. [`Form::Whole`], [`Form::Segments`] and
//! [`Form::Axis`] have them. States as inputs start at a multiple of `min_storage_buffer_offset_alignment` and of their size.
//!
//! One state is `Acc` of the operator as WGSL lays it out in `array<Acc>`: [`Monoid::acc_size`] bytes, little-endian. Format version
//! 1; a change of it is a change of this crate's first number that is not zero.
//!
//! | operator | state |
//! |---|---|
//! | sum, product, dot, L1 of floats | the partial sum or product, in the type of the result |
//! | sum, product, dot of integers; and, or, xor | the same, wrapped |
//! | min, max | a key: of integers the value; of floats the bits as a signed integer, all but the sign flipped where it is set; a NaN is the lowest key (min) or the highest (max) |
//! | min-max | two keys: all bits of the least flipped, then the greatest |
//! | arg-min, arg-max | the key (of arg-min with all bits flipped), then the index as `u32`; 16 bytes where the key has 64 bits |
//! | wide-sum, L1 of integers, mean of integers | of 32-bit ones a 64-bit integer, of 64-bit ones two: the sum of upper halves, the sum of lower halves |
//! | wide-product | a 64-bit integer |
//! | mean of floats; L2 | the sum; the sum of squares |
//! | variance, deviation | three floats: the count, the mean, the sum of squared distances from it; of 32-bit integers five words: the sum in 64 bits, the sum of squares in 96 |
//! | max-norm | the largest magnitude; of floats its bits |
//! | count; any, all | `u32`: how many; 0 or 1 |
//! | log-sum-exp | the largest element, the sum of exponentials relative to it, and a `u32`: bit 0 if there was +∞, bit 1 if there was NaN (padded to 24 bytes with 64-bit floats) |
//!
//! The index of arg-min and arg-max counts from the start of the reduction that left the state.
//!
//! # What a device needs
//!
//! Storage buffers in a shader (`max_storage_buffers_per_shader_stage`; wgpu's default limits have 8, its downlevel ones 4):
//!
//! | form | one input | two inputs |
//! |---|---|---|
//! | [`Form::Whole`] | 4; with 6 it reads two bindings a dispatch | 6 |
//! | [`Form::Accumulate`] | 3 | 5 |
//! | [`Form::Strided`] | 3 | 4 |
//! | [`Form::Segments`] | 3 | 5 |
//! | [`Form::Offsets`] | 5 | 7 |
//! | [`Form::Axis`] | 2 | 3 |
//!
//! Element types and operators may need features: [`Monoid::features`], [`Monoid::accumulates`]. Subgroup operations are used where the
//! device has [`wgpu::Features::SUBGROUP`], and are never needed. No kernel needs a limit above wgpu's downlevel defaults
//! besides; larger workgroups and bindings are used where the device was created with them.
//!
//! Inputs, outputs, lists of offsets and counts are parts of your buffers ([`Slice`](crate::Slice)), which need
//! [`wgpu::BufferUsages::STORAGE`]. An output may not be in a buffer
//! that the same reduction reads elements or offsets from, even apart from them.

mod bind;
mod compose;
mod error;
pub mod ladder;
mod layout;
mod length;
pub mod meeting;
mod monoid;
mod op;
mod options;
pub mod plan;
mod prepared;
mod reducer;
mod reduction;
pub mod reference;
mod results;
mod shape;
mod tuning;
mod validate;
mod value;
mod workspace;

pub use error::{PlanError, ReduceError};
pub use meeting::Meeting;
pub use monoid::{Arity, Monoid, MonoidError};
pub use op::{Op, UnknownOp};
pub use options::Options;
pub use plan::{Extent, Plan};
pub use prepared::Prepared;
pub use reducer::Reducer;
pub use reduction::Reduction;
pub use results::{FromResult, FromResults};
pub use shape::{Form, Shape};
pub use tuning::{Strategy, Tuning};
pub use value::Answer;
pub use workspace::Workspace;
