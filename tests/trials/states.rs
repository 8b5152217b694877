//! States: every operator × element type leaves accumulators, which the GPU and the CPU combine to the result of all elements.
//!
//! One trial per operator and element type. What the adapter cannot run is listed as ignored, with the reason.

use crate::common::{Data, Kind, buffer, data, gpu, over, poisoned, right, run};
use halofold::reduce::reference::{self, Expected};
use halofold::reduce::{Arity, Monoid, Op, Options, Reducer, Reduction, Scalar, Shape};
use halofold::{Element, Slice, wgpu};
use libtest_mimic::Trial;

/// Segments that leave a state each, and their elements.
const SEGMENTS: u64 = 70;
const LEN: u64 = 333;

/// Combinations of states, at most: more than there are states.
const MERGES: u64 = SEGMENTS;

pub fn trials() -> Vec<Trial> {
    let pairs = Op::ALL.iter().flat_map(|op| Element::ALL.map(|element| (*op, element)));
    pairs.filter_map(|(op, element)| Some(trial(op, element, op.over(element).ok()?))).collect()
}

fn trial(op: Op, element: Element, monoid: Monoid) -> Trial {
    crate::trial(format!("states::{op}::{element}"), crate::lacking(monoid.features()), move || {
        for kind in [Kind::Dyadic, Kind::Random, Kind::Nan] {
            let case = Case::new(op, element, monoid.clone(), kind);
            gpu().watched(|| case.check()).map_err(|why| format!("{kind:?}: {why}"))?;
        }
        Ok(())
    })
}

/// Elements, and the result of all of them.
struct Case {
    op: Op,
    element: Element,
    monoid: Monoid,
    inputs: Vec<Data>,
    expected: Expected,
}

impl Case {
    fn new(op: Op, element: Element, monoid: Monoid, kind: Kind) -> Self {
        let count = if monoid.arity() == Arity::Two { 2 } else { 1 };
        let inputs: Vec<_> =
            (0..count).map(|seed| data(kind, op, element, (SEGMENTS * LEN) as usize, seed)).collect();
        let second = inputs.get(1).map(Data::bytes);
        let expected = reference::reduce(op, element, inputs[0].bytes(), second).expect("it is defined");
        Case { op, element, monoid, inputs, expected }
    }

    fn check(&self) -> Result<(), String> {
        let n = SEGMENTS * LEN;
        let (whole, depth) = self.of_elements(Shape::Whole)?;
        self.judge("a state of everything", reference::combine(self.op, self.element, &whole, n), depth)?;

        let (states, depth) = self.of_elements(Shape::Segments { len: LEN })?;
        let on_cpu = reference::combine(self.op, self.element, &states, n);
        self.judge("the CPU's combination", on_cpu, depth + MERGES)?;

        let (result, more) = self.of_states(&states, false)?;
        let on_gpu = self.op.read(self.element, &result).first().copied();
        self.judge("the GPU's combination", on_gpu, depth + more)?;

        let (state, more) = self.of_states(&states, true)?;
        let finished = reference::combine(self.op, self.element, &state, n);
        self.judge("a state of states", finished, depth + more)
    }

    /// The states that elements leave, and the plan's depth.
    fn of_elements(&self, shape: Shape) -> Result<(Vec<u8>, u64), String> {
        let offset = self.element.size();
        let buffers: Vec<_> = self.inputs.iter().map(|data| poisoned(gpu(), data.bytes(), offset)).collect();
        let size = SEGMENTS * LEN * self.element.size();
        let inputs: Vec<_> = buffers.iter().map(|buffer| Slice::new(buffer, offset, size)).collect();
        let options = Options::default().with_to_states(true);
        run_twice(&over(&self.reducer(options)?, &inputs).shape(shape))
    }

    /// The result of states: a value, or one state.
    fn of_states(&self, states: &[u8], to_states: bool) -> Result<(Vec<u8>, u64), String> {
        let states = buffer(gpu(), states, wgpu::BufferUsages::STORAGE);
        let reducer = self.reducer(Options::default().with_from_states(true).with_to_states(to_states))?;
        let all = Slice::new(&states, 0, SEGMENTS * self.monoid.acc_size());
        run_twice(&reducer.of(all).element_count((SEGMENTS * LEN) as u32))
    }

    fn reducer(&self, options: Options<'_>) -> Result<Reducer, String> {
        let reducer = Reducer::with_options(&gpu().device, self.monoid.clone(), options);
        reducer.map_err(|error| error.to_string())
    }

    /// Places count within a segment: of those only the value is of all elements.
    fn judge(&self, what: &str, got: Option<Scalar>, depth: u64) -> Result<(), String> {
        let got = got.ok_or_else(|| format!("{what}: nothing"))?;
        let verdict = match (self.expected.answer, got) {
            (Scalar::At { value, .. }, Scalar::At { value: found, index }) => {
                let within = index < SEGMENTS * LEN;
                return if value.same(found) && within { Ok(()) } else { Err(format!("{what}: {got}")) };
            }
            _ => self.expected.judge(got, depth),
        };
        right(verdict).map_err(|why| format!("{what}: {why}"))
    }
}

/// Runs a reduction twice, and returns its output with the plan's depth.
fn run_twice(reduction: &Reduction<'_, '_>) -> Result<(Vec<u8>, u64), String> {
    let plan = reduction.plan().map_err(|error| error.to_string())?;
    let [first, second] = run(gpu(), reduction, None)?;
    if first != second {
        return Err("the second run gave other bits than the first".to_owned());
    }
    Ok((first, plan.depth()))
}
