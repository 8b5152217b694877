//! Conversion of a file's elements to this machine's byte order, and of narrow integers to 32 bits.

use halofold::Value;

use super::Stored;
use crate::keys;

/// A byte of a mask where it is true: in each byte of an element it makes a normal float.
const TRUE: u8 = 0x3c;

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
        let bits = if piece[index] != 0 { TRUE } else { 0 };
        piece[index * size..][..size].fill(bits);
    }
}

/// Makes a mask of the elements at the start of `piece`, in their place: true of those from one to another.
pub(crate) fn mark(piece: &mut [u8], stored: Stored, [low, high]: [Value; 2]) {
    for bytes in piece.chunks_exact_mut(stored.size() as usize) {
        let is_between = match (keys::of_bytes(stored.element(), bytes), low, high) {
            (Value::Unsigned(x), Value::Unsigned(low), Value::Unsigned(high)) => (low..=high).contains(&x),
            (Value::Signed(x), Value::Signed(low), Value::Signed(high)) => (low..=high).contains(&x),
            (x, low, high) => (low.as_f64()..=high.as_f64()).contains(&x.as_f64()),
        };
        bytes.fill(if is_between { TRUE } else { 0 });
    }
}
