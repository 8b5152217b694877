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
    submit_copy((device, queue), (&results, size), |encoder| record(&results, encoder))
}

/// Records an operation and a copy of the first `size` bytes of a buffer, in whole words, to the host, and
/// submits both.
pub(crate) fn submit_copy<E: From<ReadError>>(
    (device, queue): (&Device, &Queue),
    (buffer, size): (&Buffer, u64),
    record: impl FnOnce(&mut CommandEncoder) -> Result<(), E>,
) -> Result<Readback, E> {
    let readback = Readback::new(device, size);
    let label = Some("halofold::read::submit");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
    record(&mut encoder)?;
    readback.encode(&mut encoder, buffer, 0, size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT))?;
    queue.submit([encoder.finish()]);
    Ok(readback)
}
