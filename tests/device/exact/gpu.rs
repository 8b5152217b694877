//! The kernels against whole numbers of any length: the same bits on every adapter. Each test is a row, but those at the end.

use halofold::Slice;
use halofold::reduce::exact::State;
use halofold::reduce::{Launches, Op};
use halofold::{Element, wgpu};

use super::arrays::Hard;
use super::bench::{Arrays, Bench, FEW, Row, SOME, cases, cases_in_turn, exact, finished};
use crate::common::{Gpu, Random, buffer, gpu, in_turn, is_software, limited, takes_fewer};
use crate::cut::{Cut, reduce};

const ORDINARY: [Hard; 4] = [Hard::Patterns, Hard::Mixed, Hard::Special, Hard::MinusZeros];

/// A device that needs windows for everything longer than 64 KiB.
fn small() -> Gpu {
    limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16)
}

#[test]
fn whole_inputs_on_every_adapter() {
    let cuts = [0, 1, 2, 3, 5, 8, 17, 64, 1000, 4099, 70_001].map(Cut::whole);
    Row { step: 2, ..Row::new(cases_in_turn(0), &Hard::ALL, cuts) }.check();
}

#[test]
fn tens_of_thousands_of_arrays() {
    let mut arrays = 0;
    for case in cases_in_turn(1) {
        // Sums of 32-bit floats are what most will ask for.
        let count = if case == (Op::Sum, Element::F32) { 700 } else { 60 };
        let cuts = [1, 2, 3, 4, 5, 8, 13, 34, 77, 300].map(|len| Cut::segments(len, count));
        arrays += Row { step: 3, ..Row::new([case], &Hard::ALL, cuts) }.check();
    }
    assert!(arrays >= if takes_fewer() { 9000 } else { 30_000 }, "{arrays}");
}

#[test]
fn long_segments_are_cut_into_states() {
    Row::new(FEW, &ORDINARY, [Cut::segments(50_003, 2)]).check();
}

#[test]
fn the_last_axis_is_segments() {
    Row::new(FEW, &[Hard::Mixed], [Cut::axis([20, 300, 1])]).check();
}

#[test]
fn windows_split_anywhere() {
    let (small, cases) = (small(), || in_turn(SOME, 2, 1));
    // Sorted data choose another window in each binding.
    let hard = [Hard::Patterns, Hard::Sorted, Hard::Uniform, Hard::Special, Hard::Cancelling];
    let cuts = [16_383, 16_385, 40_000, 100_003].map(Cut::whole);
    Row { gpu: &small, ..Row::new(cases(), &hard, cuts) }.check();
    let segments = [Cut::segments(30_011, 3), Cut::segments(77, 500)];
    Row { gpu: &small, ..Row::new(cases(), &[Hard::Patterns, Hard::Mixed, Hard::MinusZeros], segments) }
        .check();
}

/// A whole input is one segment if workgroups may not meet in one launch.
#[test]
fn two_launches() {
    let cuts = [0, 1, 17, 1000, 70_001].map(Cut::whole);
    let options = vec![exact().with_launches(Launches::Two)];
    Row { options, ..Row::new(in_turn(SOME, 2, 0), &[Hard::Mixed], cuts) }.check();
}

#[test]
fn columns() {
    let options = vec![exact(), exact().with_to_states(true)];
    let hard = [Hard::Anything, Hard::Mixed, Hard::Sorted, Hard::MinusZeros];
    let cuts = [[1, 1, 5], [3, 7, 4], [2, 300, 33], [1, 2000, 3]].map(Cut::axis);
    Row { options: options.clone(), ..Row::new(cases_in_turn(1), &hard, cuts) }.check();
    // Chunks of rows, and windows: their states are merged.
    let small = small();
    let long = |gpu, hard, sizes| {
        let row = Row::new(in_turn(FEW, 2, 0), hard, [Cut::axis(sizes)]);
        Row { gpu, options: options.clone(), ..row }.check();
    };
    long(gpu(), &[Hard::Patterns], [1, 50_000, 3]);
    long(&small, &[Hard::Patterns], [2, 9000, 5]);
    long(&small, &[Hard::Mixed], [40, 70, 9]);
}

