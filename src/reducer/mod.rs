//! Reductions for other applications: any operator, whole inputs or parts of them, by the fastest kernels of the ladder.
//!
//! [`Op`] lists the operators with their results by element type, [`Shape`] what one result can be made of.
//!
//! The way of the data, one module a step: an operator ([`Op`] or [`Monoid::custom`]) and a [`Form`] make a [`Reducer`]
//! (pipelines, compiled once) → [`Reducer::plan`] (pure: shape and lengths in, dispatches out) → [`Reducer::prepare`]
//! (bindings, once) → [`Prepared`] (recording, any number of times). The crate's front page has an example.
//!
//! # Cost
//!
//! | shape | dispatches | [`Workspace`] |
//! |---|---|---|
//! | [`Shape::Whole`], [`Shape::Strided`] | 1 | an accumulator for each workgroup, of which there are about two thousand at most: 50 KB or less |
//! | [`Shape::Accumulate`] | 1 | – |
//! | [`Shape::Segments`] | 1 | – |
//! | … few and long | 2 | an accumulator for each chunk: about four thousand at most |
//! | [`Shape::Offsets`], at most 2^14 elements | 1 | – |
//! | … more elements | 3 | an accumulator and 16 bytes for every 2^14 elements |
//! | [`Shape::Axis`] | 1 | – |
//! | … few columns, long axis | 2 | an accumulator for each chunk of each column: about 2^18 at most |
//! | any, with [`Source::with_count`] | 1 more | – |
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
//! for each dispatch (512 with a count, and 12 besides) and its bind groups; recording it allocates nothing.
//! [`Plan::of`] says what a shape takes without a device, [`Prepared::plan`] what was prepared.
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
//! Inputs, outputs, lists of offsets and counts are your buffers, and need [`wgpu::BufferUsages::STORAGE`]. An output may not be in a buffer
//! that the same reduction reads elements or offsets from, even apart from them.

mod answer;
mod compose;
mod depth;
mod error;
mod layout;
mod length;
mod monoid;
mod op;
mod parts;
mod plan;
mod pure;
mod record;
pub mod reference;
mod shape;
mod source;

pub use answer::Answer;
pub use error::ReducerError;
pub use monoid::{Arity, Monoid, MonoidError};
pub use op::{Op, UnknownOp};
pub use plan::{Bytes, Extent, From, Pass, Plan, Step, To};
pub use record::{Options, Prepared, Reducer, Workspace};
pub use shape::{Form, Shape};
pub use source::{Position, Source};
