//! Errors of reductions.

use crate::element::Element;
use crate::gpu::{BufferError, LimitError, SettingError, TextureError};
use crate::read::ReadError;
use crate::reduce::exact::Format;
use crate::reduce::ladder::Finish;
use crate::reduce::monoid::{Arity, Monoid, MonoidError};
use crate::reduce::op::Op;
use crate::reduce::shape::{Shape, ShapeKind};

/// Errors of making a reducer, of preparing a reduction, and of merging states. Each message names the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// A limit of the device is too low for the operator, the tuning, or the shape over these lengths.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A tuning, a stride or a number of segments that is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The rung does not support that finish.
    #[error("`{rung}` does not finish by `{finish}`; it can by {offered}")]
    Finish {
        /// The rung.
        rung: &'static str,
        /// The finish asked for.
        finish: Finish,
        /// The finishes that it supports.
        offered: String,
    },
    /// More partial results than one workgroup can collect.
    #[error(
        "{needed} workgroups: the last one adds at most {limit} partial results (max_storage_buffer_binding_size, max_compute_invocations_per_workgroup); use a larger workgroup, or split the input"
    )]
    TooManyTickets {
        /// Workgroups needed.
        needed: u64,
        /// The most that the last one can add.
        limit: u64,
    },
    /// The operator's text is wrong.
    #[error(transparent)]
    Monoid(#[from] MonoidError),
    /// A composed kernel is not valid: a name of the operator is also one of halofold's.
    #[error(
        "`{name}` does not compose with halofold's own kernel; rename what it declares apart from `map`, `identity`, `combine` and `finish`:\n{message}"
    )]
    Composed {
        /// The operator.
        name: String,
        /// naga's message, after the line of the operator's text if the error is there.
        message: String,
    },
    /// No atomic operation carries out the operator: [`Monoid::accumulates`] is `None`. None carries out an exact sum.
    #[error(
        "no atomic operation computes `{name}` over {element}, nor any exact sum: use `Shape::Whole` instead of \
         `Shape::Accumulate`, or leave states (`Options::to_states`) and merge them (`Options::from_states`)"
    )]
    NoAtomic {
        /// The operator.
        name: String,
        /// The element type in WGSL.
        element: String,
    },
    /// The operator has no exact form.
    #[error(
        "`{name}` over {element} has no exact form: ask for it without exactness; these have one: {}",
        exact_forms()
    )]
    NotExact {
        /// The operator.
        name: String,
        /// The element type.
        element: String,
    },
    /// An exact sum of several buffers, of a stride or of a count on the GPU needs several workgroups in one
    /// launch, which the options or the adapter exclude.
    #[error(
        "exact sums of several buffers, of a stride and of a count on the GPU combine their partials in one launch, which the \
         options or this adapter (`Launches::ByAdapter`) exclude: leave a state of each buffer (`Options::to_states`) and add these \
         up, or reduce the axis of which the stride is a column"
    )]
    ExactInOneLaunch,
    /// A rung that rounds, for an exact sum.
    #[error("`{rung}` rounds at every addition: exact sums have the rung `exact`")]
    ExactRung {
        /// The rung.
        rung: &'static str,
    },
    /// A rung about subgroups with subgroups turned off.
    #[error("`{rung}` is about subgroup operations, which the options turn off")]
    SubgroupsDisabled {
        /// The rung.
        rung: &'static str,
    },
    /// The rung adds to an atomic word, and the accumulator does not fit one.
    #[error("no atomic word holds {acc}: use another rung")]
    NoWord {
        /// The accumulator's type in WGSL.
        acc: String,
    },
    /// States as inputs or outputs of a form that does not support them.
    #[error(
        "{0:?} neither reads nor writes states: use `ShapeKind::Whole`, `ShapeKind::Segments` or `ShapeKind::Axis`"
    )]
    States(ShapeKind),
    /// More or fewer inputs than the operator maps.
    #[error("`{name}` maps {}", match arity { Arity::One => "one input: leave the second out", Arity::Two => "two inputs: give a second one" })]
    Arity {
        /// The operator.
        name: String,
        /// The number of inputs that it maps.
        arity: Arity,
    },
    /// Two inputs of different lengths.
    #[error(
        "the first input has {first} elements, the second {second}: the second must have as many as the first"
    )]
    Lengths {
        /// Elements of the first.
        first: u64,
        /// Elements of the second.
        second: u64,
    },
    /// Several parts, or none, for a shape that needs exactly one buffer. Holds the number of parts.
    #[error(
        "{0} parts: only `Shape::Whole` and `Shape::Accumulate` with one input take several; others need exactly one"
    )]
    Parts(usize),
    /// The input is not a whole number of segments, or the segments have 0 elements.
    #[error("{total} elements in segments of {len}: the length must be at least 1 and divide the input")]
    Segments {
        /// Elements of the input.
        total: u64,
        /// Elements of one segment.
        len: u64,
    },
    /// The input does not have the size of the given array.
    #[error(
        "an array of {outer} × {len} × {inner} for an input of {total} elements: the array must have as many, and its last two lengths must be at least 1"
    )]
    Axis {
        /// Elements of the input.
        total: u64,
        /// The product of the lengths before the axis.
        outer: u64,
        /// The length of the axis.
        len: u64,
        /// The product of the lengths after the axis.
        inner: u64,
    },
    /// Offsets are given for a shape that takes none, or missing for [`Shape::Offsets`].
    #[error("{}", match .0 {
        Shape::Offsets { .. } => "a list of offsets is missing: give it by `.segment_offsets(…)`".to_owned(),
        shape => format!("a list of offsets goes with `Shape::Offsets`, not with {shape:?}: leave `.segment_offsets(…)` out"),
    })]
    Offsets(Shape),
    /// A count on the GPU for a shape that does not take one.
    #[error(
        "a count on the GPU goes with `Shape::Whole`, `Shape::Accumulate` and `Shape::Strided`, not with {0:?}"
    )]
    Count(Shape),
    /// An index of the first element for a shape that counts elements from 0, or beside a count on the GPU.
    #[error(
        "elements are counted from another index than 0 for `Shape::Whole` without a count on the GPU, not for {0:?}"
    )]
    Index(Shape),
    /// Parameters are missing for an operator that declares some, or given for one that declares none.
    #[error("{}", if *are_declared {
        format!("`{name}` declares parameters: give them by `.with_parameters(…)`")
    } else {
        format!("`{name}` declares no parameters: leave `.with_parameters(…)` out")
    })]
    Parameters {
        /// The operator.
        name: String,
        /// True if it declares parameters.
        are_declared: bool,
    },
    /// A plan of another request, given to [`Reduction::prepare`](crate::reduce::Reduction::prepare).
    #[error(
        "the plan was made for another shape, length, offset or size of elements, or for a device with other limits: make one by `Reduction::plan` of an equal reduction"
    )]
    OtherPlan,
    /// A buffer cannot be used in this way.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A texture that cannot be read in this way.
    #[error(transparent)]
    Texture(#[from] TextureError),
    /// The results have another type than the one asked for.
    #[error("`{name}` gives {gives}, not {asked}")]
    ResultType {
        /// The operator.
        name: String,
        /// The type of its results, in Rust.
        gives: String,
        /// The type asked for.
        asked: &'static str,
    },
    /// One value was asked for, but there are none or several. Holds their number.
    #[error("{0} results: ask for a `Vec` of them")]
    Results(u64),
    /// Fewer bytes than one result has.
    #[error("{bytes} bytes: one result of `{name}` has {size}")]
    TooFewBytes {
        /// The operator.
        name: String,
        /// The number of bytes given.
        bytes: usize,
        /// Bytes of one result.
        size: u64,
    },
    /// Another number of words of 64 bits than any format of [exact states](crate::reduce::exact#the-state) has.
    #[error("{0} words: an exact state has 16 (f32), 25 (products of f32) or 73 (f64) of 64 bits")]
    StateLength(usize),
    /// The first word of an exact state does not belong to its format.
    #[error(
        "the first word, {found:#x}, is not of the format of {format}: another version, or states of several formats added up"
    )]
    StateFormat {
        /// The format that the number of words stands for.
        format: Format,
        /// The word found in its place.
        found: i64,
    },
    /// Exact states of two formats.
    #[error("states of {0} and of {1} do not add up to one")]
    MixedStates(Format, Format),
    /// The results did not reach the host.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// The operators that have exact sums, with their elements: `sum of f16, f32, f64; dot of f32`.
fn exact_forms() -> String {
    let elements =
        |op: Op| Element::ALL.into_iter().filter(move |element| Format::of(op, *element).is_some());
    let form =
        |op: &Op| format!("{op} of {}", elements(*op).map(Element::name).collect::<Vec<_>>().join(", "));
    let having = Op::ALL.iter().filter(|op| elements(**op).next().is_some());
    having.map(form).collect::<Vec<_>>().join("; ")
}

impl ReduceError {
    pub(super) fn no_atomic(monoid: &Monoid) -> Self {
        ReduceError::NoAtomic { name: monoid.name().to_owned(), element: monoid.element_name() }
    }
}