/// Empty ones, single elements, and the tile's own length and one more or less, wherever it begins.
#[test]
fn segments_between_offsets() {
    const TILE: usize = 1 << 14;
    let lists = [
        Cut::of_lengths(0, [], 0),
        Cut::of_lengths(0, [0], 4),
        Cut::of_lengths(7, [0, 1, 0, 2, 300, 0, 5], 0),
        Cut::of_lengths(0, [TILE, TILE + 1, TILE - 1, 0, 3 * TILE + 5], 1),
        Cut::of_lengths(TILE - 1, [2 * TILE + 2, 1, 70_001], 40_000),
        Cut::of_lengths(1, [5, 100_003, 0, 0, 9], 0),
    ];
    let hard = [Hard::Patterns, Hard::Special, Hard::MinusZeros];
    Row { step: 2, ..Row::new(cases_in_turn(3), &hard, lists) }.check();

    let mut random = Random::new(12);
    for case in cases_in_turn(0) {
        // One of a hundred is a thousand times as long as the others.
        let mut length = || {
            let (word, is_long) = (random.next() as usize >> 20, random.next() >> 40);
            if is_long.is_multiple_of(100) { word % 40_000 } else { word % 40 }
        };
        let lengths: Vec<_> = (0..700).map(|_| length()).collect();
        let hard = [Hard::Anything, Hard::Cancelling, Hard::HalfWay, Hard::Subnormal];
        Row { step: 3, ..Row::new([case], &hard, [Cut::of_lengths(11, lengths, 100)]) }.check();
    }

    // Windows of the input, and of a list that no binding holds.
    let small = small();
    let list = Cut::of_lengths(3, [20_000, 0, 31, 90_000, 1], 9);
    Row { gpu: &small, ..Row::new(in_turn(SOME, 2, 0), &[Hard::Patterns], [list]) }.check();
    let long = Cut::of_lengths(0, (0..17_000).map(|number| number % 3), 0);
    Row { gpu: &small, ..Row::new([cases()[0]], &[Hard::Mixed], [long]) }.check();
}

/// All elements a stride apart, and as many of them as a number on the GPU says.
#[test]
fn strides() {
    let cuts = |sizes: &[(usize, usize)]| {
        let all: Vec<_> = sizes.iter().map(|(stride, len)| Cut::strided(*stride, *len)).collect();
        let half =
            |((stride, len), cut): (&(usize, usize), &Cut)| cut.clone().counted((len / stride / 2) as u32);
        let halves: Vec<_> = sizes.iter().zip(&all).map(half).collect();
        [all, halves].concat()
    };
    let sizes = [(1, 0), (1, 100), (2, 1), (3, 5000), (7, 70_001), (1000, 999)];
    Row { step: 2, ..Row::new(cases_in_turn(2), &ORDINARY, cuts(&sizes)) }.check();
    // Windows, which need not begin at an element that is selected.
    let long = cuts(&[(5, 90_000), (300, 50_000)]);
    Row { gpu: &small(), ..Row::new(in_turn(SOME, 2, 1), &[Hard::Mixed], long) }.check();
}

#[test]
fn millions_of_elements() {
    for (op, element, hard, len) in [
        (Op::Sum, Element::F32, Hard::Uniform, 1 << 24),
        (Op::Mean, Element::F32, Hard::Patterns, 1 << 24),
        (Op::Sum, Element::F64, Hard::Cancelling, 1 << 22),
        (Op::Dot, Element::F32, Hard::Mixed, (1 << 22) + 1),
    ] {
        let len = if is_software() { len >> 2 } else { len };
        Row::new([(op, element)], &[hard], [Cut::whole(len)]).check();
    }
}

