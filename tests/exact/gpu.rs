//! The kernels against whole numbers of any length: the same bits on every adapter.

use halofold::reduce::{Accuracy, Form, Input, Monoid, Op, Options, Reducer, Shape, Source, Workspace};
use halofold::{Element, wgpu};

use crate::arrays::{Hard, array};
use crate::common::{Gpu, alone, gpu, one, poisoned, run};
use crate::cpu::{CASES, bits, second};
use crate::oracle::expected;

/// Inputs in buffers, a few bytes from their starts.
pub struct Inputs {
    buffers: Vec<wgpu::Buffer>,
    offset: u64,
    len: u64,
}

impl Inputs {
    pub fn new(gpu: &Gpu, element: Element, arrays: &[&[u8]], shift: u64) -> Self {
        let offset = shift * element.size();
        let buffers = arrays.iter().map(|bytes| poisoned(gpu, bytes, offset)).collect();
        Inputs { buffers, offset, len: arrays[0].len() as u64 / element.size() }
    }

    fn input(&self, number: usize) -> Option<Input<'_>> {
        let buffer = self.buffers.get(number)?;
        Some(Input { buffer, offset: self.offset, len: self.len })
    }
}

/// Options of an exact reducer.
pub fn exact(from_states: bool, to_states: bool) -> Options<'static> {
    let mut options = Options::default();
    options.accuracy = Accuracy::Exact;
    (options.from_states, options.to_states) = (from_states, to_states);
    options
}

/// An exact reducer.
pub fn reducer(gpu: &Gpu, monoid: &Monoid, form: Form, options: Options<'_>) -> Reducer {
    gpu.watched(|| Ok(Reducer::with_options(&gpu.device, monoid.clone(), form, options).unwrap())).unwrap()
}

/// Runs a reduction twice and answers its output.
pub fn output(gpu: &Gpu, reducer: &Reducer, shape: Shape, inputs: &Inputs) -> Vec<u8> {
    let first = [inputs.input(0).unwrap()];
    of_source(gpu, reducer, shape, one(&first, inputs.input(1)))
}

/// The same of any source.
pub fn of_source(gpu: &Gpu, reducer: &Reducer, shape: Shape, source: Source<'_>) -> Vec<u8> {
    let plan = reducer.plan_of(&source, shape).unwrap();
    let workspace = Workspace::new(&gpu.device, &plan);
    let result = gpu.watched(|| run(gpu, reducer, (shape, source), &plan, &workspace, None));
    let [first, second] = result.unwrap();
    assert_eq!(first, second, "two runs");
    first
}

/// Results as bits, all NaNs alike.
pub fn results(op: Op, element: Element, bytes: &[u8]) -> Vec<u64> {
    op.read(element, bytes).into_iter().map(|answer| bits(answer.value().unwrap())).collect()
}

/// Everything of one operator and element type, through one reducer for each form.
struct Case {
    op: Op,
    element: Element,
    whole: Reducer,
}

impl Case {
    fn new(gpu: &Gpu, (op, element): (Op, Element)) -> Self {
        let monoid = op.over(element).unwrap();
        Case { op, element, whole: reducer(gpu, &monoid, Form::Whole, exact(false, false)) }
    }

    fn check_whole(&self, gpu: &Gpu, hard: Hard, len: usize, seed: u64) {
        let Case { op, element, .. } = *self;
        let first = array(hard, element, len, seed);
        let second = second(op, hard, element, len, seed);
        let arrays: Vec<&[u8]> = std::iter::once(&first[..]).chain(second.as_deref()).collect();
        let inputs = Inputs::new(gpu, element, &arrays, seed % 7);
        let got = results(op, element, &output(gpu, &self.whole, Shape::Whole, &inputs))[0];
        let wanted = expected(op, element, &first, second.as_deref());
        assert_eq!(got, wanted, "{op} of {len} {hard:?} {element}: {got:#x} {wanted:#x}");
    }
}

#[test]
fn whole_inputs() {
    let _alone = alone();
    for case in CASES {
        let start = std::time::Instant::now();
        let case = Case::new(gpu(), case);
        for (number, hard) in Hard::ALL.into_iter().enumerate() {
            for len in [0, 1, 2, 3, 5, 8, 17, 64, 1000, 4099, 70_001] {
                case.check_whole(gpu(), hard, len, len as u64 + number as u64);
            }
        }
        eprintln!("{} {} {:?}", case.op, case.element, start.elapsed());
    }
}

#[test]
fn debugging() {
    let _alone = alone();
    let monoid = Op::Sum.over(Element::F64).unwrap();
    let to_state = reducer(gpu(), &monoid, Form::Whole, exact(false, true));
    for len in [64, 65, 100, 130, 200, 256, 257, 300, 400, 512, 600, 1000] {
        let first = array(Hard::Patterns, Element::F64, len, 1000);
        let inputs = Inputs::new(gpu(), Element::F64, &[&first], 0);
        let bytes = output(gpu(), &to_state, Shape::Whole, &inputs);
        let words: Vec<i64> = bytemuck::pod_collect_to_vec(&bytes);
        let wanted = crate::cpu::state(Op::Sum, Element::F64, &first, None).words();
        for (i, (a, b)) in words.iter().zip(&wanted).enumerate() {
            if a != b {
                eprintln!("{len}: word {i}: {a:#x} {b:#x} {:#x}", a - b);
            }
        }
    }
}
