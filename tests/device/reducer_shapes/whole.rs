//! One result of everything, in one launch and in two: in windows, in parts, a stride apart, added up, of a length that the GPU knows.

use halofold::Slice;
use halofold::reduce::{BufferRange, Options, Shape};

use super::scene::{
    GPU, NARROW, Operator, WINDOW, check, elements, in_two, operators, reducer, scattered, sum, ways,
};
use crate::common::{POISON, in_one_pass, poisoned, read};
use crate::cut::Cut;

/// Runs both operators over cuts on both devices, in all ways and with two launches.
fn all(cuts: &[Cut]) {
    for operator in operators() {
        for gpu in [&*GPU, &NARROW] {
            check(gpu, &operator, &with_two_launches(&operator), cuts);
        }
    }
}

fn with_two_launches(operator: &Operator) -> Vec<Options<'static>> {
    ways(&operator.monoid).into_iter().chain([in_two()]).collect()
}

#[test]
fn whole_inputs_in_windows_on_every_adapter() {
    // Two windows a dispatch.
    let lengths = [
        (WINDOW - 8, 1),
        (WINDOW, 1),
        (WINDOW + 1, 1),
        (2 * WINDOW - 3, 1),
        (2 * WINDOW, 1),
        (2 * WINDOW + 1, 2),
        (3 * WINDOW + 7, 2),
        (5 * WINDOW, 3),
    ];
    let sums = reducer(&NARROW, &sum(), ways(&sum())[0]);
    for (len, launches) in lengths {
        let plan = sums.plan(Shape::Whole, &[BufferRange { offset: 0, len: len as u64 }], None).unwrap();
        assert_eq!(plan.launches().len(), launches, "{len}");
    }
    let lengths = lengths.map(|(len, _)| len).into_iter().chain([0, 1, 70_001, 99_999]);
    let cuts: Vec<_> = lengths.flat_map(|len| [0, 1, 7, 64].map(|at| Cut::whole(len).at(at))).collect();
    all(&cuts);
}

#[test]
fn every_stride_on_every_adapter() {
    let mut cuts = Vec::new();
    for stride in [1, 2, 3, 7, 64, 1000, 20_000] {
        for len in [1, 2, 255, 400, 1000, 60_000, 100_003] {
            // The last element has no stride behind it.
            let spanned = (len.min(400_000 / stride).max(1) - 1) * stride + 1;
            cuts.push(Cut::strided(stride, spanned));
        }
    }
    all(&scattered(cuts));
}

/// Also of parts. The second launch is given the shorter length, too: it must not miss a partial for that.
#[test]
fn lengths_known_to_the_gpu_on_every_adapter() {
    let counts = [0, 1, 2, 5, 40, 4096, 16_384, 16_385, 49_999, 50_000, 50_001, 50_002, 77_777];
    let counts = counts.into_iter().chain([100_003, 100_004, 200_003, u32::MAX]);
    let cuts = |count| {
        [
            Cut::whole(100_003).in_parts(&[50_000, 1]).at(3),
            Cut::whole(200_003).at(1),
            Cut::strided(3, 48_000).at(6),
            Cut::strided(3, 200_003).at(1),
        ]
        .map(|cut| cut.counted(count))
    };
    all(&counts.flat_map(cuts).collect::<Vec<_>>());
}

/// The state of a sum is the sum.
#[test]
fn states_on_every_adapter() {
    let [sum, _] = operators();
    let states = [(true, false), (false, true), (true, true)]
        .map(|(from, to)| in_two().with_from_states(from).with_to_states(to));
    for gpu in [&*GPU, &NARROW] {
        check(gpu, &sum, &states, &[Cut::whole(200_003).at(64)]);
    }
}

/// Calls that go on where the one before stopped: other lengths, other buffers, a length from the GPU.
#[test]
fn accumulation_continues_over_any_lengths_and_buffers_on_every_adapter() {
    let adding = |len: usize| Cut::of(Shape::Accumulate, len).in_parts(&[len / 3]).at(2);
    let calls = [
        adding(1),
        adding(1000),
        adding(0),
        adding(100_003),
        adding(70_000).counted(5001),
        adding(70_000).counted(99_999),
    ];
    for gpu in [&*GPU, &NARROW] {
        for options in ways(&sum()) {
            let reducer = reducer(gpu, &sum(), options);
            let mut total = 17u32;
            let result = poisoned(gpu, &total.to_le_bytes(), 256);
            let prepared = calls.each_ref().map(|cut| {
                let data = elements(cut.len);
                let held = cut.hold(gpu, 4, &[bytemuck::cast_slice(&data)]);
                for at in cut.groups().remove(0) {
                    // Twice, as an application would in two frames.
                    total = total.wrapping_add(data[at].wrapping_mul(2));
                }
                let prepared = held.reduction(&reducer).into(Slice::at(&result, 256)).unwrap();
                let plan = prepared.plan();
                assert_eq!((plan.partials(), plan.scratch(), plan.output()), (0, [0; 2], 4));
                prepared
            });
            in_one_pass(gpu, |pass| {
                prepared.iter().flat_map(|one| [one; 2]).for_each(|one| one.encode_in_pass(pass));
            });
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(&read(gpu, &result));
            assert_eq!(words[64], total);
            assert!(words.iter().enumerate().all(|(at, word)| at == 64 || *word == POISON));
        }
    }
}
