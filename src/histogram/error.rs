//! Errors of histograms.

use crate::operation::{BufferError, LimitError};
use crate::read::ReadError;

/// Errors of making or preparing a histogram. Each message names the remedy.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HistogramError {
    /// No bins, or too many.
    #[error("{0} bins: a histogram has 1 to 65536")]
    Bins(u32),
    /// Ends of a range that is empty or not finite.
    #[error("ranges from {low} to {high}: both must be finite, and the first less than the second")]
    Range {
        /// The lower end.
        low: f32,
        /// The upper end.
        high: f32,
    },
    /// An unsupported workgroup size.
    #[error(
        "workgroups of {workgroup_size}: the size must be a power of two from 64 to {limit} on this device (max_compute_invocations_per_workgroup, max_compute_workgroup_size_x)"
    )]
    WorkgroupSize {
        /// The size asked for.
        workgroup_size: u32,
        /// The largest size possible.
        limit: u32,
    },
    /// A tuning that allows no workgroups.
    #[error("a tuning of 0 workgroups: allow at least 1")]
    NoWorkgroups,
    /// An unsupported number of copies of each counter.
    #[error("{0} copies of a counter: the number must be a power of two from 1 to 64")]
    Copies(u32),
    /// No slices, or more slices than bins.
    #[error("{slices} slices of {bins} bins: there must be at least 1, and no more than bins")]
    Slices {
        /// Slices asked for.
        slices: u32,
        /// The number of bins.
        bins: u32,
    },
    /// The counters do not fit workgroup memory.
    #[error(
        "counters of {needed} bytes: a workgroup has {limit} (max_compute_workgroup_storage_size); use fewer copies, more slices or Method::Storage"
    )]
    WorkgroupMemory {
        /// Bytes needed.
        needed: u64,
        /// Bytes the device has.
        limit: u64,
    },
    /// Counts or borders that do not fit one binding.
    #[error(
        "{needed} bytes for the {role}: this device binds {limit} (max_storage_buffer_binding_size, max_buffer_size); use fewer bins, or request a higher limit"
    )]
    Binding {
        /// The purpose of the bytes.
        role: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes the device binds.
        limit: u64,
    },
    /// More keys asked for than the input has: by [`Counting::len`](crate::histogram::Counting::len).
    #[error("the first {asked} keys of an input that has {has}: ask for fewer, or give a longer slice")]
    TooFewKeys {
        /// The number asked for.
        asked: u64,
        /// The number that the input has.
        has: u64,
    },
    /// More keys than a counter can count.
    #[error(
        "{0} keys: one histogram takes at most 4294967295; split the input, and add the second part's counts"
    )]
    TooManyKeys(u64),
    /// The input would end beyond the largest address.
    #[error("{len} keys from byte {offset} on: no buffer reaches that far")]
    OutOfReach {
        /// The offset of the input, in bytes.
        offset: u64,
        /// The number of keys.
        len: u64,
    },
    /// The input does not start at a key. Holds its offset in bytes.
    #[error("the input starts at byte {0}, which is not a multiple of a key's 4 bytes")]
    Misaligned(u64),
    /// More workgroups than a grid holds.
    #[error(
        "{needed} workgroups: this device allows {limit} (max_compute_workgroups_per_dimension); split the input, and add the second part's counts"
    )]
    TooManyWorkgroups {
        /// Workgroups needed.
        needed: u64,
        /// Workgroups allowed.
        limit: u64,
    },
    /// A limit of the device that every histogram exceeds.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A buffer cannot be used in this way.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// The counts did not reach the host.
    #[error(transparent)]
    Read(#[from] ReadError),
}
