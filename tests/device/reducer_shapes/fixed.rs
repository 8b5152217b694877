//! Segments of one length, segments between offsets, columns: shapes of many results. And every shape of other elements and operators.

use std::iter::repeat_n;

use halofold::reduce::{Arity, BufferRange, Monoid, MonoidError, Reducer, Shape, Workspace};
use halofold::{Element, Slice};

use super::scene::{
    GPU, NARROW, Operator, SUM, check, compare, elements, operators, reducer, scattered, sum, ways,
};
use crate::common::{Gpu, POISON, in_turn, poisoned, room, run};
use crate::cut::{Cut, reduce};

/// Runs both operators over cuts.
fn both(gpu: &Gpu, cuts: impl IntoIterator<Item = Cut>) {
    let cuts = scattered(cuts);
    for operator in operators() {
        check(gpu, &operator, &ways(&operator.monoid), &cuts);
    }
}

/// Nothing in every shape: no result, or the identity.
#[test]
fn nothing_on_every_adapter() {
    let cuts =
        [Cut::segments(5, 0), Cut::axis([0, 5, 3]), Cut::between(vec![0; 3], 0), Cut::between(vec![0], 0)];
    both(&GPU, cuts.into_iter().chain([Cut::strided(5, 0), Cut::whole(0).in_parts(&[0])]));
}

const LENGTHS: [usize; 19] =
    [1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4096, 16_385, 40_000, 100_003];

#[test]
fn segments_on_every_adapter() {
    let counts = |len: usize| [1, 3, 300_000usize.div_ceil(len).min(70_000)];
    both(&GPU, LENGTHS.into_iter().flat_map(|len| counts(len).map(|count| Cut::segments(len, count))));
    let windows = [(1, 70_000), (3, 20_000), (257, 300), (5000, 40), (100_003, 3), (1 << 17, 2)];
    both(&NARROW, windows.map(|(len, count)| Cut::segments(len, count)));
}

#[test]
fn axes_on_every_adapter() {
    let mut sizes = vec![[2, 1, 30_000], [1, 3, 70_000], [5000, 2, 2], [1, 100_003, 3]];
    for inner in [1, 2, 3, 4, 5, 8, 31, 32, 33, 64, 65, 100, 256, 257, 1000] {
        for len in [1, 2, 3, 16, 17, 64, 255, 1000] {
            sizes.push([1, len, inner]);
            sizes.push([(40_000 / (len * inner)).clamp(2, 1000), len, inner]);
        }
        sizes.push([1, 200_000 / inner, inner]);
    }
    both(&GPU, sizes.into_iter().map(Cut::axis));
    let windows = [
        [1, 50_000, 3],
        [1, 1000, 257],
        [7, 100, 100],
        [300, 5, 65],
        [2, 30, 4000],
        [1, 5, 5000],
        [1, 40, 4100],
    ];
    both(&NARROW, windows.map(Cut::axis));
}

/// Lists of offsets over 100 003 … 300 000 elements.
fn lists() -> Vec<Cut> {
    let regimes = LENGTHS.iter().flat_map(|len| [*len, 0, 1]).collect::<Vec<_>>();
    let long_among_short = repeat_n(10, 5000).chain([120_000]).chain(repeat_n(7, 5000));
    vec![
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
    ]
}

/// One workspace for all lists, with what the list before has left there.
#[test]
fn segments_between_offsets() {
    let lists = scattered(lists());
    for (turn, gpu) in [&*GPU, &NARROW].into_iter().enumerate() {
        for operator in in_turn(operators(), 2, turn) {
            for options in ways(&operator.monoid) {
                let reducer = reducer(gpu, &operator.monoid, options);
                let planned = |cut: &Cut| {
                    let extent = BufferRange { offset: 12, len: cut.len as u64 };
                    reducer.plan(cut.shape, &[extent], None).unwrap()
                };
                let space = Workspace::for_plans(&gpu.device, &lists.iter().map(planned).collect::<Vec<_>>());
                for cut in &lists {
                    let (held, want) = operator.hold(gpu, cut);
                    let got = reduce(gpu, &held.reduction(&reducer).workspace(&space));
                    compare(&got, &want, format_args!("{} {cut}", operator.monoid.name()));
                }
            }
        }
    }
}

/// Offsets that make no sense must not lead anywhere: what is summed is at most the input, and nothing else is written.
#[test]
fn offsets_that_do_not_ascend() {
    // Ones among poison: whatever is read from elsewhere gives a sum that no ones give.
    const LEN: u32 = 100_000;
    let ones = vec![1u32; LEN as usize];
    for gpu in [&*GPU, &NARROW] {
        for options in ways(&sum()) {
            let reducer = reducer(gpu, &sum(), options);
            for list in [
                vec![u32::MAX, 0, u32::MAX, 5],
                vec![0, u32::MAX, u32::MAX],
                vec![LEN, LEN / 2, 0],
                elements(3000),
                (0..3000).map(|i| (i * 7919) % LEN).collect(),
            ] {
                let held = Cut::between(list, ones.len()).at(1).hold(gpu, 4, &[bytemuck::cast_slice(&ones)]);
                for bytes in run(gpu, &held.reduction(&reducer), None).unwrap() {
                    let got: Vec<u32> = bytemuck::pod_collect_to_vec(&bytes);
                    assert!(got.iter().all(|sum| *sum <= LEN || *sum == POISON), "{got:?}");
                }
            }
        }
    }
}

