//! Errors of histograms, order statistics, results by group and pyramids.

use crate::element::Element;
use crate::gpu::buffers::BufferError;
use crate::gpu::limits::{LimitError, SettingError};
use crate::gpu::texels::TextureError;
use crate::read::ReadError;
use crate::reduce::{MonoidError, Op};

/// Errors of a [histogram](crate::histogram), of [order statistics](crate::rank), of [results by group](crate::group) or of a
/// [pyramid](crate::pyramid) that cannot be made or prepared. Each message names the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// A text that is no value of a type. The message names the text, and the type's values or their form.
    #[error("{0}")]
    Name(String),
    /// A number, or a field of [`Histogram`](crate::histogram::Histogram) or [`Tuning`](crate::histogram::Tuning), that is out of range.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// Ends of a range that is empty or not finite.
    #[error("ranges from {low} to {high}: both must be finite, and the first less than the second")]
    Range {
        /// The lower end.
        low: f32,
        /// The upper end.
        high: f32,
    },
    /// A list of levels that falls, that has another length, or that contains NaN.
    #[error(
        "{levels} levels for {bins} bins: list one level more than there are bins, none below the one before, none NaN"
    )]
    Levels {
        /// The length of the list.
        levels: usize,
        /// The number of bins.
        bins: u32,
    },
    /// A quantile that is no number from 0 to 1.
    #[error("a quantile of {0}: it can be 0 to 1")]
    Quantile(f64),
    /// An input that is no whole number of rows.
    #[error("{len} elements in rows of {row}: give whole rows")]
    Rows {
        /// The number of elements.
        len: u64,
        /// The elements of a row.
        row: u64,
    },
    /// A segment that ends before it starts, or after the input.
    #[error(
        "segment {number} from {from} to {to}, of {len} elements: give offsets that ascend, up to the number of elements"
    )]
    Segment {
        /// Its number, from 0.
        number: u64,
        /// The offset of its first element.
        from: u64,
        /// The offset after its last element.
        to: u64,
        /// The number of elements of the input.
        len: u64,
    },
    /// Prefixes that [go on](crate::scan::Scan::continuing) from a state, which [`Request::wait`](crate::Request::wait) and
    /// [`Request::read`](crate::Request::read) do not take.
    #[error(
        "these prefixes go on from the state in their second output: give it and the results to `into_each`"
    )]
    Continuing,
    /// Pairs whose id no group has. The results leave these pairs out.
    #[error("{number} ids are {groups} or more: declare more groups")]
    Ids {
        /// Their number.
        number: u32,
        /// The number of groups.
        groups: u32,
    },
    /// More different keys than groups. The results leave out the pairs of those that are too many.
    #[error("there are more than {groups} different keys, {pairs} pairs are left out: allow more groups")]
    Keys {
        /// The number of pairs that are left out.
        pairs: u32,
        /// The number of groups.
        groups: u32,
    },
    /// Values, or keys in any order, of a type that has no results by group.
    #[error("values or keys of {0}: results by group are of f32, u32 or i32")]
    Values(Element),
    /// A map that gives no keys, or no float of a texel, or that the device cannot run.
    #[error(transparent)]
    Map(#[from] MonoidError),
    /// An operator that [prefixes](crate::scan), [groups](crate::group) and [selections](crate::select) do not take.
    #[error(
        "`{0}` does not go with prefixes, groups or selections: use an operator of one input, over a buffer, without parameters; exact sums of f32 and f16"
    )]
    Operator(String),
    /// A limit of the device that is too low.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A buffer that cannot be used in this way.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// A texture that cannot be read in this way.
    #[error(transparent)]
    Texture(#[from] TextureError),
    /// Results that did not reach the host.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An operator that has no pyramid.
    #[error("`{0}` has no pyramid: use min, max or min-max")]
    Op(Op),
    /// A source of a pyramid that cannot be read.
    #[error("the source: {0}")]
    Source(TextureError),
    /// A target of a pyramid that cannot be written.
    #[error("the target: {0}")]
    Target(TextureError),
    /// A target of another size than half the source's.
    #[error(
        "the first level of the target is {found:?} texels, where this source needs {needed:?}: create the target with that size, or begin at another level"
    )]
    Size {
        /// The width and the height of the first level written.
        found: [u32; 2],
        /// Half of the source's.
        needed: [u32; 2],
    },
    /// A source that is one of the levels written.
    #[error("the source is a level of the target: write to the levels after it")]
    InPlace,
    /// A pyramid that reads a level of the texture that it writes, on OpenGL, which cannot bind one texture for both.
    #[error(
        "OpenGL does not write some levels of a texture while it reads another one: make fewer levels, in one dispatch, of another texture"
    )]
    OpenGl,
    /// A pyramid of [`Op::MinMax`] on OpenGL, whose shaders do not store `Rg32Float`.
    #[error(
        "OpenGL stores no pairs of floats in textures: make a pyramid of min and one of max, or use another back end"
    )]
    OpenGlFormat,
}
