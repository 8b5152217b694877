//! The finish in two launches: of windows, strides, counts, states and every operator, with the bits that one launch gives.

use halofold::reduce::plan::{Launch, Src};
use halofold::reduce::{Arity, Launches, Monoid, Op, Options, Plan, Reducer, Shape};
use halofold::{Element, Slice};

use super::scene::{GPU, NARROW, buffer, cases, check, compare, elements, run, words};
use crate::common::{self, Gpu, Kind, data, gpu, in_turn, over, poisoned};

/// Bytes of a binding of the narrow device, in elements.
const WINDOW: usize = (64 << 10) / 4;

fn reducer(gpu: &Gpu, monoid: &Monoid, launches: Launches) -> Reducer {
    Reducer::with_options(&gpu.device, monoid.clone(), Options::default().with_launches(launches)).unwrap()
}

fn in_two(gpu: &Gpu, monoid: &Monoid) -> [Reducer; 1] {
    [reducer(gpu, monoid, Launches::Two)]
}

/// Launches over elements, and launches over partials.
fn launches(plan: &Plan) -> (usize, usize) {
    let is_over_partials = |launch: &&Launch| matches!(launch.src, Src::Scratch(..));
    let over_partials = plan.launches().iter().filter(is_over_partials).count();
    (plan.launches().len() - over_partials, over_partials)
}

#[test]
fn one_launch_is_what_adapters_start_with() {
    let sum = Op::Sum.over(Element::U32).unwrap();
    let data = buffer(&GPU, &elements(100_000), 0);
    let of = |choice| launches(&reducer(&GPU, &sum, choice).of(&data).plan().unwrap());
    // No adapter is known on which it fails.
    assert_eq!(of(Launches::ByAdapter), (1, 0));
    assert_eq!(of(Launches::One), (1, 0));
    assert_eq!(of(Launches::Two), (1, 1));
    // One workgroup has no others to wait for.
    let few = in_two(&GPU, &sum)[0].of(words(&data, 0, 1000)).plan().unwrap();
    assert_eq!((launches(&few), few.scratch(), few.partials()), ((1, 0), [0; 2], 0));
}

#[test]
fn windows_and_a_launch_over_their_partials() {
    for case in cases() {
        for (gpu, lengths) in [(&*GPU, &[0, 1, 70_001][..]), (&NARROW, &[WINDOW + 1, 2 * WINDOW + 1, 99_999])]
        {
            let ways = in_two(gpu, &case.monoid);
            for &len in lengths {
                let data = elements(len);
                let want = (case.model)(&mut data.iter().copied());
                for offset in [0, 7] {
                    check(gpu, &ways, Shape::Whole, &data, offset, &want);
                }
            }
        }
    }
}

#[test]
fn strides() {
    for case in cases() {
        for gpu in [&*GPU, &NARROW] {
            let ways = in_two(gpu, &case.monoid);
            for (stride, len) in [(1, 50_003), (3, 20_000), (1000, 400)] {
                let data = elements((len - 1) * stride + 1);
                let want = (case.model)(&mut data.iter().copied().step_by(stride));
                check(gpu, &ways, Shape::Strided { stride: stride as u64 }, &data, 5, &want);
            }
        }
    }
}

/// The second launch is given the shorter length, too: it must not miss a partial for that.
#[test]
fn lengths_known_to_the_gpu() {
    for gpu in [&*GPU, &NARROW] {
        for case in cases() {
            let data = elements(200_003);
            let held = buffer(gpu, &data, 1);
            let [reducer] = in_two(gpu, &case.monoid);
            for count in [0, 1, 2, 5, 40, 4_096, 16_384, 16_385, 77_777, 200_003, u32::MAX] {
                let counts = buffer(gpu, &[count], 67);
                let place = words(&counts, 67, 1);
                let taken = data.len().min(count as usize);
                let want = (case.model)(&mut data[..taken].iter().copied());
                let whole = reducer.of(words(&held, 1, data.len()));
                let got = run(gpu, &whole.clone().count_buffer(place));
                compare(&got, &want, &format!("{} of {count}", reducer.monoid().name()));
                let want = (case.model)(&mut data.iter().copied().step_by(3).take(count as usize));
                let got = run(gpu, &whole.strided(3).count_buffer(place));
                compare(&got, &want, &format!("{} of {count} strides", reducer.monoid().name()));
            }
        }
    }
}

#[test]
fn states() {
    let sum = Op::Sum.over(Element::U32).unwrap();
    let data = elements(200_003);
    let want = data.iter().fold(0, |sum: u32, state| sum.wrapping_add(*state));
    for gpu in [&*GPU, &NARROW] {
        let held = buffer(gpu, &data, 64);
        for (from_states, to_states) in [(true, false), (false, true), (true, true)] {
            let options = Options::default().with_from_states(from_states).with_to_states(to_states);
            let options = options.with_launches(Launches::Two);
            let reducer = Reducer::with_options(&gpu.device, sum.clone(), options).unwrap();
            compare(&run(gpu, &reducer.of(words(&held, 64, data.len()))), &[want], "states");
        }
    }
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
            let held: Vec<_> = (0..inputs)
                .map(|seed| poisoned(gpu(), data(Kind::Random, op, element, LEN, seed).bytes(), 0))
                .collect();
            let size = LEN as u64 * element.size();
            let slices: Vec<_> = held.iter().map(|buffer| Slice::new(buffer, 0, size)).collect();
            // Compiling takes most of the time.
            let shapes = [Shape::Whole, Shape::Strided { stride: 7 }];
            for shape in &shapes[..if element == Element::F32 { 2 } else { 1 }] {
                let [one, two] = [Launches::One, Launches::Two].map(|launches| {
                    let reducer = reducer(gpu(), &monoid, launches);
                    let reduction = over(&reducer, &slices).shape(*shape);
                    let count = reduction.plan().unwrap().launches().len();
                    let [first, second] = common::run(gpu(), &reduction, None).unwrap();
                    assert!(first == second, "{op} of {element}, {shape:?}, {launches:?}: two runs differ");
                    (count, first)
                });
                assert_eq!((one.0, two.0), (1, 2), "{op} of {element}, {shape:?}");
                assert_eq!(one.1, two.1, "{op} of {element}, {shape:?}");
            }
        }
    }
}
