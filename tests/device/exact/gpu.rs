//! The kernels against whole numbers of any length: the same bits on every adapter.

use halofold::reduce::exact::State;
use halofold::reduce::ladder::Rung;
use halofold::reduce::{
    Accuracy, Monoid, Op, Options, Reducer, Reduction, Shape, ShapeKind, Strategy, Tuning,
};
use halofold::{Element, Slice, wgpu};

use super::arrays::{Hard, array};
use super::cpu::{Arrays, SOME, bits, cases_in_turn, finished};
use crate::common::{Gpu, buffer, gpu, in_turn, limited, over, poisoned, run, takes_fewer};

/// Inputs in buffers, a few bytes from their starts.
pub struct Inputs {
    buffers: Vec<wgpu::Buffer>,
    offset: u64,
    bytes: u64,
}

impl Inputs {
    pub fn new(gpu: &Gpu, element: Element, arrays: &[&[u8]], shift: u64) -> Self {
        let offset = shift * element.size();
        let buffers = arrays.iter().map(|bytes| poisoned(gpu, bytes, offset)).collect();
        Inputs { buffers, offset, bytes: arrays[0].len() as u64 }
    }

    pub fn slices(&self) -> Vec<Slice<'_>> {
        self.buffers.iter().map(|buffer| Slice::new(buffer, self.offset, self.bytes)).collect()
    }
}

/// Options of an exact reducer.
pub fn exact(from_states: bool, to_states: bool) -> Options<'static> {
    let options = Options::default().with_accuracy(Accuracy::Exact);
    options.with_from_states(from_states).with_to_states(to_states)
}

/// An exact reducer.
pub fn reducer(gpu: &Gpu, monoid: &Monoid, options: Options<'_>) -> Reducer {
    Reducer::with_options(&gpu.device, monoid.clone(), options).unwrap()
}

/// Runs a reduction twice and returns its output.
pub fn output(gpu: &Gpu, reducer: &Reducer, shape: Shape, inputs: &Inputs) -> Vec<u8> {
    of_reduction(gpu, &over(reducer, &inputs.slices()).shape(shape))
}

/// The same of any reduction.
pub fn of_reduction(gpu: &Gpu, reduction: &Reduction<'_, '_>) -> Vec<u8> {
    let [first, second] = gpu.watched(|| run(gpu, reduction, None)).unwrap();
    assert_eq!(first, second, "two runs");
    first
}

/// Results as bits, all NaNs alike.
pub fn results(op: Op, element: Element, bytes: &[u8]) -> Vec<u64> {
    op.read(element, bytes).into_iter().map(|answer| bits(answer.value().unwrap())).collect()
}

/// One operator over an element type, and its arrays.
#[derive(Clone, Copy)]
pub struct Case {
    pub op: Op,
    pub element: Element,
}

/// Reducers of a case for one form.
pub struct Bench<'a> {
    pub gpu: &'a Gpu,
    pub case: Case,
    pub results: Reducer,
}

impl<'a> Bench<'a> {
    pub fn new(gpu: &'a Gpu, (op, element): (Op, Element)) -> Self {
        let monoid = op.over(element).unwrap();
        Bench { gpu, case: Case { op, element }, results: reducer(gpu, &monoid, exact(false, false)) }
    }

    /// Runs arrays of one length one after the other, each against the oracle.
    pub fn check(&self, shape: Shape, arrays: &Arrays, shift: u64, len: usize, what: &str) {
        let Case { op, element } = self.case;
        let inputs = Inputs::new(self.gpu, element, &arrays.slices(), shift);
        let got = results(op, element, &output(self.gpu, &self.results, shape, &inputs));
        for (number, got) in got.into_iter().enumerate() {
            let wanted = arrays.range(number * len..(number + 1) * len).expected();
            assert_eq!(
                got, wanted,
                "{op} of {element}, {what}, array {number} of {len}: {got:#x} {wanted:#x}"
            );
        }
    }

    /// The same of these first elements, where there is no second input.
    pub fn check_alone(&self, shape: Shape, first: Vec<u8>, shift: u64, len: usize, what: &str) {
        self.check(shape, &self.arrays(first, None), shift, len, what);
    }

    pub fn arrays(&self, first: Vec<u8>, second: Option<Vec<u8>>) -> Arrays {
        let Case { op, element } = self.case;
        Arrays { op, element, first, second }
    }

    pub fn check_whole(&self, hard: Hard, len: usize, seed: u64) {
        let Case { op, element } = self.case;
        let arrays = Arrays::new((op, element), hard, len, seed);
        self.check(Shape::Whole, &arrays, seed % 7, len, &format!("{hard:?}"));
    }

    /// `count` arrays of `len` elements each from one dispatch.
    fn check_segments(&self, hard: Hard, count: usize, len: usize, seed: u64) {
        let Case { op, element } = self.case;
        let arrays = |seed: u64| -> Vec<u8> {
            (0..count as u64).flat_map(|number| array(hard, element, len, seed + 977 * number)).collect()
        };
        let second = (op == Op::Dot).then(|| arrays(seed ^ 0x7777));
        let shape = Shape::Segments { len: len as u64 };
        self.check(shape, &self.arrays(arrays(seed), second), seed % 5, len, &format!("{hard:?}"));
    }
}

#[test]
fn whole_inputs() {
    for case in cases_in_turn(0) {
        let bench = Bench::new(gpu(), case);
        for (number, hard) in Hard::ALL.into_iter().enumerate() {
            for len in in_turn([0, 1, 2, 3, 5, 8, 17, 64, 1000, 4099, 70_001], 2, number) {
                bench.check_whole(hard, len, len as u64 + number as u64);
            }
        }
    }
}

