//! The order of elements in memory: axes exchanged, bytes swapped.

use super::in_parallel;

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
    let [outer @ .., (len, stride)] = dims else { return bytes.to_vec() };
    let mut result = vec![0; bytes.len()];
    in_parallel(&mut result, &|start, part| {
        let target = part.as_chunks_mut::<SIZE>().0;
        let mut done = 0;
        while done < target.len() {
            let place = start / SIZE + done;
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
    result
}

/// Turns each element of `size` bytes into the other byte order.
pub fn swap_bytes(bytes: &mut [u8], size: usize) {
    in_parallel(bytes, &|_, part| part.chunks_exact_mut(size).for_each(<[u8]>::reverse));
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
    fn parts_of_several_threads_join() {
        // Transposed: more bytes than a thread writes at a time.
        let (rows, cols) = (700, 300);
        let bytes: Vec<u8> = (0..rows * cols).flat_map(|x: u32| x.to_le_bytes()).collect();
        let moved = permuted(bytes, 4, &[rows as usize, cols as usize], &[1, 0]);
        let at = |place: usize| u32::from_le_bytes(moved[4 * place..][..4].try_into().unwrap());
        assert!((0..rows * cols).all(|x| at(((x % cols) * rows + x / cols) as usize) == x));
    }

    #[test]
    fn swapped_bytes_reverse_each_element() {
        let mut bytes = vec![1, 2, 3, 4, 5, 6, 7, 8];
        swap_bytes(&mut bytes, 4);
        assert_eq!(bytes, [4, 3, 2, 1, 8, 7, 6, 5]);
    }
}
