//! Every shape, in windows, in parts, in one dispatch and in two, of a length that the GPU knows; and every shape of other elements and operators.

use std::iter::repeat_n;

use halofold::reduce::{Arity, BufferRange, Monoid, Op, Reduce, Shape};
use halofold::{Element, Error, Launches, Slice, WgslError};
use halofold_cases::How;

use super::scene::{
    GPU, NARROW, Operator, SUM, WINDOW, both, check, elements, operators, reducer, scattered, sum, ways,
    with_two_launches,
};
use crate::common::{Data, Kind, POISON, data, gpu, in_one_pass, in_turn, poisoned, read, room, run};
use crate::cut::{Cut, reduce};

/// Nothing in every shape: no result, or the identity.
#[test]
fn nothing_on_every_adapter() {
    let none =
        [Cut::segments(5, 0), Cut::axis([0, 5, 3]), Cut::between(vec![0; 3], 0), Cut::between(vec![0], 0)];
    let cuts = none.into_iter().chain([Cut::strided(5, 0), Cut::whole(0).in_parts(&[0])]);
    check(&[&GPU], &operators(), ways, &scattered(cuts));
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
    let sums = reducer(&NARROW, &sum(), How::default());
    for (len, launches) in lengths {
        let plan = sums.plan(Shape::Whole, &[BufferRange { offset: 0, len: len as u64 }], None).unwrap();
        assert_eq!(plan.launches().len(), launches, "{len}");
    }
    let lengths = lengths.map(|(len, _)| len).into_iter().chain([0, 1, 70_001, 99_999]);
    let cuts: Vec<_> = lengths.flat_map(|len| [0, 1, 7, 64].map(|at| Cut::whole(len).at(at))).collect();
    check(&both(), &operators(), with_two_launches, &cuts);
}

/// Every operator over every type: the same tree, and so the same bits, also of floats.
#[test]
fn the_bits_of_one_launch() {
    const LEN: usize = 140_001;
    for (turn, &op) in in_turn(Op::ALL.iter().enumerate(), 2, 0) {
        // On a software adapter every second operator meets one type.
        let monoids = Element::ALL.into_iter().filter_map(|element| Some((element, op.over(element).ok()?)));
        let monoids: Vec<_> = monoids.collect();
        let step = monoids.len();
        for (element, monoid) in in_turn(monoids, step, turn) {
            let missing = monoid.features() - gpu().device.features();
            if !missing.is_empty() {
                eprintln!("{op} of {element}: the adapter lacks {missing:?}");
                continue;
            }
            let inputs = if monoid.arity() == Arity::Two { 2 } else { 1 };
            let inputs: Vec<_> = (0..inputs).map(|seed| data(Kind::Random, op, element, LEN, seed)).collect();
            let inputs: Vec<_> = inputs.iter().map(Data::bytes).collect();
            // Compiling takes most of the time.
            let shapes = [Shape::Whole, Shape::Strided { stride: 7 }];
            for shape in &shapes[..if element == Element::F32 { 2 } else { 1 }] {
                let held = Cut::of(*shape, LEN).hold(gpu(), element.size() as usize, &inputs);
                let [one, two] = [Launches::One, Launches::Two].map(|launches| {
                    let reducer = reducer(gpu(), &monoid, How::default().with_launches(launches));
                    let reduction = held.reduction(&reducer);
                    (reduction.plan().unwrap().launches().len(), reduce(gpu(), &reduction))
                });
                assert_eq!([one.0, two.0], [1, 2], "{op} of {element}, {shape:?}");
                assert!(one.1 == two.1, "{op} of {element}, {shape:?}");
            }
        }
    }
    // One workgroup has no others to wait for.
    let reducer = reducer(gpu(), &sum(), How::default().with_launches(Launches::Two));
    let few = reducer.plan(Shape::Whole, &[BufferRange { offset: 0, len: 1000 }], None).unwrap();
    assert_eq!((few.launches().len(), few.scratch(), few.partials()), (1, [0; 2], 0));
}

