//! The workgroups of a sweep, and the most steps of one. Pure: no GPU here.

use wgpu::Limits;

use crate::gpu::blocks;
use crate::stencil::config::Config;
use crate::stencil::shape::Border;
use crate::stencil::stencils::Dims;
use crate::stencil::tuning::Tuning;
use crate::stencil::window::Cut;

/// Workgroups side by side that each load `width` of `length` columns and lose `lost` of them on either side; `None`
/// if nothing is left of them. Beyond a fixed side nothing is loaded.
fn side_by_side(width: u64, lost: u32, length: u32, sides: (Border, Border)) -> Option<u32> {
    let lost = u64::from(lost);
    let beyond = |side| if side == Border::Fixed { 0 } else { lost };
    let needed = u64::from(length) + beyond(sides.0) + beyond(sides.1);
    if needed <= width {
        return Some(1);
    }
    let each = width.checked_sub(2 * lost).filter(|each| *each > 0)?;
    u32::try_from(1 + (needed - width).div_ceil(each)).ok()
}

/// The workgroups of a sweep side by side and, in 3D, one below the other.
pub(super) fn tiles(config: &Config, steps: u32) -> [Option<u32>; 2] {
    let Config { grid, tuning: Tuning { block, cells_per_lane, strip, .. }, .. } = *config;
    let [columns, rows, _] = config.borders.pairs();
    let width = u64::from(block.cols) * u64::from(cells_per_lane);
    let across = side_by_side(width, steps.next_multiple_of(config.lanes()), grid.cols, columns);
    let height = u64::from(block.rows) * u64::from(strip);
    let down = match config.stencil.dims {
        Dims::Two => Some(1),
        Dims::Three => side_by_side(height, steps, grid.rows, rows),
    };
    [across, down]
}

/// Returns true if workgroups, windows and the binding of all parameters are large enough for sweeps of up to this many steps.
pub(super) fn fits(config: &Config, limits: &Limits, steps: u32) -> bool {
    let cut = config.cut(limits, steps);
    tiles(config, steps).iter().all(Option::is_some)
        && cut.fits(config.is_ring())
        && blocks_fit(cut, limits, steps)
}

/// Returns true if the parameters of all sweeps of up to this many steps fit in one binding, twice: a run that stops at
/// convergence copies them, and those with which a dispatch does nothing, on the GPU.
fn blocks_fit(cut: Cut, limits: &Limits, steps: u32) -> bool {
    // No sweep takes more windows than the fullest. A ring's ends take two more blocks, the residual one.
    let blocks = u64::from(steps) * (cut.windows(0..cut.layers).len() as u64 + 2) + 1;
    steps == 1 || 2 * blocks * blocks::STRIDE <= limits.max_storage_buffer_binding_size
}

/// The workgroups of a sweep of this many steps, which [`fits`]: side by side, one below the other, and one behind the other for the
/// layers that they write.
pub(in crate::stencil) fn workgroups(config: &Config, steps: u32, written: u32) -> [u32; 3] {
    let [across, down] = tiles(config, steps).map(|fit| fit.expect("the steps fit"));
    [across, down, written.div_ceil(config.tuning.layers_per_group).max(1)]
}
