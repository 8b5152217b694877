//! Uploads bytes to a buffer.

use wgpu::{Buffer, Queue};

/// Bytes that are handed to the GPU at once: each piece passes through a staging buffer.
pub(crate) const PIECE: usize = 64 << 20;

/// Writes bytes to the start of a buffer, piece by piece, and zeros up to a whole word behind them.
pub fn upload<'a>(queue: &Queue, buffer: &Buffer, parts: impl Iterator<Item = &'a [u8]>) {
    let (mut at, mut piece) = (0, Vec::new());
    for part in parts {
        if piece.is_empty() && part.len() >= PIECE && part.len().is_multiple_of(4) {
            queue.write_buffer(buffer, at, part);
            queue.submit([]);
            at += part.len() as u64;
            continue;
        }
        piece.extend_from_slice(part);
        if piece.len() >= PIECE {
            let whole = piece.len() / 4 * 4;
            queue.write_buffer(buffer, at, &piece[..whole]);
            queue.submit([]);
            at += whole as u64;
            piece.drain(..whole);
        }
    }
    piece.resize(piece.len().next_multiple_of(4), 0);
    queue.write_buffer(buffer, at, &piece);
    queue.submit([]);
}
