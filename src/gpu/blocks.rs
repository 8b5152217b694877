//! Parameters of dispatches: blocks of one uniform buffer.

use wgpu::{Buffer, BufferUsages, Device};

use crate::gpu::buffers;

/// The distance between the parameters of two dispatches, in bytes: the largest alignment that a device may require.
pub(crate) const STRIDE: u64 = 256;

/// The parameters of several dispatches, a block each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks(Vec<u8>);

impl Blocks {
    /// Appends a block, and returns its offset in the buffer.
    pub(crate) fn add<T: bytemuck::Pod>(&mut self, params: T) -> u64 {
        self.add_bytes(bytemuck::bytes_of(&params))
    }

    /// Appends a block of bytes, and returns its offset in the buffer.
    pub(crate) fn add_bytes(&mut self, params: &[u8]) -> u64 {
        let at = self.size();
        self.0.extend(params);
        self.0.resize((at + STRIDE) as usize, 0);
        at
    }

    pub(crate) fn append(&mut self, other: &Blocks) {
        self.0.extend(&other.0);
    }

    /// All blocks, as words.
    pub(crate) fn words(&self) -> Vec<u32> {
        bytemuck::pod_collect_to_vec(&self.0)
    }

    pub(crate) fn size(&self) -> u64 {
        self.0.len() as u64
    }

    /// Allocates a buffer with the blocks. It has room for one at least, because no buffer may be empty.
    pub(crate) fn buffer(&self, device: &Device, label: &str, usage: BufferUsages) -> Buffer {
        let empty = [0; STRIDE as usize];
        buffers::filled(device, label, if self.0.is_empty() { &empty } else { &self.0 }, usage)
    }
}

pub(crate) const fn offset(index: usize) -> u64 {
    index as u64 * STRIDE
}
