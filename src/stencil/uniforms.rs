//! The parameters of a stencil's dispatches.

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;

/// The parameters of several dispatches, one block each, and for each dispatch a block with which it does
/// nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct UniformBlocks {
    running: Vec<u8>,
    halted: Vec<u8>,
}

impl UniformBlocks {
    /// Adds a block, and returns its offset in the buffer.
    pub(super) fn add<T: bytemuck::Pod>(&mut self, running: T, halted: T) -> u64 {
        let at = self.running.len() as u64;
        binding::push_block(&mut self.running, &running);
        binding::push_block(&mut self.halted, &halted);
        at
    }

    /// A buffer with the parameters of running dispatches.
    pub(super) fn buffer(&self, device: &Device, usage: BufferUsages) -> Buffer {
        binding::filled(device, "halofold::stencil::params", &self.running, usage)
    }

    /// Bytes of a buffer with the parameters of running dispatches. A buffer with both has twice as many.
    pub(super) fn size(&self) -> u64 {
        self.running.len() as u64
    }

    /// A buffer with both kinds of parameters, those of running dispatches first.
    pub(super) fn both(&self, device: &Device, usage: BufferUsages) -> Buffer {
        let both = [&*self.running, &*self.halted].concat();
        binding::filled(device, "halofold::stencil::blocks", &both, usage)
    }
}
