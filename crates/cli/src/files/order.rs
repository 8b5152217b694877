//! The order of elements in memory: axes exchanged, bytes swapped.

use rayon::prelude::*;

/// Elements that one thread moves at a time.
const CHUNK: usize = 1 << 16;

/// Exchanges the axes of an array in C order: axis `k` of the result is axis `order[k]`. Elements have `size` bytes.
pub fn permuted(bytes: Vec<u8>, size: usize, lens: &[usize], order: &[usize]) -> Vec<u8> {
    // Axes of one element do not move anything.
    let moving: Vec<_> = order.iter().copied().filter(|axis| lens[*axis] != 1).collect();
    if moving.is_sorted() || bytes.is_empty() {
        return bytes;
    }
    let stride = |axis: usize| lens[axis + 1..].iter().product::<usize>();
    let dims: Vec<_> = moving.iter().map(|axis| (lens[*axis], stride(*axis))).collect();
    match size {
        1 => gathered::<1>(&bytes, &dims),
        2 => gathered::<2>(&bytes, &dims),
        4 => gathered::<4>(&bytes, &dims),
        _ => gathered::<8>(&bytes, &dims),
    }
}

/// Gathers elements of a permuted array, whose axes have these lengths and strides in `bytes`.
fn gathered<const SIZE: usize>(bytes: &[u8], dims: &[(usize, usize)]) -> Vec<u8> {
    let elements = bytes.as_chunks::<SIZE>().0;
    let mut result = vec![[0; SIZE]; elements.len()];
    let [outer @ .., (len, stride)] = dims else { return bytes.to_vec() };
    result.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, target)| {
        let mut done = 0;
        while done < target.len() {
            let place = chunk * CHUNK + done;
            let (mut row, first) = (place / len, place % len);
            let mut at = first * stride;
            for (len, stride) in outer.iter().rev() {
                at += row % len * stride;
                row /= len;
            }
            let count = (len - first).min(target.len() - done);
            for (nth, target) in target[done..done + count].iter_mut().enumerate() {
                *target = elements[at + nth * stride];
            }
            done += count;
        }
    });
    result.into_flattened()
}

/// Turns each element of `size` bytes into the other byte order.
pub fn swap_bytes(bytes: &mut [u8], size: usize) {
    fn reverse<const SIZE: usize>(bytes: &mut [u8]) {
        bytes.as_chunks_mut::<SIZE>().0.par_iter_mut().for_each(|element| element.reverse());
    }
    match size {
        2 => reverse::<2>(bytes),
        4 => reverse::<4>(bytes),
        _ => reverse::<8>(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permuted_axes_move_each_element() {
        let lens = [3, 1, 4, 5];
        let bytes: Vec<u8> = (0..60).flat_map(|x: u16| x.to_le_bytes()).collect();
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            let moved = permuted(bytes.clone(), 2, &lens, &order);
            let of = |axis: usize| lens[order[axis]];
            let mut expected = Vec::new();
            for index in 0..60 {
                let place = [
                    index / (of(1) * of(2) * of(3)),
                    index / (of(2) * of(3)) % of(1),
                    index / of(3) % of(2),
                    index % of(3),
                ];
                let mut at = [0; 4];
                order.iter().zip(place).for_each(|(axis, place)| at[*axis] = place);
                let source = ((at[0] + at[1]) * 4 + at[2]) * 5 + at[3];
                expected.extend((source as u16).to_le_bytes());
            }
            assert_eq!(moved, expected, "{order:?}");
        }
    }

    #[test]
    fn swapped_bytes_reverse_each_element() {
        let mut bytes = vec![1, 2, 3, 4, 5, 6, 7, 8];
        swap_bytes(&mut bytes, 4);
        assert_eq!(bytes, [4, 3, 2, 1, 8, 7, 6, 5]);
    }
}
