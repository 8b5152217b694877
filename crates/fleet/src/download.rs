//! Data on their way from a GPU to the host.

use std::io;
use std::ops::Range;

use halofold::wgpu::{self, Buffer, Device, MapMode, Queue};

use crate::error::WorkerError;
use crate::staging::Staging;

/// Bytes that come from the GPU at once, and the buffers on the way: the GPU copies to some while the host reads another one.
const CHUNK: u64 = 32 << 20;
const CHUNKS: usize = 3;

/// Passes some bytes of a buffer to `sink`, in order and in large pieces, as they lie in memory that the GPU has written.
///
/// # Errors
///
/// - `sink` fails.
/// - The device is lost.
pub(crate) fn download(
    device: &Device,
    queue: &Queue,
    buffer: &Buffer,
    range: Range<u64>,
    mut sink: impl FnMut(&[u8]) -> io::Result<()>,
) -> Result<(), WorkerError> {
    // Copies are of whole words; a plane of 16-bit floats may begin or end inside one.
    let first = range.start / wgpu::COPY_BUFFER_ALIGNMENT * wgpu::COPY_BUFFER_ALIGNMENT;
    let last = range.end.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let starts: Vec<u64> = (first..last).step_by(CHUNK as usize).collect();
    let size = (last - first).min(CHUNK);
    let chunks: Vec<_> = (0..starts.len().min(CHUNKS))
        .map(|_| Staging::new(device, "halofold fleet: download", size, MapMode::Read))
        .collect();
    let copy = |nth: usize| {
        let Some(start) = starts.get(nth) else { return };
        let chunk = &chunks[nth % chunks.len()];
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(buffer, *start, chunk.buffer(), 0, CHUNK.min(last - start));
        queue.submit([encoder.finish()]);
        chunk.ask();
    };
    (0..chunks.len()).for_each(copy);
    for (nth, start) in starts.iter().enumerate() {
        let chunk = &chunks[nth % chunks.len()];
        chunk.wait(device)?;
        let bytes = range.start.saturating_sub(*start)..CHUNK.min(range.end - start);
        sink(&chunk.view(..)?[bytes.start as usize..bytes.end as usize]).map_err(WorkerError::file)?;
        chunk.unmap();
        copy(nth + chunks.len());
    }
    Ok(())
}
