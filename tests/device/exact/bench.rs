//! Operators that have exact forms, their inputs, and reducers that are compared with whole numbers of any length, bit by bit.

use std::fmt::Display;

use halofold::ladder::{Rung, Setup};
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Accuracy, Op, Reduce, Shape, ShapeKind, Tuning};
use halofold::{Compiled, Element, Value};
use halofold_cases::How;

use super::arrays::{Hard, array};
use crate::common::oracle::expected;
use crate::common::{Gpu, gather, gpu, takes_fewer};
use crate::cut::Cut;

pub type Case = (Op, Element);

/// Operators that have exact forms, with their elements.
pub fn cases() -> Vec<Case> {
    let all = Op::ALL.iter().flat_map(|op| Element::ALL.map(|element| (*op, element)));
    let cases: Vec<_> = all.filter(|(op, element)| Format::of(*op, *element).is_some()).collect();
    assert_eq!(cases.len(), 10, "{cases:?}");
    cases
}

/// Cases that cover each format, element and arity.
pub const SOME: [Case; 4] =
    [(Op::Sum, Element::F32), (Op::Mean, Element::F16), (Op::Sum, Element::F64), (Op::Dot, Element::F32)];

/// A result's bits, all NaNs alike.
pub fn bits(value: Value) -> u64 {
    match value {
        Value::F32(x) if x.is_nan() => 0x7fc0_0000,
        Value::F64(x) if x.is_nan() => 0x7ff8_0000_0000_0000,
        Value::F32(x) => x.to_bits().into(),
        Value::F64(x) => x.to_bits(),
        other => panic!("{other} is no float"),
    }
}

/// The bits of a state's result.
pub fn finished(op: Op, state: &State) -> u64 {
    bits(if op == Op::Mean { state.mean() } else { state.sum() })
}

/// The inputs of an operator: one array, or two for dot products.
pub struct Arrays {
    pub case: Case,
    pub inputs: Vec<Vec<u8>>,
}

impl Arrays {
    /// The inputs of a cut. Segments have data of their own each.
    pub fn new(case: Case, hard: Hard, cut: &Cut, seed: u64) -> Self {
        let (op, element) = case;
        let input = |seed: u64| -> Vec<u8> {
            let Shape::Segments { len } = cut.shape else { return array(hard, element, cut.len, seed) };
            let segments = (0..cut.len as u64 / len).map(|number| seed + 977 * number);
            segments.flat_map(|seed| array(hard, element, len as usize, seed)).collect()
        };
        let seeds = [seed, seed ^ 0x5555_5555];
        Arrays {
            case,
            inputs: seeds[..if op == Op::Dot { 2 } else { 1 }].iter().map(|&seed| input(seed)).collect(),
        }
    }

    /// The elements at some places of each array.
    pub fn pick(&self, places: impl Iterator<Item = usize> + Clone) -> Arrays {
        let size = self.case.1.size() as usize;
        let inputs = self.inputs.iter().map(|bytes| gather(bytes, size, places.clone())).collect();
        Arrays { inputs, ..*self }
    }

    /// The bits of the result, by whole numbers of any length.
    pub fn expected(&self) -> u64 {
        expected(self.case.0, self.case.1, &self.inputs[0], self.inputs.get(1).map(Vec::as_slice))
    }

    /// The state of all elements.
    pub fn state(&self) -> State {
        let (op, element) = self.case;
        let mut state = State::new(Format::of(op, element).unwrap());
        state.add_of(op, element, &self.inputs[0], self.inputs.get(1).map(Vec::as_slice));
        state
    }
}

/// Options of an exact reducer.
pub fn exact() -> How {
    How::default().with_accuracy(Accuracy::Exact)
}

/// These by the ladder's rung with another tuning, if the adapter runs it.
pub fn tuned(case: Case, subgroups: bool, change: impl Fn(Tuning) -> Tuning) -> Option<How> {
    let (device, rung) = (&gpu().device, Rung::named("exact").unwrap());
    let tuning = change(Tuning::of(rung.kernel, &device.limits(), 1 << 22));
    let how = exact().with_rung(Setup { rung, finish: rung.finishes[0], tuning });
    let how = how.with_subgroups(subgroups);
    let monoid = case.0.over(case.1).unwrap();
    how.check(&monoid, ShapeKind::Whole, device.features(), &device.limits()).is_ok().then_some(how)
}

