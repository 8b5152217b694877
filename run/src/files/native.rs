//! Conversion of a file's elements to this machine's byte order, and of narrow integers to 32 bits.

use super::Stored;

/// Turns each element of `size` bytes into the other byte order.
pub(crate) fn swap_bytes(piece: &mut [u8], size: usize) {
    /// The same for a size known to the compiler, which makes vector shuffles of it.
    fn reverse_each<const SIZE: usize>(piece: &mut [u8]) {
        for element in piece.as_chunks_mut::<SIZE>().0 {
            element.reverse();
        }
    }
    match size {
        2 => reverse_each::<2>(piece),
        4 => reverse_each::<4>(piece),
        _ => reverse_each::<8>(piece),
    }
}

/// Makes 32-bit integers of `count` narrower ones that lie at the start of `piece`, in their place.
pub(crate) fn widen(piece: &mut [u8], count: usize, stored: Stored) {
    // From the last one on, so that no element is overwritten before it is read.
    for index in (0..count).rev() {
        let wide = stored.widened_one(&piece[index * stored.size() as usize..]);
        piece[index * 4..][..4].copy_from_slice(&wide);
    }
}

/// Makes a mask of `count` Booleans that lie at the start of `piece`, in their place: `size` bytes of each, with bits that make a normal float
/// if it is true.
pub(crate) fn spread(piece: &mut [u8], count: usize, size: usize) {
    for index in (0..count).rev() {
        let bits = if piece[index] != 0 { 0x3c } else { 0 };
        piece[index * size..][..size].fill(bits);
    }
}