#[test]
fn every_stride_on_every_adapter() {
    const LENGTHS: [usize; 7] = [1, 2, 255, 400, 1000, 60_000, 100_003];
    let strides = [1, 2, 3, 7, 64, 1000, 20_000];
    let cuts = strides.into_iter().flat_map(|stride| {
        // No stride follows the last element.
        let spanned = move |len: usize| (len.min(400_000 / stride).max(1) - 1) * stride + 1;
        LENGTHS.map(move |len| Cut::strided(stride, spanned(len)))
    });
    check(&both(), &operators(), with_two_launches, &scattered(cuts));
}

/// Also of parts. The second dispatch is given the shorter length, too: it must not miss a partial for that.
#[test]
fn lengths_known_to_the_gpu_on_every_adapter() {
    let counts = [0, 1, 2, 5, 40, 4096, 16_384, 16_385, 49_999, 50_000, 50_001, 50_002, 77_777];
    let counts = counts.into_iter().chain([100_003, 100_004, 200_003, u32::MAX]);
    let cuts = [
        Cut::whole(100_003).in_parts(&[50_000, 1]).at(3),
        Cut::whole(200_003).at(1),
        Cut::strided(3, 48_000).at(6),
        Cut::strided(3, 200_003).at(1),
    ];
    let cuts = counts.flat_map(|count| cuts.clone().map(|cut| cut.counted(count)));
    check(&both(), &operators(), with_two_launches, &cuts.collect::<Vec<_>>());
}

/// The state of a sum is the sum.
#[test]
fn states_on_every_adapter() {
    let how = |monoid: &Monoid| {
        let two = with_two_launches(monoid)[2];
        let states = [(true, false), (false, true), (true, true)];
        states.map(|(from, to)| two.with_from_states(from).with_to_states(to)).to_vec()
    };
    check(&both(), &operators()[..1], how, &[Cut::whole(200_003).at(64)]);
}

/// Calls that go on where the one before stopped: other lengths, other buffers, a length from the GPU.
#[test]
fn accumulation_continues_over_any_lengths_and_buffers_on_every_adapter() {
    let adding = |len: usize| Cut::of(Shape::Accumulate, len).in_parts(&[len / 3]).at(2);
    let calls = [1, 1000, 0, 100_003].map(adding).into_iter();
    let counted = [5001, 99_999].map(|count| adding(70_000).counted(count));
    let calls: Vec<_> = calls.chain(counted).collect();
    for gpu in both() {
        for how in ways(&sum()) {
            let reducer = reducer(gpu, &sum(), how);
            let mut total = 17u32;
            let result = poisoned(gpu, &total.to_le_bytes(), 256);
            let prepared = calls.iter().map(|cut| {
                let data = elements(cut.len);
                let held = cut.hold(gpu, 4, &[bytemuck::cast_slice(&data)]);
                // Twice, as an application would in two frames.
                let twice = cut.groups().remove(0).map(|at| data[at].wrapping_mul(2));
                total = twice.fold(total, u32::wrapping_add);
                let reduction = held.reduction(&reducer);
                let plan = reduction.plan().unwrap();
                let prepared = reduction.bind(Slice::at(&result, 256)).unwrap();
                // A count on the GPU is read by a dispatch of its own.
                let first = usize::from(cut.count.is_some());
                assert_eq!(prepared.dispatches(), first + plan.launches().len());
                assert_eq!((plan.partials(), plan.scratch(), plan.output()), (0, [0; 2], 4));
                prepared
            });
            let prepared: Vec<_> = prepared.collect();
            in_one_pass(gpu, |pass| {
                prepared.iter().flat_map(|one| [one; 2]).for_each(|one| one.encode_in_pass(pass));
            });
            let words: Vec<u32> = bytemuck::pod_collect_to_vec(&read(gpu, &result));
            assert_eq!(words[64], total);
            assert!(words.iter().enumerate().all(|(at, word)| at == 64 || *word == POISON));
        }
    }
}

const LENGTHS: [usize; 19] =
    [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4096, 16_385, 40_000, 100_003];

#[test]
fn segments_on_every_adapter() {
    let counts = |len: usize| [1, 3, 300_000usize.div_ceil(len).min(70_000)];
    let all = LENGTHS.into_iter().flat_map(|len| counts(len).map(|count| Cut::segments(len, count)));
    check(&[&GPU], &operators(), ways, &scattered(all));
    let windows = [(1, 70_000), (3, 20_000), (257, 300), (5000, 40), (100_003, 3), (1 << 17, 2)];
    let windows = windows.map(|(len, count)| Cut::segments(len, count));
    check(&[&NARROW], &operators(), ways, &scattered(windows));
}

