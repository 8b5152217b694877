//! Results of several numbers, each number in an array of its own: the words that one array of results holds.

use halofold::reduce::{Arity, Launches, Monoid, Op, Options, ReduceError, Reducer, Reduction};
use halofold::{BufferError, Element, LimitError, Slice};

use super::scene::{GPU, NARROW, buffer, elements, words};
use crate::common::{Gpu, Outputs, in_turn, limited, room, run};

/// The three numbers of a result, of which the last is two words wide in an array of results.
const MOMENTS: &str = "
struct Acc { sum: u32, least: u32, count: u32 }
struct Found { sum: u32, ends: vec2<u32>, n: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, elem ^ index, 1u); }
fn identity() -> Acc { return Acc(0u, 0xffffffffu, 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.sum + b.sum, min(a.least, b.least), a.count + b.count); }
fn finish(acc: Acc, n: u32) -> Found { return Found(acc.sum, vec2(acc.least, acc.count), n); }
";

/// Numbers of two bytes, and one of four.
const HALVES: &str = "
struct Found { low: f16, n: u32, high: f16 }
alias Acc = vec2<u32>;
fn map(elem: Elem, index: u32) -> Acc { return vec2(elem % 1000u, elem / 1000u % 1000u); }
fn identity() -> Acc { return vec2(0u); }
fn combine(a: Acc, b: Acc) -> Acc { return max(a, b); }
fn finish(acc: Acc, n: u32) -> Found { return Found(f16(f32(acc.x)), n, f16(f32(acc.y))); }
";

/// The numbers of a result: offsets and sizes, and bytes from one result to the next.
struct Numbers {
    ranges: &'static [(usize, usize)],
    stride: usize,
}

/// Runs a reduction twice into several outputs among poison, and into one; all hold the same numbers.
fn check(gpu: &Gpu, reduction: &Reduction<'_, '_>, numbers: &Numbers, what: &str) {
    let [together, again] = run(gpu, reduction, None).unwrap();
    assert_eq!(together, again, "{what}");
    let results = reduction.plan().unwrap().results() as usize;
    let outputs = Outputs::new(gpu, numbers.ranges.iter().map(|(_, size)| (results * size) as u64));
    let prepared = reduction.clone().into_each(outputs.slices()).unwrap();
    let found = outputs.run(|encoder| prepared.encode(encoder)).unwrap_or_else(|why| panic!("{what}: {why}"));
    for (found, (offset, size)) in found.into_iter().zip(numbers.ranges) {
        let wanted = together.chunks_exact(numbers.stride);
        let wanted: Vec<u8> = wanted.flat_map(|result| result[*offset..][..*size].to_vec()).collect();
        assert!(found == wanted, "{what}, the number at {offset}");
    }
}

/// Checks every shape of one input.
fn every_shape(gpu: &Gpu, reducer: &Reducer, element: Element, numbers: &Numbers) {
    let size = element.size() as usize / 4;
    let data = elements(30_000 * size);
    let held = buffer(gpu, &data, 3 * size);
    let input = |len: usize| words(&held, 3 * size, len * size);
    let list = buffer(gpu, &[0, 7, 7, 20_000, 29_999, 30_000], 0);
    let counts = buffer(gpu, &[17_000], 0);
    let all = || reducer.of(input(30_000));
    let shapes = [
        ("nothing", reducer.of(input(30_000)).len(0)),
        ("one element", reducer.of(input(1))),
        ("whole", all()),
        ("two parts", reducer.of(input(9000)).chain(input(21_000))),
        ("counted", all().count_buffer(&counts)),
        ("strided", all().strided(7)),
        ("rows", all().segments(10)),
        ("long rows", all().segments(15_000)),
        ("offsets", all().segment_offsets(words(&list, 0, 6))),
        ("columns", all().axis(3, 100, 100)),
    ];
    for (shape, reduction) in shapes {
        check(gpu, &reduction, numbers, &format!("{} of {element}, {shape}", reducer.monoid().name()));
    }
}

