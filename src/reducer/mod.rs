//! Reductions for other applications: any operator, whole inputs or parts of them, by the fastest kernels of the ladder.
//!
//! What a result can be made of is listed at [`Shape`], with the dispatches and the memory that each takes.
//!
//! The way of the data, one module a step: an operator ([`Op`] or [`Monoid::custom`]) and a [`Form`] make a [`Reducer`]
//! (pipelines, compiled once) → [`Reducer::plan`] (pure: shape and lengths in, dispatches out) → [`Reducer::prepare`]
//! (bindings, once) → [`Prepared`] (recording, any number of times).

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

pub use answer::Answer;
pub use error::ReducerError;
pub use monoid::{Arity, Monoid, MonoidError};
pub use op::{Op, UnknownOp};
pub use plan::{Bytes, Extent, From, Pass, Plan, Step, To};
pub use record::{Options, Position, Prepared, Reducer, Source, Workspace};
pub use shape::{Form, Shape};
