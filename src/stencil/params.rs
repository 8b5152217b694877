//! The parameters of a stencil's kernel, and those of all dispatches.

use wgpu::{Buffer, BufferUsages, Device};

use crate::gpu::blocks::Blocks;
use crate::gpu::params::parameters;
use crate::stencil::shape::Border;

parameters! {
/// `Params` of `shaders/stencil/shared/params.wgsl`.
#[derive(Eq)]
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

impl Params {
    /// These parameters for a dispatch that does nothing: a grid of one cell, which is border. Every kernel
    /// reads at most that cell.
    pub(crate) fn halted(self) -> Self {
        let halted = Params { cols: 1, rows: 1, planes: 1, begin: 0, end: 0, ..self };
        halted.with_sides([Border::Fixed.code(); 6])
    }

    pub(super) fn with_sides(self, [west, east, north, south, near, far]: [u32; 6]) -> Self {
        Params { west, east, north, south, near, far, ..self }
    }
}

/// The parameters of several dispatches, one block each, and for each dispatch a block with which it does
/// nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct UniformBlocks {
    running: Blocks,
    halted: Blocks,
}

impl UniformBlocks {
    /// Adds a block, and returns its offset in the buffer.
    pub(super) fn add<T: bytemuck::Pod>(&mut self, running: T, halted: T) -> u64 {
        self.halted.add(halted);
        self.running.add(running)
    }

    /// A buffer with the parameters of running dispatches.
    pub(super) fn buffer(&self, device: &Device, usage: BufferUsages) -> Buffer {
        self.running.buffer(device, "halofold::stencil::params", usage)
    }

    /// Bytes of a buffer with the parameters of running dispatches. A buffer with both has twice as many.
    pub(super) fn size(&self) -> u64 {
        self.running.size()
    }

    /// A buffer with both kinds of parameters, those of running dispatches first.
    pub(super) fn both(&self, device: &Device, usage: BufferUsages) -> Buffer {
        let mut both = self.running.clone();
        both.append(&self.halted);
        both.buffer(device, "halofold::stencil::blocks", usage)
    }
}