#[test]
fn axes_on_every_adapter() {
    let inner = [1, 2, 3, 4, 5, 8, 31, 32, 33, 64, 65, 100, 256, 257, 1000];
    let sizes = inner.into_iter().flat_map(|inner| {
        let outer =
            move |len: usize| [1, (40_000 / (len * inner)).clamp(2, 1000)].map(|outer| [outer, len, inner]);
        [1, 2, 3, 16, 17, 64, 255, 1000].into_iter().flat_map(outer).chain([[1, 200_000 / inner, inner]])
    });
    let others = [[2, 1, 30_000], [1, 3, 70_000], [5000, 2, 2], [1, 100_003, 3]];
    check(&[&GPU], &operators(), ways, &scattered(others.into_iter().chain(sizes).map(Cut::axis)));
    let windows = [[1, 50_000, 3], [1, 1000, 257], [7, 100, 100], [300, 5, 65], [2, 30, 1900], [1, 40, 2000]];
    check(&[&NARROW], &operators(), ways, &scattered(windows.map(Cut::axis)));
    // A row of wide accumulators would be more than a binding holds.
    let windows = [[2, 30, 4000], [1, 5, 5000], [1, 40, 4100]];
    check(&[&NARROW], &operators()[..1], ways, &scattered(windows.map(Cut::axis)));
}

/// Over 100 003 … 300 000 elements.
#[test]
fn segments_between_offsets() {
    let regimes = LENGTHS.iter().flat_map(|len| [*len, 0, 1]).collect::<Vec<_>>();
    let long_among_short = repeat_n(10, 5000).chain([120_000]).chain(repeat_n(7, 5000));
    let lists = [
        Cut::of_lengths(0, [], 0),
        Cut::of_lengths(0, [0], 0),
        Cut::of_lengths(0, [1], 0),
        Cut::of_lengths(0, [100_003], 0),
        Cut::of_lengths(0, repeat_n(0, 1000), 0),
        Cut::of_lengths(50_000, [5, 70_000, 0, 3], 79_992),
        Cut::of_lengths(40_000, repeat_n(0, 10), 60_000),
        Cut::of_lengths(0, regimes.iter().copied(), 0),
        Cut::of_lengths(0, regimes.iter().rev().copied(), 0),
        Cut::of_lengths(0, long_among_short, 0),
        Cut::of_lengths(0, [120_000].into_iter().chain(repeat_n(3, 20_000)), 0),
        Cut::of_lengths(0, repeat_n(1, 70_000).chain([90_000]), 0),
        // As long as tiles, and a little more or less.
        Cut::of_lengths(0, [16_384, 16_384, 16_385, 16_383, 1, 32_768, 32_769, 16_384], 0),
        Cut::of_lengths(0, repeat_n(2000, 100), 0),
        Cut::of_lengths(0, repeat_n(256, 1000), 0),
    ];
    check(&both(), &operators(), ways, &scattered(lists));
}

/// Offsets that make no sense must not lead anywhere: what is summed is at most the input, and nothing else is written.
#[test]
fn offsets_that_do_not_ascend() {
    // Ones among poison: whatever is read from elsewhere gives a sum that no ones give.
    const LEN: u32 = 100_000;
    let ones = vec![1u32; LEN as usize];
    let lists = [
        vec![u32::MAX, 0, u32::MAX, 5],
        vec![0, u32::MAX, u32::MAX],
        vec![LEN, LEN / 2, 0],
        elements(3000),
        (0..3000).map(|i| (i * 7919) % LEN).collect(),
    ];
    for (gpu, how) in both().into_iter().flat_map(|gpu| ways(&sum()).into_iter().map(move |way| (gpu, way))) {
        let reducer = reducer(gpu, &sum(), how);
        for list in lists.clone() {
            let held = Cut::between(list, ones.len()).at(1).hold(gpu, 4, &[bytemuck::cast_slice(&ones)]);
            for bytes in run(gpu, &held.reduction(&reducer), None).unwrap() {
                let got: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
                assert!(got.iter().all(|sum| *sum <= LEN || *sum == POISON), "{got:?}");
            }
        }
    }
}

