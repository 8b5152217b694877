//! The parameters of a stencil's dispatches.

use wgpu::{Buffer, BufferUsages, Device};

use crate::gpu::blocks::Blocks;

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
