//! States: every operator × element type leaves accumulators, which the GPU and the CPU combine to the result of all elements.
//!
//! One trial per operator and element type. What the adapter cannot run is listed as ignored, with the reason.

use halofold::reduce::reference::{self, Expected};
use halofold::reduce::{Arity, Monoid, Op, Options, Reducer, Scalar, Shape};
use halofold::{Element, Slice, wgpu};
use libtest_mimic::Trial;

use crate::common::{Data, Kind, buffer, data, gpu, right};
use crate::reduced::{both_runs, reduced, same};
use crate::{Adapters, Checked, watched};

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
    let adapters = Adapters::every_if(element == Element::U32);
    crate::trial(format!("states::{op}::{element}"), adapters, crate::lacking(monoid.features()), move || {
        for kind in [Kind::Dyadic, Kind::Random, Kind::Nan] {
            let case = Case::new(op, element, monoid.clone(), kind);
            watched(gpu(), || case.check()).map_err(|why| format!("{kind:?}: {why}"))?;
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

    fn check(&self) -> Checked {
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
    fn of_elements(&self, shape: Shape) -> Checked<(Vec<u8>, u64)> {
        let inputs: Vec<_> = self.inputs.iter().map(Data::bytes).collect();
        let reducer = self.reducer(Options::default().with_to_states(true))?;
        let (runs, depth) = reduced(&reducer, &inputs, [self.element.size(); 2], shape, None)?;
        Ok((same(runs)?, depth))
    }

    /// The result of states: a value, or one state.
    fn of_states(&self, states: &[u8], to_states: bool) -> Checked<(Vec<u8>, u64)> {
        let states = buffer(gpu(), states, wgpu::BufferUsages::STORAGE);
        let reducer = self.reducer(Options::default().with_from_states(true).with_to_states(to_states))?;
        let all = Slice::new(&states, 0, SEGMENTS * self.monoid.acc_size());
        let (runs, depth) = both_runs(&reducer.of(all).element_count((SEGMENTS * LEN) as u32), None)?;
        Ok((same(runs)?, depth))
    }

    fn reducer(&self, options: Options<'_>) -> Checked<Reducer> {
        Ok(Reducer::with_options(&gpu().device, self.monoid.clone(), options)?)
    }

    /// Places count within a segment: of those only the value is of all elements.
    fn judge(&self, what: &str, got: Option<Scalar>, depth: u64) -> Checked {
        let got = got.ok_or_else(|| format!("{what}: nothing"))?;
        if let (Scalar::At { value, .. }, Scalar::At { value: found, index }) = (self.expected.answer, got) {
            let is_right = value.same(found) && index < SEGMENTS * LEN;
            return if is_right { Ok(()) } else { Err(format!("{what}: {got}").into()) };
        }
        Ok(right(self.expected.judge(got, depth)).map_err(|why| format!("{what}: {why}"))?)
    }
}
