//! The tuning of a histogram, as a plain value.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::{self, SettingError, largest_workgroup, needs, power_of_two_workgroup};

/// The fewest invocations of a workgroup.
const SMALLEST_WORKGROUP: u32 = 64;

/// The most copies of a counter. More bring nothing: workgroup memory has 32 banks on most GPUs.
const MAX_COPIES: u32 = 64;

/// The most counters of a workgroup if bins have copies: 16 KiB. With 32 KiB, 256 bins of a picture's texels took a fifth longer on an NVIDIA H100.
const MOST_COPIED: u32 = 4096;

/// The most slices that are cheaper than additions to storage: see [`Method`].
const MAX_SLICES: u32 = 8;

/// Invocations that fill a large GPU: 2048 on each of the 132 cores of an NVIDIA H200.
const FILLING: u32 = 132 * 2048;

/// The memory in which keys are counted.
///
/// An addition to storage moves a sector of the cache: 32 bytes on most GPUs, the size of eight keys. Counting in workgroup memory
/// reads each key once for every slice of the bins. Up to eight slices, workgroup memory is therefore cheaper; it also takes the same
/// time whatever the keys are. With more slices, storage is cheaper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// In workgroup memory: every workgroup counts its share of the keys, and then adds its counts to the result.
    Workgroup {
        /// Counters per bin, so that neighbouring invocations do not wait for each other: a power of two up to 64.
        copies: u32,
        /// The number of slices of the bins. A workgroup counts the keys of one slice, so all keys are read once per slice.
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
    /// It takes as many copies as fit 16 KiB of workgroup memory, at most 32. It takes large workgroups, so that few of them add their counts to
    /// the result. For short inputs it takes small workgroups, which spread the keys over more cores.
    pub fn of(limits: &Limits, bins: u32, len: u64) -> Self {
        let workgroup_size = power_of_two_workgroup(if len < 1 << 20 { 256 } else { 1024 }, limits);
        let (max_workgroups, method) = (FILLING / workgroup_size, Method::of(limits, bins.max(1)));
        Tuning { workgroup_size, max_workgroups, method }
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
    pub(super) fn check(self, bins: u32, limits: &Limits) -> Result<(), Error> {
        limits::check_workgroup([SMALLEST_WORKGROUP, 1], limits)?;
        let sizes = SMALLEST_WORKGROUP..=largest_workgroup(limits).min(1024);
        SettingError::unless_power("workgroup_size", self.workgroup_size, sizes)?;
        SettingError::unless("max_workgroups", self.max_workgroups, 1..=u32::MAX)?;
        let Method::Workgroup { copies, slices, .. } = self.method else { return Ok(()) };
        SettingError::unless_power("copies", copies, 1..=MAX_COPIES)?;
        SettingError::unless("slices", slices, 1..=bins)?;
        let needed = 4 * u64::from(self.method.slots(bins));
        let remedy = "use fewer copies, more slices or Method::Storage";
        Ok(needs!(limits, max_compute_workgroup_storage_size, needed).map_err(|error| error.or(remedy))?)
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
        let copies = 1 << (room.min(MOST_COPIED) / bins.div_ceil(slices)).clamp(1, 32).ilog2();
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
