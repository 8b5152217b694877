//! Reductions: from many elements to one, by every kernel of the ladder.
//!
//! The way of the data, one module a step: [`catalogue`](RUNGS) (rungs as values) → [`Job::plan`] (pure: a length and
//! limits in, dispatches out) → [`Job::compose`] (WGSL) → [`Reduction`] (pipelines) → [`Prepared`] (recording) → [`mod@reference`] (the CPU's word on it).

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
