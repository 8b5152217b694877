//! Exact sums of segments between offsets.

use halofold::{Slice, wgpu};

use super::arrays::Hard;
use super::cpu::{Arrays, SOME, cases, cases_in_turn};
use super::gpu::{self, Bench, Case, Inputs, of_reduction};
use crate::common::{Random, buffer, gpu, in_turn, limited, over};

/// Offsets of segments of these lengths, one behind the other.
fn offsets(first: usize, lengths: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut list = vec![first];
    for len in lengths {
        list.push(list[list.len() - 1] + len);
    }
    list
}

/// Sums the segments between these offsets of an array that goes on for `behind` elements.
fn check(bench: &Bench<'_>, hard: Hard, list: &[usize], behind: usize) {
    let Bench { gpu, case: Case { op, element }, ref results } = *bench;
    let len = list[list.len() - 1] + behind;
    let arrays = Arrays::new((op, element), hard, len, 5);
    let inputs = Inputs::new(gpu, element, &arrays.slices(), 3);
    let words: Vec<u8> = list.iter().flat_map(|offset| (*offset as u32).to_le_bytes()).collect();
    let words = buffer(gpu, &words, wgpu::BufferUsages::STORAGE);
    let slices = inputs.slices();
    let between = over(results, &slices).segment_offsets(Slice::new(&words, 0, 4 * list.len() as u64));
    let got = gpu::results(op, element, &of_reduction(gpu, &between));
    assert_eq!(got.len(), list.len() - 1);
    for (number, (pair, got)) in list.windows(2).zip(got).enumerate() {
        let wanted = arrays.range(pair[0]..pair[1]).expected();
        assert_eq!(got, wanted, "{op} of {hard:?} {element}, segment {number}, {pair:?} of {len}");
    }
}

/// None, empty ones, single elements, and the tile's own length and one more or less, wherever it begins.
#[test]
fn short_and_long_segments() {
    const TILE: usize = 1 << 14;
    let lists = [
        vec![0],
        offsets(0, [0]),
        offsets(7, [0, 1, 0, 2, 300, 0, 5]),
        offsets(0, [TILE, TILE + 1, TILE - 1, 0, 3 * TILE + 5]),
        offsets(TILE - 1, [2 * TILE + 2, 1, 70_001]),
        offsets(1, [5, 100_003, 0, 0, 9]),
    ];
    for case in cases_in_turn(3) {
        let bench = Bench::new(gpu(), case);
        for (turn, (list, behind)) in lists.iter().zip([0, 4, 0, 1, 40_000, 0]).enumerate() {
            for hard in in_turn([Hard::Patterns, Hard::Special, Hard::MinusZeros], 2, turn) {
                check(&bench, hard, list, behind);
            }
        }
    }
}

#[test]
fn many_segments_of_random_lengths() {
    let mut random = Random::new(12);
    for (turn, case) in cases_in_turn(0).enumerate() {
        // One of a hundred is a thousand times as long as the others.
        let lengths: Vec<_> = (0..700)
            .map(|_| {
                let (word, is_long) = (random.next() as usize >> 20, random.next() >> 40);
                if is_long.is_multiple_of(100) { word % 40_000 } else { word % 40 }
            })
            .collect();
        let bench = Bench::new(gpu(), case);
        for hard in in_turn([Hard::Anything, Hard::Cancelling, Hard::HalfWay, Hard::Subnormal], 3, turn) {
            check(&bench, hard, &offsets(11, lengths.iter().copied()), 100);
        }
    }
}

/// Windows of the input, and of a list that no binding holds.
#[test]
fn windows_of_small_bindings() {
    let small = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    for case in in_turn(SOME, 2, 0) {
        check(&Bench::new(&small, case), Hard::Patterns, &offsets(3, [20_000, 0, 31, 90_000, 1]), 9);
    }
    check(&Bench::new(&small, cases()[0]), Hard::Mixed, &offsets(0, (0..17_000).map(|number| number % 3)), 0);
}
