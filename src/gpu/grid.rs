//! Grids of workgroups: one row, or several if one dimension is too short.

use wgpu::Limits;

use crate::gpu::limits::LimitError;

/// A grid for `groups` workgroups: one row, or rows of equal length if one dimension cannot hold them; `None`
/// if two dimensions cannot.
///
/// The last row may be longer than needed.
pub(crate) fn folded(groups: u64, limits: &Limits) -> Option<[u32; 2]> {
    let most = u64::from(limits.max_compute_workgroups_per_dimension);
    let rows = groups.div_ceil(most.max(1)).max(1);
    (rows <= most).then(|| [groups.div_ceil(rows).max(1) as u32, rows as u32])
}

/// `groups`, rounded up to complete rows, for kernels in which a surplus workgroup would do harm.
pub(crate) fn whole_rows(groups: u64, limits: &Limits) -> u64 {
    let groups = groups.max(1);
    groups.next_multiple_of(groups.div_ceil(u64::from(limits.max_compute_workgroups_per_dimension).max(1)))
}

/// A grid for `groups` workgroups.
///
/// # Errors
///
/// Two dimensions do not hold them.
pub(crate) fn of(groups: u64, limits: &Limits, remedy: &'static str) -> Result<[u32; 2], LimitError> {
    let needed = (groups as f64).sqrt().ceil() as u64;
    let (name, limit) = ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension);
    folded(groups, limits).ok_or_else(|| LimitError::new(name, limit.into(), needed).or(remedy))
}
