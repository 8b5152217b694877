//! Buffers with poison around their contents.

use bytemuck::NoUninit;
use halofold::read::Readback;
use halofold::wgpu;

use super::Gpu;

/// Contents of memory that nothing should read or write: a NaN of every float type, and integers whose sums stand out.
pub const POISON: u32 = 0x7ff5_fcad;

/// Returns true if a buffer's byte at a place is still poison.
pub fn is_poison(at: usize, byte: u8) -> bool {
    POISON.to_le_bytes()[at % 4] == byte
}

/// This many bytes of poison, a whole number of words.
pub fn poison(len: usize) -> Vec<u8> {
    POISON.to_le_bytes().repeat(len / 4)
}

/// A buffer with these contents, and poison behind them.
pub fn buffer(gpu: &Gpu, bytes: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let mut contents = poison(bytes.len().next_multiple_of(16).max(16));
    contents[..bytes.len()].copy_from_slice(bytes);
    let buffer = gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("test"),
        size: contents.len() as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    gpu.queue.write_buffer(&buffer, 0, &contents);
    buffer
}

/// The same of elements to read.
pub fn held<T: NoUninit>(gpu: &Gpu, elements: &[T]) -> wgpu::Buffer {
    buffer(gpu, bytemuck::cast_slice(elements), wgpu::BufferUsages::STORAGE)
}

/// A buffer of these bytes at an offset, poison in front of them and behind.
pub fn poisoned(gpu: &Gpu, bytes: &[u8], offset: u64) -> wgpu::Buffer {
    let end = offset as usize + bytes.len();
    let mut contents = poison((end + 160).next_multiple_of(4));
    contents[offset as usize..end].copy_from_slice(bytes);
    buffer(gpu, &contents, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC)
}

/// A buffer of poison for results.
pub fn room(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    let poison = poison(size.next_multiple_of(4) as usize);
    buffer(gpu, &poison, wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC)
}

/// A buffer's bytes, after everything that was submitted.
pub fn read(gpu: &Gpu, buffer: &wgpu::Buffer) -> Vec<u8> {
    let readback = Readback::new(&gpu.device, buffer.size());
    gpu.submit(|encoder| readback.encode(encoder, buffer, 0, buffer.size()).unwrap());
    readback.wait(buffer.size()).unwrap()
}

/// Submits one pass.
pub fn in_one_pass(gpu: &Gpu, record: impl FnOnce(&mut wgpu::ComputePass<'_>)) {
    gpu.submit(|encoder| record(&mut encoder.begin_compute_pass(&Default::default())));
}
