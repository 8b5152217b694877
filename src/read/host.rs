//! Helper for results on the host: records, copies and submits.

use wgpu::{Buffer, CommandEncoder, Device, Queue};

use crate::read::{ReadError, Readback};

/// Records an operation and copies of the first bytes of some buffers, in whole words, to the host, where they lie one after the other,
/// and submits all.
pub(crate) fn submit(
    (device, queue): (&Device, &Queue),
    copies: &[(&Buffer, u64)],
    record: impl FnOnce(&mut CommandEncoder),
) -> Result<Readback, ReadError> {
    let words = |size: u64| size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let readback = Readback::new(device, copies.iter().map(|(_, size)| words(*size)).sum());
    let label = Some("halofold::read::submit");
    let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor { label });
    record(&mut encoder);
    let mut at = 0;
    for (buffer, size) in copies {
        readback.encode_behind(at, &mut encoder, buffer, 0, words(*size))?;
        at += words(*size);
    }
    queue.submit([encoder.finish()]);
    Ok(readback)
}
