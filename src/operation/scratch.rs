//! Scratch memory of operations.

use wgpu::{Buffer, BufferUsages, Device};

use crate::operation::buffers::BufferError;

/// Scratch memory: a buffer for each of several roles.
#[derive(Clone, Debug)]
pub(crate) struct Scratch<const N: usize> {
    buffers: [Buffer; N],
    roles: [&'static str; N],
}

impl<const N: usize> Scratch<N> {
    /// Allocates a buffer for each role, of the largest size that one of several plans needs.
    pub(crate) fn new(
        device: &Device,
        operation: &str,
        roles: [&'static str; N],
        sizes: impl IntoIterator<Item = [u64; N]>,
    ) -> Self {
        let largest = sizes
            .into_iter()
            .fold([0; N], |most, sizes: [u64; N]| std::array::from_fn(|role| most[role].max(sizes[role])));
        let buffer = |role: usize| buffer(device, &format!("{operation}::{}", roles[role]), largest[role]);
        Scratch { buffers: std::array::from_fn(buffer), roles }
    }

    /// The buffer of a role.
    pub(crate) fn buffer(&self, role: usize) -> &Buffer {
        &self.buffers[role]
    }

    /// Bytes of all buffers.
    pub(crate) fn size(&self) -> u64 {
        self.buffers.iter().map(Buffer::size).sum()
    }

    /// Checks that the buffers are as long as a plan needs.
    pub(crate) fn check(&self, needs: [u64; N]) -> Result<(), BufferError> {
        for ((buffer, role), needed) in self.buffers.iter().zip(self.roles).zip(needs) {
            if needed > buffer.size() {
                return Err(BufferError::TooShort { role, start: 0, end: needed, size: buffer.size() });
            }
        }
        Ok(())
    }
}

/// Allocates a scratch buffer, at least as large as any binding must be.
pub(crate) fn buffer(device: &Device, label: &str, size: u64) -> Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some(label),
        size: size.max(128),
        usage: BufferUsages::STORAGE,
        mapped_at_creation: false,
    })
}
