//! The index at which a search in an array of Fortran's order finds its element, as NumPy counts: of equal ones the first in C's order.
//!
//! The GPU finds the first in the order of memory. Which of its equals comes first in C's order, the host sees in the piece.

use halofold::Element;

use crate::files::Stored;

/// The least place in C's order of the elements of a piece that are equal to its element number `found`. So many elements
/// come `before` the piece, of an array of a type and of these dimensions.
pub fn first((stored, shape): (Stored, &[u64]), piece: &[u8], before: u64, found: u64) -> u64 {
    let size = stored.size() as usize;
    let wanted = &piece[found as usize * size..][..size];
    let equal = |item: &[u8]| item == wanted || is_alike(stored, item, wanted);
    let places = piece.chunks_exact(size).enumerate().skip(found as usize);
    let equals = places.filter(|(_, item)| equal(item)).map(|(at, _)| turn(shape, before + at as u64));
    equals.min().unwrap_or_else(|| turn(shape, before + found))
}

/// A place counted along the first dimension first, counted along the last one first.
pub fn turn(shape: &[u64], index: u64) -> u64 {
    let step = |(left, turned): (u64, u64), len: &u64| (left / len, turned * len + left % len);
    shape.iter().fold((index, 0), step).1
}

/// True if elements of other bytes are equal to a search: one NaN to another, and one true Boolean to another. -0 is less than
/// +0, here as in the operators.
fn is_alike(stored: Stored, a: &[u8], b: &[u8]) -> bool {
    /// All bits of the exponent are set, and some behind it.
    fn is_nan(bytes: &[u8], infinity: u64) -> bool {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        if cfg!(target_endian = "big") {
            word[..bytes.len()].reverse();
        }
        let sign = 1 << (8 * bytes.len() - 1);
        u64::from_le_bytes(word) & !sign > infinity
    }
    let both_nan = |infinity| is_nan(a, infinity) && is_nan(b, infinity);
    match stored {
        Stored::Bool => (a[0] != 0) == (b[0] != 0),
        Stored::Element(Element::F16) => both_nan(0x7c00),
        Stored::Element(Element::F32) => both_nan(0x7f80_0000),
        Stored::Element(Element::F64) => both_nan(0x7ff0_0000_0000_0000),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_fortrans_order_become_those_in_cs() {
        assert_eq!([0, 1, 2, 3, 4, 5].map(|index| turn(&[2, 3], index)), [0, 3, 1, 4, 2, 5]);
    }

    #[test]
    fn of_equal_elements_the_first_in_cs_order() {
        // In memory: column after column of two rows.
        let bytes = [1, 9, 9, 0, 0, 0];
        let array = (Stored::U8, &[2, 3][..]);
        assert_eq!(first(array, &bytes, 0, 1), 1);
        assert_eq!(first(array, &bytes[2..], 2, 0), 1);
        assert_eq!(first((Stored::Bool, &[2, 3]), &[0, 3, 1, 0, 0, 0], 0, 1), 1);
    }

    #[test]
    fn a_nan_is_like_another_and_zeros_have_signs() {
        let array = (Stored::Element(Element::F32), &[2, 2][..]);
        let other = f32::from_bits(0xffc0_1234);
        let items = [1.0, f32::NAN, other, 2.0];
        assert_eq!(first(array, bytemuck::cast_slice(&items), 0, 1), 1);
        let zeros = [1.0, -0.0, 0.0, -0.0f32];
        assert_eq!(first(array, bytemuck::cast_slice(&zeros), 0, 1), 2);
        assert!(!is_alike(array.0, &f32::INFINITY.to_ne_bytes(), &other.to_ne_bytes()));
    }
}
