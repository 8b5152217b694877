//! Errors of histograms and order statistics.

use crate::operation::buffers::BufferError;
use crate::operation::limits::{LimitError, SettingError};
use crate::operation::texels::TextureError;
use crate::read::ReadError;
use crate::reduce::MonoidError;

/// Errors of a [histogram](crate::histogram) or of [order statistics](crate::rank) that cannot be made or prepared. Each message names the
/// remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// A field of [`Config`](crate::histogram::Config) or [`Tuning`](crate::histogram::Tuning) that is out of range.
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
    /// A map that gives no keys, or that the device cannot run.
    #[error(transparent)]
    Map(#[from] MonoidError),
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
}