/// Two inputs, each from a place of its own on: a wrong partner or a wrong position shows.
#[test]
fn two_inputs_in_every_shape() {
    let map = "fn map(first: Elem, second: Elem, index: u32) -> Acc { return first * second + index; }";
    let monoid = Monoid::custom("weighted", Element::U32, Arity::Two, &format!("{SUM}{map}")).unwrap();
    let term = |[a, b]: [&[u32]; 2], index| a[0].wrapping_mul(b[0]).wrapping_add(index);
    let operator = Operator::sum_of(monoid, term);
    let places = [[0, 0], [1, 5], [3, 2], [0, 63]];
    let cuts: Vec<_> =
        Cut::every().into_iter().flat_map(|cut| places.map(|at| cut.clone().at_both(at))).collect();
    for gpu in [&*GPU, &NARROW] {
        check(gpu, &operator, &ways(&operator.monoid), &cuts);
    }
}

/// An accumulator with a vector of three among its members, which has a gap behind it, and a result of four words.
#[test]
fn accumulators_with_vectors() {
    const COUNTED: &str = "
struct Acc { key: u32, seen: vec3<i32>, index: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, vec3<i32>(i32(elem & 15u), 1, -1), index); }
fn identity() -> Acc { return Acc(0u, vec3<i32>(), 0xffffffffu); }
fn better(a: Acc, b: Acc) -> bool { return a.key > b.key || (a.key == b.key && a.index < b.index); }
fn combine(a: Acc, b: Acc) -> Acc { var c = b; if better(a, b) { c = a; } c.seen = a.seen + b.seen; return c; }
fn finish(acc: Acc, n: u32) -> vec4<u32> { return vec4<u32>(acc.index, vec2<u32>(acc.seen.xy), u32(-acc.seen.z)); }
";
    let monoid = Monoid::custom("counted", Element::U32, Arity::One, COUNTED).unwrap();
    let operator = Operator::new(monoid, |elements| {
        let part: Vec<u32> = elements.map(|[element, _]| element[0]).collect();
        let largest = (0..part.len()).rev().max_by_key(|&i| part[i]).unwrap() as u32;
        let low = part.iter().map(|element| element & 15).sum();
        vec![largest, low, part.len() as u32, part.len() as u32]
    });
    let cuts = [Cut::whole(200_000), Cut::segments(50_000, 4), Cut::segments(10, 20_000)];
    check(&GPU, &operator, &ways(&operator.monoid), &cuts.map(|cut| cut.at(1)));
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
fn over(declaration: &str, stride: u64, arity: Arity, map: &str) -> Result<Monoid, MonoidError> {
    let elements = if arity == Arity::One { "elem: Elem" } else { "a: Elem, b: Elem" };
    let map = format!("fn map({elements}, index: u32) -> Acc {{ return {map} + index; }}");
    Monoid::custom_struct("weighted", stride, arity, &format!("{declaration}\n{SUM}{map}"))
}

#[test]
fn structs_in_every_shape() {
    let cuts: Vec<_> = Cut::every().into_iter().flat_map(|cut| [cut.clone(), cut.at(5)]).collect();
    for gpu in [&*GPU, &NARROW] {
        for (declaration, stride, members) in TYPES {
            let powers = members.iter().zip(0u32..);
            let terms: Vec<_> =
                powers.map(|(name, power)| format!("{}u * elem.{name}", 3u32.pow(power))).collect();
            let monoid = over(declaration, stride, Arity::One, &terms.join(" + ")).unwrap();
            assert_eq!((monoid.element(), monoid.stride()), (None, stride));
            let operator = Operator::sum_of(monoid, move |[words, _], index| {
                let powers = words.iter().take(members.len()).zip(0u32..);
                let terms = powers.map(|(word, power)| word.wrapping_mul(3u32.pow(power)));
                terms.fold(index, u32::wrapping_add)
            });
            check(gpu, &operator, &ways(&operator.monoid)[..1], &cuts);
        }
        let monoid = over(TYPES[0].0, 12, Arity::Two, "a.x * b.z + a.y * b.y").unwrap();
        let pairs = Operator::sum_of(monoid, |[a, b], index| {
            a[0].wrapping_mul(b[2]).wrapping_add(a[1].wrapping_mul(b[1])).wrapping_add(index)
        });
        check(gpu, &pairs, &ways(&pairs.monoid)[..1], &[Cut::whole(30_000).at_both([1, 5])]);
    }
}

#[test]
fn strides_are_those_of_wgsl() {
    let made = |stride, declaration| over(declaration, stride, Arity::One, "0u");
    assert_eq!(made(12, TYPES[1].0).unwrap_err(), MonoidError::Stride { wgsl: 16, said: 12 });
    assert_eq!(made(28, TYPES[3].0).unwrap_err(), MonoidError::Stride { wgsl: 32, said: 28 });
    assert!(made(4, "").unwrap_err().to_string().contains("Elem"));
    // A slice that starts inside an element.
    let reducer = Reducer::new(&GPU.device, made(12, TYPES[0].0).unwrap()).unwrap();
    let (held, result) = (poisoned(&GPU, &[0; 120], 0), room(&GPU, 4));
    let error = reducer.of(Slice::new(&held, 4, 24)).shape(Shape::Whole).into(&result).unwrap_err();
    assert!(error.to_string().contains("12 bytes"), "{error}");
}
