//! Reductions of inputs among poison, beside the CPU's.

use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Monoid, Op, Plan, Reduce, Scalar, Shape};
use halofold::{Compiled, Element, Slice};

use crate::common::{compile, gather, gpu, over, poisoned, right, run};
use crate::{Checked, watched};

/// Every operator with every type that it is defined over.
pub fn pairs() -> impl Iterator<Item = (Op, Element, Monoid)> {
    let pairs = Op::ALL.iter().flat_map(|op| Element::ALL.map(|element| (*op, element)));
    pairs.filter_map(|(op, element)| Some((op, element, op.over(element).ok()?)))
}

/// Reduces inputs from these bytes of their buffers on, twice. Returns both outputs, and the plan.
pub fn reduced(
    reducer: &Compiled<Reduce>,
    inputs: &[Vec<u8>],
    offsets: [u64; 2],
    shape: Shape,
    start: Option<&[u8]>,
) -> Checked<([Vec<u8>; 2], Plan)> {
    let inputs = inputs.iter().zip(offsets);
    let buffers: Vec<_> =
        inputs.map(|(bytes, at)| (poisoned(gpu(), bytes, at), at, bytes.len() as u64)).collect();
    let slices: Vec<_> = buffers.iter().map(|(buffer, at, size)| Slice::new(buffer, *at, *size)).collect();
    let reduction = over(reducer, &slices).shape(shape);
    Ok((run(gpu(), &reduction, start)?, reduction.plan()?))
}

/// The output of both runs.
pub fn same([first, second]: [Vec<u8>; 2]) -> Checked<Vec<u8>> {
    if first == second { Ok(first) } else { Err("the second run gave other bits than the first".into()) }
}

/// A compiled operator.
pub struct Bench {
    pub op: Op,
    pub element: Element,
    pub reducer: Compiled<Reduce>,
    /// True if chance gives the order of the elements.
    pub varies: bool,
}

impl Bench {
    pub fn new(op: Op, element: Element, monoid: Monoid, varies: bool) -> Checked<Self> {
        let reducer = watched(gpu(), || Ok(compile(&gpu().device, Reduce::new(monoid))?))?;
        Ok(Bench { op, element, reducer, varies })
    }

    /// Reduces twice, and compares every result with the CPU's of those of its elements that are kept.
    pub fn check(
        &self,
        inputs: &[Vec<u8>],
        is_kept: impl Fn(usize) -> bool,
        shape: Shape,
        offsets: [u64; 2],
        may_be_open: bool,
    ) -> Checked {
        let Bench { op, element, reducer, varies } = self;
        let start = of_nothing(*op, *element, reducer.operation().monoid().out_size() as usize);
        let start = (shape == Shape::Accumulate).then_some(&*start);
        let (runs, plan) = watched(gpu(), || reduced(reducer, inputs, offsets, shape, start))?;
        if !varies {
            same(runs.clone())?;
        }
        let size = element.size() as usize;
        let all = inputs[0].len() / size;
        let answers = runs.map(|bytes| match plan.leaves_partials() {
            true => reference::combine(*op, *element, &bytes, all as u64).into_iter().collect(),
            false => op.read(*element, &bytes),
        });
        let len = if let Shape::Segments { len } = shape { len as usize } else { all };
        let count = all.checked_div(len).unwrap_or(1);
        assert_eq!(answers.each_ref().map(Vec::len), [count; 2], "results");
        for number in 0..count {
            let first = number * len;
            let places: Vec<_> = (first..first + len).filter(|place| is_kept(*place)).collect();
            let of = |input: &Vec<u8>| gather(input, size, places.iter().copied());
            let second = inputs.get(1).map(of);
            let mut expected =
                reference::reduce(*op, *element, &of(&inputs[0]), second.as_deref()).ok_or("no reference")?;
            if let Scalar::At { index, .. } = &mut expected.answer {
                *index = places.get(*index as usize).map_or(*index, |place| (place - first) as u64);
            }
            for got in answers.each_ref().map(|answers| answers[number]) {
                match expected.judge(got, plan.depth()) {
                    Verdict::Undecided if may_be_open => {}
                    verdict => right(verdict).map_err(|why| format!("result {number} of {plan:?}: {why}"))?,
                }
            }
        }
        Ok(())
    }
}

/// The result of an operator over no integers, in as many bytes as its result has.
fn of_nothing(op: Op, element: Element, size: usize) -> Vec<u8> {
    let mut bytes = vec![if matches!(op, Op::And | Op::Min) { 0xff } else { 0 }; size];
    match (op, element) {
        (Op::All, _) => bytes[0] = 1,
        (Op::Min, Element::I32 | Element::I64) => bytes[size - 1] = 0x7f,
        (Op::Max, Element::I32 | Element::I64) => bytes[size - 1] = 0x80,
        _ => {}
    }
    bytes
}
