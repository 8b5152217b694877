//! Helper for results on the host: records, copies and submits.

use wgpu::{Buffer, BufferUsages, CommandEncoder, Device, Queue};

use crate::read::{ReadError, Readback};

/// Allocates a buffer of `size` bytes, records an operation that writes it and a copy of it to the host, and
/// submits both.
pub(crate) fn submit<E: From<ReadError>>(
    gpu: (&Device, &Queue),
    size: u64,
    record: impl FnOnce(&Buffer, &mut CommandEncoder) -> Result<(), E>,
) -> Result<Readback, E> {
    submit_each(gpu, &[size], |results, encoder| record(&results[0], encoder))
}

/// Allocates buffers of these sizes, records an operation that writes them and copies of them to the host, where they lie one after the
/// other, and submits all.
pub(crate) fn submit_each<E: From<ReadError>>(
    gpu @ (device, _): (&Device, &Queue),
    sizes: &[u64],
    record: impl FnOnce(&[Buffer], &mut CommandEncoder) -> Result<(), E>,
) -> Result<Readback, E> {
    let buffer = |size: &u64| {
        device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("halofold::read::results"),
            // A binding cannot be empty.
            size: (*size).max(4),
            usage: BufferUsages::STORAGE | BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        })
    };
    let results: Vec<_> = sizes.iter().map(buffer).collect();
    let copies: Vec<_> = results.iter().zip(sizes.iter().copied()).collect();
    submit_copies(gpu, &copies, |encoder| record(&results, encoder))
}

/// Records an operation and a copy of the first `size` bytes of a buffer, in whole words, to the host, and
/// submits both.
pub(crate) fn submit_copy<E: From<ReadError>>(
    gpu: (&Device, &Queue),
    copy: (&Buffer, u64),
    record: impl FnOnce(&mut CommandEncoder) -> Result<(), E>,
) -> Result<Readback, E> {
    submit_copies(gpu, &[copy], record)
}

/// Does the same with several buffers.
fn submit_copies<E: From<ReadError>>(
    (device, queue): (&Device, &Queue),
    copies: &[(&Buffer, u64)],
    record: impl FnOnce(&mut CommandEncoder) -> Result<(), E>,
) -> Result<Readback, E> {
    let words = |size: u64| size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let readback = Readback::new(device, copies.iter().map(|(_, size)| words(*size)).sum());
    let label = Some("halofold::read::submit");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
    record(&mut encoder)?;
    let mut at = 0;
    for (buffer, size) in copies {
        readback.encode_behind(at, &mut encoder, buffer, 0, words(*size))?;
        at += words(*size);
    }
    queue.submit([encoder.finish()]);
    Ok(readback)
}