/// Two inputs, each from a place of its own on: a wrong partner or a wrong position shows.
#[test]
fn two_inputs_in_every_shape() {
    let map = "fn map(first: Elem, second: Elem, index: u32) -> Acc { return first * second + index; }";
    let monoid = Monoid::custom("weighted", Element::U32, Arity::Two, &format!("{SUM}{map}")).unwrap();
    let operator = Operator::sum_of(monoid, |[a, b], index| a[0].wrapping_mul(b[0]).wrapping_add(index));
    let places = [[0, 0], [1, 5], [3, 2], [0, 63]];
    let cuts = Cut::every().into_iter().flat_map(|cut| places.map(|at| cut.clone().at_both(at)));
    check(&both(), &[operator], ways, &cuts.collect::<Vec<_>>());
}

/// Types of an element, bytes from one to the next, and words that count, in order: a wrong word shows.
const TYPES: [(&str, u64, &[&str]); 4] = [
    ("struct Elem { x: u32, y: u32, z: u32 }", 12, &["x", "y", "z"]),
    ("alias Elem = vec3<u32>;", 16, &["x", "y", "z"]),
    ("alias Elem = vec2<u32>;", 8, &["x", "y"]),
    (
        "struct Elem { xyz: vec3<u32>, w: u32, more: vec3<u32> }",
        32,
        &["xyz.x", "xyz.y", "xyz.z", "w", "more.x", "more.y", "more.z"],
    ),
];

/// An operator over elements of the type that this text declares.
fn over(declaration: &str, stride: u64, arity: Arity, map: &str) -> Result<Monoid, Error> {
    let elements = if arity == Arity::One { "elem: Elem" } else { "a: Elem, b: Elem" };
    let map = format!("fn map({elements}, index: u32) -> Acc {{ return {map} + index; }}");
    Monoid::custom_struct("weighted", stride, arity, &format!("{declaration}\n{SUM}{map}"))
}

#[test]
fn structs_in_every_shape() {
    let cuts: Vec<_> = Cut::every().into_iter().flat_map(|cut| [cut.clone(), cut.at(5)]).collect();
    let only = |_: &Monoid| vec![How::default()];
    for (declaration, stride, members) in TYPES {
        let powers = (0..members.len() as u32).map(|power| 3u32.pow(power));
        let terms = members.iter().zip(powers.clone()).map(|(name, power)| format!("{power}u * elem.{name}"));
        let terms = terms.collect::<Vec<_>>().join(" + ");
        let monoid = over(declaration, stride, Arity::One, &terms).unwrap();
        assert_eq!((monoid.element(), monoid.stride()), (None, stride));
        let operator = Operator::sum_of(monoid, move |[words, _], index| {
            words
                .iter()
                .zip(powers.clone())
                .fold(index, |sum, (x, power)| sum.wrapping_add(x.wrapping_mul(power)))
        });
        check(&both(), &[operator], only, &cuts);
    }
    let monoid = over(TYPES[0].0, 12, Arity::Two, "a.x * b.z + a.y * b.y").unwrap();
    let pairs = Operator::sum_of(monoid, |[a, b], index| {
        a[0].wrapping_mul(b[2]).wrapping_add(a[1].wrapping_mul(b[1])).wrapping_add(index)
    });
    check(&both(), &[pairs], only, &[Cut::whole(30_000).at_both([1, 5])]);
}

#[test]
fn strides_are_those_of_wgsl() {
    let made = |stride, declaration| over(declaration, stride, Arity::One, "0u");
    assert_eq!(made(12, TYPES[1].0).unwrap_err(), Error::Wgsl(WgslError::Stride { wgsl: 16, said: 12 }));
    assert_eq!(made(28, TYPES[3].0).unwrap_err(), Error::Wgsl(WgslError::Stride { wgsl: 32, said: 28 }));
    assert!(made(4, "").unwrap_err().to_string().contains("Elem"));
    // A slice that starts inside an element.
    let reducer = GPU.compile(Reduce::new(made(12, TYPES[0].0).unwrap()));
    let (held, result) = (poisoned(&GPU, &[0; 120], 0), room(&GPU, 4));
    let error = reducer.of(Slice::new(&held, 4, 24)).shape(Shape::Whole).bind(&result).unwrap_err();
    assert!(error.to_string().contains("12 bytes"), "{error}");
}
