//! Data on their way from the host to a GPU.

use std::io;

use halofold::wgpu::{self, Buffer, Device, MapMode, Queue};

use crate::error::WorkerError;
use crate::staging::Staging;

/// Bytes that go to the GPU at once, and the buffers on the way: the GPU copies from some while threads fill another one.
const CHUNK: u64 = 32 << 20;
const CHUNKS: usize = 3;

/// Fills the first `len` bytes of a buffer, and those up to a whole word with anything. Several threads call `fill` at once, each with the number of bytes before
/// its part and the part, which lies in memory that the GPU reads: write it front to back, and read nothing there. A part begins at a multiple of 16 bytes.
///
/// wgpu's `write_buffer` has a copy more, by one thread.
///
/// # Errors
///
/// - `fill` fails.
/// - The device is lost.
pub fn upload(
    device: &Device,
    queue: &Queue,
    buffer: &Buffer,
    len: u64,
    fill: impl Fn(u64, &mut [u8]) -> io::Result<()> + Sync,
) -> Result<(), WorkerError> {
    let words = |bytes: u64| bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let count = (len.div_ceil(CHUNK) as usize).min(CHUNKS);
    let size = words(len.min(CHUNK));
    let chunks: Vec<_> =
        (0..count).map(|_| Staging::new(device, "halofold fleet: upload", size, MapMode::Write)).collect();
    for (nth, start) in (0..len).step_by(CHUNK as usize).enumerate() {
        let (chunk, bytes) = (&chunks[nth % count], CHUNK.min(len - start));
        chunk.ask();
        chunk.wait(device)?;
        chunk.fill(bytes, |at, part| fill(start + at, part))?;
        chunk.unmap();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(chunk.buffer(), 0, buffer, start, words(bytes));
        queue.submit([encoder.finish()]);
    }
    Ok(())
}
