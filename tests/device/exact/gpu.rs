//! The kernels against whole numbers of any length: the same bits on every adapter. The first tests are rows.

use halofold::Slice;
use halofold::reduce::{Op, Shape};
use halofold::{Element, Launches, wgpu};

use super::arrays::Hard;
use super::bench::{Arrays, Bench, Row, SOME, bits, cases, exact, tuned};
use crate::common::{Random, buffer, gpu, in_turn, is_software, limited, takes_fewer};
use crate::cut::{Cut, reduce};

const ORDINARY: [Hard; 4] = [Hard::Patterns, Hard::Mixed, Hard::Special, Hard::MinusZeros];

#[test]
fn whole_inputs_on_every_adapter() {
    let cuts = [0, 1, 2, 3, 5, 8, 17, 64, 1000, 4099, 70_001].map(Cut::whole);
    Row { step: 2, ..Row::new(in_turn(cases(), 4, 0), &Hard::ALL, cuts) }.check();
    // A whole input is one segment if workgroups may not meet in one dispatch.
    let cuts = [0, 1, 17, 1000, 70_001].map(Cut::whole);
    let how = vec![exact().with_launches(Launches::Two)];
    Row { how, ..Row::new(in_turn(SOME, 2, 0), &[Hard::Mixed], cuts) }.check();
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

/// Tens of thousands of arrays; long ones are cut into states, and the last axis is segments.
#[test]
fn segments() {
    let mut arrays = 0;
    for case in in_turn(cases(), 4, 1) {
        // Sums of 32-bit floats are what most will need.
        let count = if case == (Op::Sum, Element::F32) { 700 } else { 60 };
        let cuts = [1, 2, 3, 4, 5, 8, 13, 34, 77, 300].map(|len| Cut::segments(len, count));
        arrays += Row { step: 3, ..Row::new([case], &Hard::ALL, cuts) }.check();
    }
    assert!(arrays >= if takes_fewer() { 9000 } else { 30_000 }, "{arrays}");
    Row::new(SOME, &ORDINARY, [Cut::segments(50_003, 2), Cut::axis([20, 300, 1])]).check();
}

#[test]
fn columns() {
    let how = vec![exact(), exact().with_to_states(true)];
    let hard = [Hard::Anything, Hard::Mixed, Hard::Sorted, Hard::MinusZeros];
    let cuts = [[1, 1, 5], [2, 50, 70], [2, 300, 33], [1, 2000, 3]].map(Cut::axis);
    Row { how: how.clone(), ..Row::new(in_turn(cases(), 4, 1), &hard, cuts) }.check();
    // Chunks of rows, whose states are merged.
    Row { how, ..Row::new(in_turn(SOME, 2, 0), &[Hard::Patterns], [Cut::axis([1, 50_000, 3])]) }.check();
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
    Row { step: 2, ..Row::new(in_turn(cases(), 4, 3), &hard, lists) }.check();

    let mut random = Random::new(12);
    for case in in_turn(cases(), 4, 0) {
        // One of a hundred is a thousand times as long as the others.
        let mut length = || {
            let (word, is_long) = (random.next() as usize >> 20, random.next() >> 40);
            if is_long.is_multiple_of(100) { word % 40_000 } else { word % 40 }
        };
        let lengths: Vec<_> = (0..700).map(|_| length()).collect();
        let hard = [Hard::Anything, Hard::Cancelling, Hard::HalfWay, Hard::Subnormal];
        Row { step: 3, ..Row::new([case], &hard, [Cut::of_lengths(11, lengths, 100)]) }.check();
    }
}

/// All elements a stride apart, and as many of them as a number on the GPU says.
fn strides(sizes: &[(usize, usize)]) -> Vec<Cut> {
    let half = |stride: usize, len: usize| Cut::strided(stride, len).counted((len / stride / 2) as u32);
    sizes.iter().flat_map(|&(stride, len)| [Cut::strided(stride, len), half(stride, len)]).collect()
}

#[test]
fn elements_a_stride_apart() {
    let sizes = [(1, 0), (1, 100), (2, 1), (3, 5000), (7, 70_001), (1000, 999)];
    Row { step: 2, ..Row::new(in_turn(cases(), 4, 2), &ORDINARY, strides(&sizes)) }.check();
}

/// A device that needs windows for everything longer than 64 KiB. States of columns are merged.
#[test]
fn windows_split_anywhere() {
    let small = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    // Sorted data choose another window in each binding.
    let five = [Hard::Patterns, Hard::Sorted, Hard::Uniform, Hard::Special, Hard::Cancelling];
    let three = [Hard::Patterns, Hard::Mixed, Hard::MinusZeros];
    // The offsets of the last list are more than a binding holds. Strides need not begin at an element that is selected.
    let list = Cut::of_lengths(3, [20_000, 0, 31, 90_000, 1], 9);
    let long = Cut::of_lengths(0, (0..17_000).map(|number| number % 3), 0);
    let rows: [(&[Hard], _); 7] = [
        (&five, [16_383, 16_385, 40_000, 100_003].map(Cut::whole).to_vec()),
        (&three, vec![Cut::segments(30_011, 3), Cut::segments(77, 500)]),
        (&[Hard::Patterns], vec![Cut::axis([2, 9000, 5])]),
        (&[Hard::Mixed], vec![Cut::axis([40, 70, 9])]),
        (&[Hard::Mixed], strides(&[(5, 90_000), (300, 50_000)])),
        (&[Hard::Patterns], vec![list]),
        (&[Hard::Mixed], vec![long]),
    ];
    for (turn, (hard, cuts)) in rows.into_iter().enumerate() {
        let is_axis = matches!(cuts[0].shape, Shape::Axis { .. });
        let states = is_axis.then_some(exact().with_to_states(true));
        let how = [exact()].into_iter().chain(states).collect();
        Row { gpu: &small, how, ..Row::new(in_turn(SOME, 2, turn), hard, cuts) }.check();
    }
}

#[test]
fn every_workgroup_size_gives_the_same_bits() {
    for case in in_turn([(Op::Sum, Element::F32), (Op::Mean, Element::F64)], 2, 1) {
        let all =
            [true, false].into_iter().flat_map(|subgroups| [0, 3, 6, 8, 10].map(|power| (subgroups, power)));
        let tuned = |(subgroups, power): (bool, u32)| {
            tuned(case, subgroups, |tuning| tuning.with_workgroup_size(1 << power))
        };
        let how: Vec<_> = in_turn(all, 2, 0).filter_map(tuned).collect();
        let least = if takes_fewer() { 3 } else { 4 };
        assert!(how.len() >= least, "{case:?} ran in {} sizes", how.len());
        Row { how, ..Row::new([case], &[Hard::Patterns, Hard::Mixed], [13, 5003].map(Cut::whole)) }.check();
    }
}

#[test]
fn states_are_the_references_and_merge() {
    const SEGMENTS: usize = 70;
    for case in in_turn(cases(), 4, 2) {
        let to_states = exact().with_to_states(true);
        let leave = Bench::new(gpu(), case, to_states);
        let finish = Bench::new(gpu(), case, exact().with_from_states(true));
        let join = Bench::new(gpu(), case, to_states.with_from_states(true));
        for hard in [Hard::Patterns, Hard::Special, Hard::MinusZeros, Hard::Uniform] {
            let cut = Cut::segments(33, SEGMENTS).at(1);
            let (len, what) = (cut.len, format!("{case:?} of {hard:?}"));
            let arrays = Arrays::new(case, hard, &cut, 4);
            let states = leave.reduce(&cut, &arrays);
            for (bytes, group) in states.chunks_exact(states.len() / SEGMENTS).zip(cut.groups()) {
                assert_eq!(bytes, arrays.pick(group).state().to_bytes(), "{what}");
            }
            // All at once leaves one part with the same digits.
            assert_eq!(leave.reduce(&Cut::whole(len).at(1), &arrays), arrays.state().to_bytes(), "{what}");
            let buffer = buffer(gpu(), &states, wgpu::BufferUsages::STORAGE);
            for (bench, count) in [(&finish, None), (&join, Some(len))] {
                let parts = bench.reducer.of(Slice::new(&buffer, 0, states.len() as u64));
                let got = bench.results(&reduce(gpu(), &parts));
                assert_eq!(got, [(arrays.expected(), count)], "{what} on the GPU");
            }
        }
    }
}

/// Elements and their masks begin anywhere.
#[test]
fn masked_sums_of_every_type() {
    for element in [Element::F16, Element::F32, Element::F64] {
        let (case, size) = ((Op::Sum, element), element.size() as usize);
        let masked = Op::Sum.over(element).unwrap().masked().unwrap();
        let reducer = exact().on(&gpu().device, &masked).unwrap();
        let cuts = [Cut::whole(1000), Cut::segments(30, 300), Cut::axis([2, 70, 37]), Cut::whole(999)];
        for (cut, at) in cuts.into_iter().zip([[1, 4], [3, 0], [0, 2], [2, 2]]) {
            let cut = cut.at_both(at);
            let arrays = Arrays::new(case, Hard::Patterns, &cut, 5);
            let mask = |byte| u8::from(byte % size == 0 && byte / size % 3 > 0);
            let mask: Vec<u8> = (0..cut.len * size).map(mask).collect();
            let found = cut.hold(gpu(), size, &[&arrays.inputs[0], &mask]).reduce(gpu(), &reducer);
            for (acc, group) in Op::Sum.read(element, &found).into_iter().zip(cut.groups()) {
                let expected = arrays.pick(group.filter(|place| place % 3 > 0)).expected();
                assert_eq!(bits(acc.value().unwrap()), expected, "{element:?} {cut}");
            }
        }
    }
}
