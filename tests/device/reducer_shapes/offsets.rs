//! Segments between offsets that lie on the GPU.

use halofold::Element;
use halofold::reduce::{BufferRange, Op, Shape, Workspace};

use super::fixed::LENGTHS;
use super::scene::{GPU, NARROW, POISON, buffer, cases, compare, elements, reducers, run, words};
use crate::common;

/// Lists of offsets over 100 003 … 300 000 elements, and how many elements there are.
fn lists() -> Vec<(Vec<u32>, usize)> {
    let ends = |lengths: &mut dyn Iterator<Item = usize>, start: u32| {
        let mut at = start;
        let mut list = vec![at];
        list.extend(lengths.map(|len| {
            at += len as u32;
            at
        }));
        list
    };
    let all = |list: Vec<u32>| {
        let end = *list.last().unwrap() as usize;
        (list, end)
    };
    let regimes = LENGTHS.iter().flat_map(|len| [*len, 0, 1]).collect::<Vec<_>>();
    vec![
        all(ends(&mut [].into_iter(), 0)),
        all(ends(&mut [0].into_iter(), 0)),
        all(ends(&mut [1].into_iter(), 0)),
        all(ends(&mut [100_003].into_iter(), 0)),
        all(ends(&mut std::iter::repeat_n(0, 1000), 0)),
        // Elements in front and behind belong to no segment.
        (ends(&mut [5, 70_000, 0, 3].into_iter(), 50_000), 200_000),
        (ends(&mut std::iter::repeat_n(0, 10), 40_000), 100_000),
        all(ends(&mut regimes.iter().copied(), 0)),
        all(ends(&mut regimes.iter().rev().copied(), 0)),
        // One long segment among many short ones, at either end and in the middle.
        all(ends(&mut std::iter::repeat_n(10, 5000).chain([120_000]).chain(std::iter::repeat_n(7, 5000)), 0)),
        all(ends(&mut [120_000].into_iter().chain(std::iter::repeat_n(3, 20_000)), 0)),
        all(ends(&mut std::iter::repeat_n(1, 70_000).chain([90_000]), 0)),
        // As long as tiles, and a little more or less.
        all(ends(&mut [16_384, 16_384, 16_385, 16_383, 1, 32_768, 32_769, 16_384].into_iter(), 0)),
        all(ends(&mut std::iter::repeat_n(2000, 100), 0)),
        all(ends(&mut std::iter::repeat_n(256, 1000), 0)),
    ]
}

#[test]
fn segments_between_offsets() {
    for (turn, gpu) in [&*GPU, &NARROW].into_iter().enumerate() {
        for case in common::in_turn(cases(), 2, turn) {
            for reducer in reducers(gpu, &case.monoid) {
                // One workspace for all, with what the list before has left there.
                let planned = |(list, len): &(Vec<u32>, usize)| {
                    let shape = Shape::Offsets { count: list.len() as u64 - 1 };
                    reducer.plan(shape, &[BufferRange { offset: 12, len: *len as u64 }], None).unwrap()
                };
                let lists = lists();
                let plans: Vec<_> = lists.iter().map(planned).collect();
                let space = Workspace::for_plans(&gpu.device, &plans);
                for (number, (list, len)) in lists.iter().enumerate() {
                    let data = elements(*len);
                    let offset = number % 4;
                    let (held, positions) = (buffer(gpu, &data, offset), buffer(gpu, list, 64));
                    let input = words(&held, offset, *len);
                    let between = reducer.of(input).segment_offsets(words(&positions, 64, list.len()));
                    let got = run(gpu, &between.workspace(&space));
                    let part = |ends: &[u32]| {
                        (case.model)(&mut data[ends[0] as usize..ends[1] as usize].iter().copied())
                    };
                    let want: Vec<_> = list.windows(2).flat_map(part).collect();
                    compare(&got, &want, &format!("{} list {number}", reducer.monoid().name()));
                }
            }
        }
    }
}

/// Offsets that make no sense must not lead anywhere: what is summed is at most the input, and nothing else is written.
#[test]
fn offsets_that_do_not_ascend() {
    for gpu in [&*GPU, &NARROW] {
        let monoid = Op::Sum.over(Element::U32).unwrap();
        for reducer in reducers(gpu, &monoid) {
            for list in [
                vec![u32::MAX, 0, u32::MAX, 5],
                vec![0, u32::MAX, u32::MAX],
                vec![100_000, 50_000, 0],
                elements(3000),
                (0..3000).map(|i| (i * 7919) % 100_000).collect(),
            ] {
                // Ones among poison: whatever is read from elsewhere gives a sum that no ones give.
                let (held, positions) = (buffer(gpu, &[1; 100_000], 1), buffer(gpu, &list, 0));
                let all = reducer.of(words(&held, 1, 100_000));
                let between = all.segment_offsets(words(&positions, 0, list.len()));
                for bytes in common::run(gpu, &between, None).unwrap() {
                    let got: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
                    assert!(got.iter().all(|sum| *sum <= 100_000 || *sum == POISON), "{got:?}");
                }
            }
        }
    }
}