/// A reducer of a case, to results or to states.
pub struct Bench<'a> {
    pub gpu: &'a Gpu,
    pub case: Case,
    pub reducer: Compiled<Reduce>,
    has_states: bool,
}

impl<'a> Bench<'a> {
    pub fn new(gpu: &'a Gpu, case: Case, how: How) -> Self {
        let monoid = case.0.over(case.1).unwrap();
        let reducer = how.on(&gpu.device, &monoid).unwrap();
        Bench { gpu, case, reducer, has_states: how.to_states }
    }

    pub fn reduce(&self, cut: &Cut, arrays: &Arrays) -> Vec<u8> {
        let inputs: Vec<_> = arrays.inputs.iter().map(Vec::as_slice).collect();
        cut.hold(self.gpu, self.case.1.size() as usize, &inputs).reduce(self.gpu, &self.reducer)
    }

    /// The bits of each result; of states, also the number of their elements.
    pub fn results(&self, bytes: &[u8]) -> Vec<(u64, Option<usize>)> {
        let (op, element) = self.case;
        if self.has_states {
            let size = op.over(element).unwrap().exact().unwrap().acc_size() as usize;
            let states = bytes.chunks_exact(size).map(|state| State::from_bytes(state).unwrap());
            return states.map(|state| (finished(op, &state), Some(state.count() as usize))).collect();
        }
        op.read(element, bytes).into_iter().map(|answer| (bits(answer.value().unwrap()), None)).collect()
    }

    /// Compares every result with the oracle's, and returns their number.
    pub fn check(&self, cut: &Cut, arrays: &Arrays, what: impl Display) -> usize {
        let got = self.results(&self.reduce(cut, arrays));
        let groups = cut.groups();
        assert_eq!(got.len(), groups.len(), "{:?} of {what}, {cut}", self.case);
        for (number, ((got, count), group)) in got.iter().zip(&groups).enumerate() {
            let want = arrays.pick(group.clone()).expected();
            let what = format_args!("{:?} of {what}, {cut}, result {number}", self.case);
            assert!(*got == want, "{what}: {got:#x} {want:#x}");
            assert!(count.is_none_or(|count| count == group.len()), "{what}: {count:?} elements");
        }
        groups.len()
    }

    /// Compares the result of all elements.
    pub fn check_whole(&self, inputs: Vec<Vec<u8>>, what: impl Display) {
        let cut = Cut::whole(inputs[0].len() / self.case.1.size() as usize);
        self.check(&cut, &Arrays { case: self.case, inputs }, what);
    }
}

/// Operators, data and cuts of which all are to be met together.
pub struct Row<'a> {
    pub gpu: &'a Gpu,
    pub cases: Vec<Case>,
    pub how: Vec<How>,
    pub hard: &'a [Hard],
    pub cuts: Vec<Cut>,
    /// One in this many on a software adapter, in turn, so that each kind of data meets each cut of one operator or another.
    pub step: usize,
}

impl<'a> Row<'a> {
    pub fn new(
        cases: impl IntoIterator<Item = Case>,
        hard: &'a [Hard],
        cuts: impl IntoIterator<Item = Cut>,
    ) -> Self {
        let (cases, cuts) = (cases.into_iter().collect(), cuts.into_iter().collect());
        Row { gpu: gpu(), cases, how: vec![exact()], hard, cuts, step: 1 }
    }

    /// Runs the row, and returns the number of results that were compared.
    pub fn check(self) -> usize {
        let step = if takes_fewer() { self.step } else { 1 };
        let mut results = 0;
        for (turn, case) in self.cases.into_iter().enumerate() {
            for how in &self.how {
                let bench = Bench::new(self.gpu, case, *how);
                for (kind, hard) in self.hard.iter().enumerate() {
                    for (number, cut) in self.cuts.iter().enumerate() {
                        let seed = turn + kind + number;
                        if seed.is_multiple_of(step) {
                            let cut = cut.clone().at(seed % 7);
                            let arrays = Arrays::new(case, *hard, &cut, (seed + cut.len) as u64);
                            results += bench.check(&cut, &arrays, format_args!("{hard:?}, {how:?}"));
                        }
                    }
                }
            }
        }
        results
    }
}