#[test]
fn each_number_has_an_array_in_every_shape() {
    let eight = Numbers { ranges: &[(0, 4), (4, 4)], stride: 8 };
    let sixteen = Numbers { ranges: &[(0, 8), (8, 4)], stride: 16 };
    let wide = Numbers { ranges: &[(0, 8), (8, 8)], stride: 16 };
    let moments = Numbers { ranges: &[(0, 4), (8, 4), (12, 4), (16, 4)], stride: 24 };
    let halves = Numbers { ranges: &[(0, 2), (4, 4), (8, 2)], stride: 12 };
    let custom = |name, text| Monoid::custom(name, Element::U32, Arity::One, text).unwrap();
    let known = |op: Op, element| op.over(element).unwrap();
    let cases = [
        (known(Op::ArgMax, Element::F32), Element::F32, &eight),
        (known(Op::MinMax, Element::I32), Element::I32, &eight),
        (known(Op::ArgMin, Element::F64), Element::F64, &sixteen),
        (known(Op::MinMax, Element::F64), Element::F64, &wide),
        (custom("moments", MOMENTS), Element::U32, &moments),
        (custom("halves", HALVES), Element::U32, &halves),
    ];
    for (turn, (monoid, element, numbers)) in in_turn(cases.into_iter().enumerate(), 2, 0) {
        for (nth, gpu) in in_turn([&*GPU, &NARROW].into_iter().enumerate(), 2, turn / 2) {
            if !gpu.device.features().contains(monoid.features()) {
                eprintln!("{}: the adapter lacks {:?}", monoid.name(), monoid.features());
                continue;
            }
            let default = Options::default();
            let all = [default, default.with_subgroups(false), default.with_launches(Launches::Two)];
            for options in in_turn(all, 3, turn + nth) {
                let reducer = Reducer::with_options(&gpu.device, monoid.clone(), options).unwrap();
                every_shape(gpu, &reducer, element, numbers);
            }
        }
    }
}

#[test]
fn one_number_has_one_output() {
    let held = buffer(&GPU, &elements(100), 0);
    let sum = Reducer::new(&GPU.device, Op::Sum.over(Element::U32).unwrap()).unwrap();
    let numbers = Numbers { ranges: &[(0, 4)], stride: 4 };
    check(&GPU, &sum.of(words(&held, 0, 100)).segments(10), &numbers, "sums");
}

#[test]
fn outputs_are_as_many_as_numbers_in_buffers_of_their_own() {
    let gpu = &*GPU;
    let held = buffer(gpu, &elements(1000), 0);
    let [first, second, third] = [(); 3].map(|()| room(gpu, 4096));
    let max = Reducer::new(&gpu.device, Op::ArgMax.over(Element::U32).unwrap()).unwrap();
    let rows = || max.of(words(&held, 0, 1000)).segments(10);
    let refused = |outputs: &[Slice<'_>]| rows().into_each(outputs.iter().copied()).unwrap_err();
    let whole = |buffer| Slice::new(buffer, 0, 4096);
    for given in [&[][..], &[whole(&first)], &[whole(&first), whole(&second), whole(&third)]] {
        let wanted = BufferError::Outputs { given: given.len(), arrays: 2 };
        assert_eq!(refused(given), ReduceError::Buffer(wanted));
    }
    let error = refused(&[Slice::new(&first, 0, 512), Slice::new(&first, 512, 512)]);
    let both = BufferError::Aliased { first: "output", second: "second output" };
    assert_eq!(error, ReduceError::Buffer(both));
    let error = refused(&[whole(&first), Slice::at(&held, 0)]);
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::Aliased { second: "second output", .. })),
        "{error}"
    );
    let error = refused(&[whole(&first), Slice::new(&second, 0, 396)]);
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::TooShort { role: "second output", .. })),
        "{error}"
    );
    let error = refused(&[whole(&first), Slice::new(&second, 4, 4000)]);
    assert!(
        matches!(error, ReduceError::Buffer(BufferError::Offset { role: "second output", .. })),
        "{error}"
    );

    // A state is one array.
    let options = Options::default().with_to_states(true);
    let states = Reducer::with_options(&gpu.device, max.monoid().clone(), options).unwrap();
    let error = states.of(words(&held, 0, 1000)).into_each([&first, &second]).unwrap_err();
    assert_eq!(error, ReduceError::Buffer(BufferError::Outputs { given: 2, arrays: 1 }));
}

#[test]
fn limits_of_several_outputs_are_named() {
    let few = limited(|limits| limits.max_storage_buffers_per_shader_stage = 4);
    let held = buffer(&few, &elements(1000), 0);
    let [first, second] = [(); 2].map(|()| room(&few, 4096));
    let max = Reducer::new(&few.device, Op::ArgMax.over(Element::U32).unwrap()).unwrap();
    let error = max.of(words(&held, 0, 1000)).into_each([&first, &second]).unwrap_err();
    assert!(matches!(error, ReduceError::Limit(LimitError { needed: 5, limit: 4, .. })), "{error}");

    // An array is bound as a whole.
    let held = buffer(&NARROW, &elements(40_000), 0);
    let [first, second] = [(); 2].map(|()| room(&NARROW, 160_000));
    let max = Reducer::new(&NARROW.device, Op::ArgMax.over(Element::U32).unwrap()).unwrap();
    let error = max.of(words(&held, 0, 40_000)).segments(2).into_each([&first, &second]).unwrap_err();
    assert!(error.to_string().contains("max_storage_buffer_binding_size of 80000"), "{error}");
}
