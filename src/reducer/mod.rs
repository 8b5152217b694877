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
//! | [`Shape::Whole`], [`Shape::Strided`] | 1 | an accumulator for each workgroup: at most a few ten thousand bytes |
//! | [`Shape::Accumulate`] | 1 | – |
//! | [`Shape::Segments`] | 1 | – |
//! | … few and long | 2 | an accumulator for each chunk: about two thousand |
//! | [`Shape::Offsets`], at most 2^14 elements | 1 | – |
//! | … more elements | 3 | an accumulator and 16 bytes for every 2^14 elements |
//! | [`Shape::Axis`] | 1 | – |
//! | … few columns, long axis | 2 | an accumulator for each chunk of each column |
//! | any, with [`Source::with_count`] | 1 more | – |
//! | any, for each further binding of input | 1 more | – |
//! | … of [`Shape::Whole`] with one input | every second one 1 more | – |
//!
//! Every workspace has some bytes besides, as no binding may be empty: [`Workspace::size`]. A prepared reduction owns 256 bytes
//! for each dispatch (three times as much with a count) and its bind groups; recording it allocates nothing.
//! [`Plan::of`] says what a shape takes without a device.

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
