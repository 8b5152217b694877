//! The short way to the host: record, copy, submit.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::read::{ReadError, Readback};

/// Records something whose results take `size` bytes of a new buffer, with a copy of them to the host, and submits it.
pub(crate) fn submit<E: From<ReadError>>(
    (device, queue): (&Device, &Queue),
    size: u64,
    record: impl FnOnce(&Buffer, &mut CommandEncoder) -> Result<(), E>,
) -> Result<Readback, E> {
    let results = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold::read::results"),
        // A binding is never empty.
        size: size.max(4),
        usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    });
    let readback = Readback::new(device, size);
    let label = Some("halofold::read::submit");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
    record(&results, &mut encoder)?;
    readback.encode(&mut encoder, &results, 0, size)?;
    queue.submit([encoder.finish()]);
    Ok(readback)
}
