//! What can be wrong with a histogram.

use crate::binding::BufferError;
use crate::pipeline::LimitError;
use crate::read::ReadError;

/// Why a histogram cannot be made or prepared. Each message says what to do about it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HistogramError {
    /// No bins, or too many.
    #[error("{0} bins: a histogram has 1 to 65536")]
    Bins(u32),
    /// Ends between which there is nothing.
    #[error("ranges from {low} to {high}: both must be finite, and the first less than the second")]
    Range {
        /// The lower end.
        low: f32,
        /// The upper end.
        high: f32,
    },
    /// A workgroup of a size that no kernel has.
    #[error(
        "workgroups of {workgroup_size}: the size must be a power of two from 64 to {limit} on this device (max_compute_invocations_per_workgroup, max_compute_workgroup_size_x)"
    )]
    WorkgroupSize {
        /// What was asked for.
        workgroup_size: u32,
        /// The most that is possible.
        limit: u32,
    },
    /// A tuning that allows no workgroup.
    #[error("a tuning of 0 workgroups: allow at least 1")]
    NoWorkgroups,
    /// Copies that no kernel has.
    #[error("{0} copies of a counter: the number must be a power of two from 1 to 64")]
    Copies(u32),
    /// Slices without bins.
    #[error("{slices} slices of {bins} bins: there must be at least 1, and no more than bins")]
    Slices {
        /// Slices asked for.
        slices: u32,
        /// Bins that there are.
        bins: u32,
    },
    /// More counters than a workgroup's memory holds.
    #[error(
        "counters of {needed} bytes: a workgroup has {limit} (max_compute_workgroup_storage_size); take fewer copies, more slices or Method::Storage"
    )]
    WorkgroupMemory {
        /// Bytes needed.
        needed: u64,
        /// Bytes the device has.
        limit: u64,
    },
    /// More bytes of counts or borders than one binding holds.
    #[error(
        "{needed} bytes for the {role}: this device binds {limit} (max_storage_buffer_binding_size, max_buffer_size); take fewer bins or ask for more"
    )]
    Binding {
        /// What the bytes are for.
        role: &'static str,
        /// Bytes needed.
        needed: u64,
        /// Bytes the device binds.
        limit: u64,
    },
    /// More keys than a counter counts.
    #[error(
        "{0} keys: one histogram takes at most 4294967295; split the input, and add the second part's counts"
    )]
    TooManyKeys(u64),
    /// The input would end beyond the largest address.
    #[error("{len} keys from byte {offset} on: no buffer reaches that far")]
    OutOfReach {
        /// Where it starts, in bytes.
        offset: u64,
        /// How many keys there are.
        len: u64,
    },
    /// The input does not start at a key: at which byte.
    #[error("the input starts at byte {0}, which is no multiple of a key's 4 bytes")]
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
    /// A limit that every histogram exceeds there.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A buffer that cannot be used so.
    #[error(transparent)]
    Buffer(#[from] BufferError),
    /// Counts that did not reach the host.
    #[error(transparent)]
    Read(#[from] ReadError),
}
