//! The parameters of a stencil's kernel.

use crate::gpu::params::parameters;

parameters! {
/// `Params` of `shaders/stencil/shared/params.wgsl`.
pub(crate) struct Params {
    /// Cells of one row.
    cols: u32,
    /// Rows of one plane.
    rows: u32,
    /// Planes.
    planes: u32,
    /// Blocks in a row of blocks.
    blocks_across: u32,
    /// Rows of blocks.
    blocks_down: u32,
    /// Planes that one workgroup sweeps through, or rows that one of a time-blocked kernel writes.
    planes_per_group: u32,
    /// Workgroups in one row of the launched grid.
    row: u32,
    /// The border on this side and on the next five: 0 fixed, 1 reflect, 2 wrap, 3 cut for a time-blocked kernel, 4 mirror, 5 constant.
    west: u32,
    east: u32,
    north: u32,
    south: u32,
    near: u32,
    far: u32,
    /// The first layer that a time-blocked kernel writes.
    begin: u32,
    /// One past the last layer that it writes.
    end: u32,
    /// The number of steps of a pass.
    steps: u32,
}
}
