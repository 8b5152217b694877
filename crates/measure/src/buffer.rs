//! Buffers that the host does not map.

use wgpu::{Buffer, BufferUsages, Device};

/// Allocates a buffer.
pub(crate) fn buffer(device: &Device, label: &str, size: u64, usage: BufferUsages) -> Buffer {
    let label = Some(label);
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false })
}
