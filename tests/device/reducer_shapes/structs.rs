//! Elements of a type that the operator declares: structs and vectors, in every shape.

use halofold::Slice;
use halofold::reduce::{Arity, Monoid, MonoidError, Reducer, Shape};

use super::scene::{GPU, NARROW, buffer, compare, elements, groups, run, words};
use crate::common::{Gpu, shaped};

/// The weighted sum of an element's words, with its position: a wrong word, element or position shows.
const SUM: &str = "
alias Acc = u32;
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> u32 { return acc + n; }
";

/// Types of an element, their words in a buffer, and which of them count.
const TYPES: [(&str, usize, &[usize]); 4] = [
    ("struct Elem { x: u32, y: u32, z: u32 }", 3, &[0, 1, 2]),
    ("alias Elem = vec3<u32>;", 4, &[0, 1, 2]),
    ("alias Elem = vec2<u32>;", 2, &[0, 1]),
    ("struct Elem { xyz: vec3<u32>, w: u32, more: vec3<u32> }", 8, &[0, 1, 2, 3, 4, 5, 6]),
];

/// The body of `map` for each.
const MAPS: [&str; 4] = [
    "elem.x + 3u * elem.y + 9u * elem.z",
    "elem.x + 3u * elem.y + 9u * elem.z",
    "elem.x + 3u * elem.y",
    "elem.xyz.x + 3u * elem.xyz.y + 9u * elem.xyz.z + 27u * elem.w
        + 81u * elem.more.x + 243u * elem.more.y + 729u * elem.more.z",
];

const LEN: usize = 30_000;

#[test]
fn structs_in_every_shape() {
    for gpu in [&*GPU, &NARROW] {
        for ((declaration, stride, used), map) in TYPES.into_iter().zip(MAPS) {
            let text = format!(
                "{declaration}\n{SUM}fn map(elem: Elem, index: u32) -> Acc {{ return {map} + index; }}"
            );
            let monoid = Monoid::custom_struct("weighted", 4 * stride as u64, Arity::One, &text).unwrap();
            assert_eq!((monoid.element(), monoid.stride()), (None, 4 * stride as u64));
            let reducer = Reducer::new(&gpu.device, monoid).unwrap();
            for first in [0, 5] {
                check(gpu, &reducer, stride, used, first);
            }
        }
    }
}

/// Reduces elements from number `first` of a buffer on, in every shape.
fn check(gpu: &Gpu, reducer: &Reducer, stride: usize, used: &[usize], first: usize) {
    let data = elements(stride * LEN);
    let held = buffer(gpu, &data, stride * first);
    let list = [0u32, 7, 7, 20_000, 29_999, 30_000];
    let positions = buffer(gpu, &list, 0);
    let value = |number: usize| {
        let terms = used
            .iter()
            .zip(0..)
            .map(|(&word, power)| data[number * stride + word].wrapping_mul(3u32.pow(power)));
        terms.fold(0, u32::wrapping_add)
    };
    let sum = |numbers: &Vec<usize>| {
        let values = numbers.iter().zip(0u32..).map(|(&number, index)| value(number).wrapping_add(index));
        values.fold(numbers.len() as u32, u32::wrapping_add)
    };
    for shape in [
        Shape::Whole,
        Shape::Strided { stride: 7 },
        Shape::Segments { len: 10 },
        Shape::Segments { len: 15_000 },
        Shape::Offsets { count: 5 },
        Shape::Axis { outer: 3, len: 100, inner: 100 },
    ] {
        let want: Vec<u32> = groups(shape, LEN, &list).iter().map(sum).collect();
        let all = reducer.of(words(&held, stride * first, stride * LEN));
        let all = shaped(all, shape, words(&positions, 0, list.len()));
        compare(&run(gpu, &all), &want, &format!("{shape:?} of {stride} words + {first}"));
    }
}

#[test]
fn pairs_of_structs() {
    let text = format!(
        "struct Elem {{ x: u32, y: u32, z: u32 }}\n{SUM}\
         fn map(a: Elem, b: Elem, index: u32) -> Acc {{ return a.x * b.z + a.y * b.y + index; }}"
    );
    let monoid = Monoid::custom_struct("crossed", 12, Arity::Two, &text).unwrap();
    for gpu in [&*GPU, &NARROW] {
        let reducer = Reducer::new(&gpu.device, monoid.clone()).unwrap();
        let data = elements(6 * LEN);
        let (a, b) = data.split_at(3 * LEN);
        let (first, second) = (buffer(gpu, a, 3), buffer(gpu, b, 15));
        let terms = a.chunks(3).zip(b.chunks(3)).zip(0..).map(|((a, b), index)| {
            a[0].wrapping_mul(b[2]).wrapping_add(a[1].wrapping_mul(b[1])).wrapping_add(index)
        });
        let want = terms.fold(LEN as u32, u32::wrapping_add);
        let both = reducer.of(words(&first, 3, 3 * LEN)).with(words(&second, 15, 3 * LEN));
        compare(&run(gpu, &both), &[want], "pairs");
    }
}

#[test]
fn strides_are_those_of_wgsl() {
    let quartet = "fn map(elem: Elem, index: u32) -> Acc { return 0u; }";
    let text = |declaration: &str| format!("{declaration}\n{SUM}{quartet}");
    let made =
        |stride, declaration: &str| Monoid::custom_struct("odd", stride, Arity::One, &text(declaration));
    assert_eq!(made(12, TYPES[1].0).unwrap_err(), MonoidError::Stride { wgsl: 16, said: 12 });
    assert_eq!(made(28, TYPES[3].0).unwrap_err(), MonoidError::Stride { wgsl: 32, said: 28 });
    assert!(made(4, "").unwrap_err().to_string().contains("Elem"));
    // A slice that starts inside an element.
    let reducer = Reducer::new(&GPU.device, made(12, TYPES[0].0).unwrap()).unwrap();
    let (held, result) = (buffer(&GPU, &elements(30), 0), buffer(&GPU, &[0], 0));
    let error = reducer.of(Slice::new(&held, 4, 24)).into(&result).unwrap_err();
    assert!(error.to_string().contains("12 bytes"), "{error}");
}
