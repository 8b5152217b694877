//! States: every operator × element type leaves accumulators, which the GPU and the CPU combine to the result of all elements.
//!
//! One trial per operator and element type. What the adapter cannot run is listed as ignored, with the reason.

mod common;

use common::{Data, Kind, buffer, data, gpu, one, poisoned, right, run};
use halofold::reduce::reference::{self, Expected};
use halofold::reduce::{Answer, Arity, Form, Input, Monoid, Op, Options, Reducer, Shape, Source, Workspace};
use halofold::{Element, adapter, wgpu};
use libtest_mimic::{Arguments, Trial};

/// Segments that leave a state each, and their elements.
const SEGMENTS: u64 = 70;
const LEN: u64 = 333;

/// Combinations of states, at most: more than there are states.
const MERGES: u64 = SEGMENTS;

fn main() {
    let arguments = Arguments::from_args();
    let pairs = Op::ALL.iter().flat_map(|op| Element::ALL.map(|element| (*op, element)));
    let trials = pairs.filter_map(|(op, element)| Some(trial(op, element, op.over(element)?))).collect();
    let conclusion = libtest_mimic::run(&arguments, trials);
    // The device must go before its driver's own exit handlers run.
    conclusion.exit();
}

fn trial(op: Op, element: Element, monoid: Monoid) -> Trial {
    let name = format!("{op}::{element}");
    let missing = monoid.features() - gpu().device.features();
    if !missing.is_empty() {
        let reason = format!("the adapter lacks {}", adapter::feature_names(missing));
        return Trial::test(name, || Ok(())).with_kind(reason).with_ignored_flag(true);
    }
    Trial::test(name, move || {
        for kind in [Kind::Dyadic, Kind::Random, Kind::Nan] {
            let case = Case::new(op, element, monoid.clone(), kind);
            gpu().watched(|| case.check()).map_err(|why| format!("{kind:?}: {why}"))?;
        }
        Ok(())
    })
}

/// Elements, and what all of them give.
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
        let (whole, depth) = self.of_elements(Form::Whole, Shape::Whole)?;
        self.judge("a state of everything", reference::combine(self.op, self.element, &whole, n), depth)?;

        let (states, depth) = self.of_elements(Form::Segments, Shape::Segments { len: LEN })?;
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
    fn of_elements(&self, form: Form, shape: Shape) -> Result<(Vec<u8>, u64), String> {
        let offset = self.element.size();
        let buffers: Vec<_> = self.inputs.iter().map(|data| poisoned(gpu(), data.bytes(), offset)).collect();
        let input = |buffer| Input { buffer, offset, len: SEGMENTS * LEN };
        let (first, second) = ([input(&buffers[0])], buffers.get(1).map(input));
        let mut options = Options::default();
        options.to_states = true;
        self.run(form, options, (shape, one(&first, second)))
    }

    /// What states leave: their result, or one state.
    fn of_states(&self, states: &[u8], to_states: bool) -> Result<(Vec<u8>, u64), String> {
        let states = buffer(gpu(), states, wgpu::BufferUsages::STORAGE);
        let first = [Input { buffer: &states, offset: 0, len: SEGMENTS }];
        let mut options = Options::default();
        (options.from_states, options.to_states) = (true, to_states);
        let source = Source::of(&first).standing_for((SEGMENTS * LEN) as u32);
        self.run(Form::Whole, options, (Shape::Whole, source))
    }

    fn run(
        &self,
        form: Form,
        options: Options<'_>,
        (shape, source): (Shape, Source<'_>),
    ) -> Result<(Vec<u8>, u64), String> {
        let text = |error: &dyn std::fmt::Display| error.to_string();
        let device = &gpu().device;
        let reducer = Reducer::with_options(device, self.monoid.clone(), form, options);
        let reducer = reducer.map_err(|error| text(&error))?;
        let plan = reducer.plan_of(&source, shape).map_err(|error| text(&error))?;
        let workspace = Workspace::new(device, &plan);
        let [first, second] = run(gpu(), &reducer, (shape, source), &plan, &workspace, None)?;
        if first != second {
            return Err("the second run gave other bits than the first".to_owned());
        }
        Ok((first, plan.depth()))
    }

    /// Places count within a segment: of those only the value is of all elements.
    fn judge(&self, what: &str, got: Option<Answer>, depth: u64) -> Result<(), String> {
        let got = got.ok_or_else(|| format!("{what}: nothing"))?;
        let verdict = match (self.expected.answer, got) {
            (Answer::At { value, .. }, Answer::At { value: found, index }) => {
                let within = u64::from(index) < SEGMENTS * LEN;
                return if value.same(found) && within { Ok(()) } else { Err(format!("{what}: {got}")) };
            }
            _ => self.expected.judge(got, depth),
        };
        right(verdict).map_err(|why| format!("{what}: {why}"))
    }
}
