//! Cells on their way to a GPU.

use halofold::wgpu::{self, Buffer, BufferUsages, MapMode};

use super::{Member, PIECE, encoder};
use crate::error::WorkerError;
use crate::staging::Staging;

/// A grid with these cells, in pieces that follow one another, or without any. They go by way of one short buffer that is kept: by way of wgpu's own, as
/// large as the grid, four H100 took 4 GiB in 0.72 s, and 0.43 s like this.
pub(super) fn buffer(member: &Member, size: u64, cells: &[&[u8]]) -> Result<Buffer, WorkerError> {
    let Member { device, queue } = member;
    let size = size.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
    let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let label = Some("halofold fleet: grid");
    let buffer =
        device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation: false });
    let given: usize = cells.iter().map(|piece| piece.len()).sum();
    if given == 0 {
        return Ok(buffer);
    }
    let staging = Staging::new(device, "halofold fleet: cells", PIECE.min(size), MapMode::Write);
    for begin in (0..given).step_by(PIECE as usize) {
        let bytes = begin..given.min(begin + PIECE as usize);
        let words = (bytes.len() as u64).next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT);
        staging.ask();
        staging.wait(device)?;
        staging.fill(cells, bytes, |_| ())?;
        staging.unmap();
        let mut copy = device.create_command_encoder(&encoder("halofold fleet: cells"));
        copy.copy_buffer_to_buffer(staging.buffer(), 0, &buffer, begin as u64, words);
        queue.submit([copy.finish()]);
    }
    Ok(buffer)
}
