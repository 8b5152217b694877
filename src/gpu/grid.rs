//! Grids of workgroups: one row, or several if one dimension is too short.

use wgpu::Limits;

use crate::gpu::limits::LimitError;

/// `groups`, rounded up to complete rows, for kernels in which a surplus workgroup would do harm.
pub(crate) fn whole_rows(groups: u64, limits: &Limits) -> u64 {
    let groups = groups.max(1);
    groups.next_multiple_of(groups.div_ceil(u64::from(limits.max_compute_workgroups_per_dimension).max(1)))
}

/// A grid for `groups` workgroups: one row, or rows of equal length if one dimension cannot hold them. The last row may be longer than needed.
///
/// # Errors
///
/// Two dimensions do not hold them.
pub(crate) fn of(groups: u64, limits: &Limits, remedy: &'static str) -> Result<[u32; 2], LimitError> {
    let (name, limit) = ("max_compute_workgroups_per_dimension", limits.max_compute_workgroups_per_dimension);
    let rows = groups.div_ceil(u64::from(limit).max(1)).max(1);
    if rows > limit.into() {
        let needed = (groups as f64).sqrt().ceil() as u64;
        return Err(LimitError::new(name, limit.into(), needed).or(remedy));
    }
    Ok([groups.div_ceil(rows).max(1) as u32, rows as u32])
}
