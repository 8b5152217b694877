//! The tuning of a histogram, as a plain value.

use wgpu::Limits;

use crate::histogram::error::HistogramError;
use crate::operation::limits;

/// The fewest invocations of a workgroup.
const SMALLEST_WORKGROUP: u32 = 64;

/// The most copies of a counter. More bring nothing: workgroup memory has 32 banks on most GPUs.
const MAX_COPIES: u32 = 64;

/// The most slices that are cheaper than additions to storage: see [`Method`].
const MAX_SLICES: u32 = 8;

/// Invocations that fill a large GPU: 2048 on each of the 132 cores of an NVIDIA H200.
const FILLING: u32 = 132 * 2048;

/// The memory in which keys are counted.
///
/// An addition to storage moves a sector of the cache: 32 bytes on most GPUs, the size of eight keys.
/// Counting in workgroup memory reads each key once for every slice of the bins. Up to eight slices,
/// workgroup memory is therefore cheaper; it also takes the same time whatever the keys are. With more
/// slices, storage is cheaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// In workgroup memory: every workgroup counts its share of the keys, and then adds its counts to the
    /// result.
    Workgroup {
        /// Counters per bin, so that neighbouring invocations do not wait for each other: a power of two up
        /// to 64.
        copies: u32,
        /// The number of slices of the bins. A workgroup counts the keys of one slice, so all keys are read
        /// once per slice.
        slices: u32,
        /// True: four equal keys in a row are counted at once.
        merge: bool,
    },
    /// In storage. Runs of equal keys are added at once.
    Storage,
}

/// The choices that affect how fast a histogram runs. The counts do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Tuning {
    /// Invocations in a workgroup: a power of two from 64 to 1024.
    pub workgroup_size: u32,
    /// The most workgroups of a dispatch, over all slices; a very long input may need more.
    pub max_workgroups: u32,
    /// The memory in which keys are counted.
    pub method: Method,
}

impl Tuning {
    /// The tuning that halofold uses for `bins` bins and about `len` keys on a device with these limits.
    ///
    /// It takes as many copies as fit workgroup memory, at most 32. It takes large workgroups, so that few of
    /// them add their counts to the result. For short inputs it takes small workgroups, which spread the keys
    /// over more cores.
    pub fn of(limits: &Limits, bins: u32, len: u64) -> Self {
        let most = largest_workgroup(limits).max(1);
        let wanted = if len < 1 << 20 { 256 } else { 1024 };
        let workgroup_size = (1 << most.ilog2()).min(wanted);
        Tuning {
            workgroup_size,
            max_workgroups: FILLING / workgroup_size,
            method: Method::of(limits, bins.max(1)),
        }
    }

    /// Returns this tuning with another workgroup size.
    pub const fn with_workgroup_size(self, workgroup_size: u32) -> Self {
        Tuning { workgroup_size, ..self }
    }

    /// Returns this tuning with another limit on the number of workgroups.
    pub const fn with_max_workgroups(self, max_workgroups: u32) -> Self {
        Tuning { max_workgroups, ..self }
    }

    /// Returns this tuning with another method.
    pub const fn with_method(self, method: Method) -> Self {
        Tuning { method, ..self }
    }

    /// Checks the tuning against the bins and a device's limits.
    pub(super) fn check(self, bins: u32, limits: &Limits) -> Result<(), HistogramError> {
        let Tuning { workgroup_size, max_workgroups, method } = self;
        limits::check_workgroup([SMALLEST_WORKGROUP, 1], limits)?;
        let limit = largest_workgroup(limits).min(1024);
        if !workgroup_size.is_power_of_two() || !(SMALLEST_WORKGROUP..=limit).contains(&workgroup_size) {
            return Err(HistogramError::WorkgroupSize { workgroup_size, limit });
        }
        if max_workgroups == 0 {
            return Err(HistogramError::NoWorkgroups);
        }
        let Method::Workgroup { copies, slices, .. } = method else { return Ok(()) };
        if !copies.is_power_of_two() || copies > MAX_COPIES {
            return Err(HistogramError::Copies(copies));
        }
        if !(1..=bins).contains(&slices) {
            return Err(HistogramError::Slices { slices, bins });
        }
        let needed = 4 * u64::from(method.slots(bins));
        let limit = u64::from(limits.max_compute_workgroup_storage_size);
        if needed > limit {
            return Err(HistogramError::WorkgroupMemory { needed, limit });
        }
        Ok(())
    }
}

impl Method {
    /// Chooses the method by the number of counters that fit workgroup memory.
    fn of(limits: &Limits, bins: u32) -> Self {
        let room = (limits.max_compute_workgroup_storage_size / 4).max(1);
        let slices = bins.div_ceil(room);
        if slices > MAX_SLICES {
            return Method::Storage;
        }
        let copies = 1 << (room / bins.div_ceil(slices)).clamp(1, 32).ilog2();
        // If every lane has its own bank, equal keys do not wait for each other.
        Method::Workgroup { copies, slices, merge: copies < 32 }
    }

    /// The number of slices of the bins.
    pub(super) fn slices(self) -> u32 {
        match self {
            Method::Workgroup { slices, .. } => slices,
            Method::Storage => 1,
        }
    }

    /// The number of counters in the memory of one workgroup.
    pub(super) fn slots(self, bins: u32) -> u32 {
        match self {
            Method::Workgroup { copies, slices, .. } => bins.div_ceil(slices.max(1)).saturating_mul(copies),
            Method::Storage => 0,
        }
    }
}

fn largest_workgroup(limits: &Limits) -> u32 {
    limits.max_compute_invocations_per_workgroup.min(limits.max_compute_workgroup_size_x)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(invocations: u32, memory: u32) -> Limits {
        Limits {
            max_compute_invocations_per_workgroup: invocations,
            max_compute_workgroup_size_x: invocations,
            max_compute_workgroup_storage_size: memory,
            ..Limits::default()
        }
    }

    #[test]
    fn fits_every_device() {
        for limits in [limits(64, 1024), Limits::default(), limits(1024, 48 << 10), limits(2048, 1 << 20)] {
            for bins in [1, 2, 3, 255, 256, 257, 4096, 4097, 12_288, 12_289, 65_536] {
                for len in [0, 1 << 24, u64::MAX] {
                    let tuning = Tuning::of(&limits, bins, len);
                    assert_eq!(tuning.check(bins, &limits), Ok(()), "{bins} {tuning:?}");
                }
            }
        }
    }

    #[test]
    fn the_method_follows_workgroup_memory() {
        let method = |memory, bins| Tuning::of(&limits(1024, memory), bins, 1 << 28).method;
        let workgroup = |copies, slices| Method::Workgroup { copies, slices, merge: copies < 32 };
        assert_eq!(method(48 << 10, 256), workgroup(32, 1));
        assert_eq!(method(16 << 10, 256), workgroup(16, 1));
        assert_eq!(method(16 << 10, 4096), workgroup(1, 1));
        assert_eq!(method(16 << 10, 4097), workgroup(1, 2));
        assert_eq!(method(48 << 10, 65_536), workgroup(1, 6));
        assert_eq!(method(16 << 10, 32_769), Method::Storage);
    }
}