#[test]
fn tens_of_thousands_of_arrays() {
    let mut arrays = 0;
    for case in cases_in_turn(1) {
        let bench = Bench::new(gpu(), case);
        // Sums of 32-bit floats are what most will ask for.
        let count = if case == (Op::Sum, Element::F32) { 700 } else { 60 };
        for (number, hard) in Hard::ALL.into_iter().enumerate() {
            for len in in_turn([1, 2, 3, 4, 5, 8, 13, 34, 77, 300], 3, number) {
                bench.check_segments(hard, count, len, 31 * number as u64 + len as u64);
                arrays += count;
            }
        }
    }
    assert!(arrays >= if takes_fewer() { 9000 } else { 30_000 }, "{arrays}");
}

#[test]
fn long_segments_are_cut_into_states() {
    for case in [(Op::Sum, Element::F32), (Op::Mean, Element::F64), (Op::Dot, Element::F32)] {
        let bench = Bench::new(gpu(), case);
        for hard in [Hard::Patterns, Hard::Mixed, Hard::Special, Hard::MinusZeros] {
            bench.check_segments(hard, 2, 50_003, 3);
        }
    }
}

#[test]
fn windows_split_anywhere() {
    let small = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    for case in in_turn(SOME, 2, 1) {
        let bench = Bench::new(&small, case);
        // Sorted data choose another window in each binding.
        for hard in [Hard::Patterns, Hard::Sorted, Hard::Uniform, Hard::Special, Hard::Cancelling] {
            for len in [16_383, 16_385, 40_000, 100_003] {
                bench.check_whole(hard, len, 11);
            }
        }
        for hard in [Hard::Patterns, Hard::Mixed, Hard::MinusZeros] {
            bench.check_segments(hard, 3, 30_011, 9);
            bench.check_segments(hard, 500, 77, 9);
        }
    }
}

#[test]
fn states_are_the_references_and_merge() {
    for (op, element) in cases_in_turn(2) {
        let monoid = op.over(element).unwrap();
        let leave = reducer(gpu(), &monoid, exact(false, true));
        let finish = reducer(gpu(), &monoid, exact(true, false));
        let join = reducer(gpu(), &monoid, exact(true, true));
        for hard in [Hard::Patterns, Hard::Special, Hard::MinusZeros, Hard::Uniform] {
            let (count, len) = (70, 33);
            let arrays = Arrays::new((op, element), hard, count * len, 4);
            let inputs = Inputs::new(gpu(), element, &arrays.slices(), 1);
            let states = output(gpu(), &leave, Shape::Segments { len: len as u64 }, &inputs);
            let stride = monoid.exact().unwrap().acc_size() as usize;
            let mut total = None::<State>;
            for (number, bytes) in states.chunks_exact(stride).enumerate() {
                let wanted = arrays.range(number * len..(number + 1) * len).state();
                let got = State::from_bytes(bytes).unwrap();
                assert_eq!(bytes, wanted.to_bytes(), "{op} of {hard:?} {element}, state {number}");
                match &mut total {
                    Some(total) => total.merge(&got).unwrap(),
                    None => total = Some(got),
                }
            }
            let total = total.unwrap();
            let wanted = arrays.expected();
            assert_eq!(finished(op, &total), wanted, "{op} of {hard:?} {element} on the CPU");
            // All at once leaves one part with the same digits.
            let one = output(gpu(), &leave, Shape::Whole, &inputs);
            assert_eq!(one, arrays.state().to_bytes(), "{op} of {hard:?} {element}");
            let buffer = buffer(gpu(), &states, wgpu::BufferUsages::STORAGE);
            let parts = Slice::new(&buffer, 0, states.len() as u64);
            let got = results(op, element, &of_reduction(gpu(), &finish.of(parts)));
            assert_eq!(got, [wanted], "{op} of {hard:?} {element} on the GPU");
            let joined = State::from_bytes(&of_reduction(gpu(), &join.of(parts))).unwrap();
            assert_eq!(finished(op, &joined), wanted, "{op} of {hard:?} {element}, joined");
            assert_eq!(joined.count(), (count * len) as u64);
        }
    }
}

#[test]
fn every_workgroup_size_gives_the_same_bits() {
    let rung = Rung::named("exact").unwrap();
    let limits = gpu().device.limits();
    for case in in_turn([(Op::Sum, Element::F32), (Op::Mean, Element::F64)], 2, 1) {
        let (op, element) = case;
        let monoid = op.over(element).unwrap();
        let mut sizes = 0;
        for (turn, subgroups) in [true, false].into_iter().enumerate() {
            for power in in_turn([0, 3, 6, 8, 10], 2, turn) {
                let tuning = Tuning::of(rung.kernel, &limits, 1 << 22).with_workgroup_size(1 << power);
                let strategy = Strategy::Rung { rung, finish: rung.finishes[0], tuning };
                let options = exact(false, false).with_strategy(strategy).with_subgroups(subgroups);
                if options.check(&monoid, ShapeKind::Whole, gpu().device.features(), &limits).is_err() {
                    continue;
                }
                sizes += 1;
                let bench = Bench {
                    gpu: gpu(),
                    case: Case { op, element },
                    results: reducer(gpu(), &monoid, options),
                };
                for (hard, len) in [(Hard::Patterns, 13), (Hard::Mixed, 5003)] {
                    bench.check_whole(hard, len, 2);
                }
            }
        }
        assert!(sizes >= if takes_fewer() { 3 } else { 4 }, "{op} of {element} ran in {sizes} sizes");
    }
}
