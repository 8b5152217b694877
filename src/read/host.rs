//! Helper for results on the host: records, copies and submits.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::read::{ReadError, Readback};

/// Allocates a buffer of `size` bytes, records an operation that writes it and a copy of it to the host, and
/// submits both.
pub(crate) fn submit<E: From<ReadError>>(
    (device, queue): (&Device, &Queue),
    size: u64,
    record: impl FnOnce(&Buffer, &mut CommandEncoder) -> Result<(), E>,
) -> Result<Readback, E> {
    let results = device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold::read::results"),
        // A binding cannot be empty.
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