#[test]
fn every_workgroup_size_gives_the_same_bits() {
    for case in in_turn([(Op::Sum, Element::F32), (Op::Mean, Element::F64)], 2, 1) {
        let mut sizes = 0;
        for (turn, subgroups) in [true, false].into_iter().enumerate() {
            for power in in_turn([0, 3, 6, 8, 10], 2, turn) {
                let sized = Bench::tuned(case, subgroups, |tuning| tuning.with_workgroup_size(1 << power));
                let Some(bench) = sized else { continue };
                sizes += 1;
                for (hard, len) in [(Hard::Patterns, 13), (Hard::Mixed, 5003)] {
                    let cut = Cut::whole(len).at(2);
                    bench.check(&cut, &Arrays::new(case, hard, &cut, 2), format_args!("2^{power}"));
                }
            }
        }
        assert!(sizes >= if takes_fewer() { 3 } else { 4 }, "{case:?} ran in {sizes} sizes");
    }
}

#[test]
fn the_order_decides_nothing() {
    for case in in_turn(SOME, 2, 0) {
        let (bench, size) = (Bench::new(gpu(), case, exact()), case.1.size() as usize);
        let len = if case == (Op::Sum, Element::F32) { 1 << 16 } else { 1 << 14 };
        for hard in [Hard::Patterns, Hard::Mixed, Hard::Largest, Hard::Cancelling] {
            let arrays = Arrays::new(case, hard, &Cut::whole(len), 1);
            let wanted = arrays.expected();
            // As bits without a sign: by magnitude.
            let magnitude = |at: &usize| {
                let bytes = &arrays.inputs[0][at * size..][..size];
                bytes.iter().rev().fold(0u64, |word, byte| word << 8 | u64::from(*byte)) << (65 - 8 * size)
            };
            let mut random = Random::new(8);
            let mut order: Vec<usize> = (0..len).collect();
            for name in ["sorted", "reversed", "shuffled"] {
                match name {
                    "sorted" => order.sort_by_cached_key(magnitude),
                    "reversed" => order.reverse(),
                    _ => (1..len).for_each(|i| order.swap(i, random.next() as usize % (i + 1))),
                }
                let got = bench.reduce(&Cut::whole(len), &arrays.pick(order.iter().copied()));
                assert_eq!(bench.results(&got), [(wanted, None)], "{case:?} of {hard:?}, {name}");
            }
        }
    }
}

#[test]
fn states_are_the_references_and_merge() {
    const SEGMENTS: usize = 70;
    for case in cases_in_turn(2) {
        let op = case.0;
        let to_states = exact().with_to_states(true);
        let leave = Bench::new(gpu(), case, to_states);
        let finish = Bench::new(gpu(), case, exact().with_from_states(true));
        let join = Bench::new(gpu(), case, to_states.with_from_states(true));
        for hard in [Hard::Patterns, Hard::Special, Hard::MinusZeros, Hard::Uniform] {
            let cut = Cut::segments(33, SEGMENTS).at(1);
            let (len, what) = (cut.len, format!("{case:?} of {hard:?}"));
            let arrays = Arrays::new(case, hard, &cut, 4);
            let states = leave.reduce(&cut, &arrays);
            let mut total = arrays.pick(0..0).state();
            for (bytes, group) in states.chunks_exact(states.len() / SEGMENTS).zip(cut.groups()) {
                assert_eq!(bytes, arrays.pick(group).state().to_bytes(), "{what}");
                total.merge(&State::from_bytes(bytes).unwrap()).unwrap();
            }
            let wanted = arrays.expected();
            assert_eq!(finished(op, &total), wanted, "{what} on the CPU");
            // All at once leaves one part with the same digits.
            assert_eq!(leave.reduce(&Cut::whole(len).at(1), &arrays), arrays.state().to_bytes(), "{what}");
            let buffer = buffer(gpu(), &states, wgpu::BufferUsages::STORAGE);
            for (bench, count) in [(&finish, None), (&join, Some(len))] {
                let parts = bench.reducer.of(Slice::new(&buffer, 0, states.len() as u64));
                let got = bench.results(&reduce(gpu(), &parts));
                assert_eq!(got, [(wanted, count)], "{what} on the GPU");
            }
        }
    }
}
