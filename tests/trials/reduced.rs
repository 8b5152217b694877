//! Reductions of inputs among poison, beside the CPU's.

use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{Monoid, Op, Reducer, Reduction, Scalar, Shape};
use halofold::{Element, Slice};

use crate::common::{gpu, over, poisoned, right, run};
use crate::{Checked, watched};

/// Every operator with every type that it is defined over.
pub fn pairs() -> impl Iterator<Item = (Op, Element, Monoid)> {
    let pairs = Op::ALL.iter().flat_map(|op| Element::ALL.map(|element| (*op, element)));
    pairs.filter_map(|(op, element)| Some((op, element, op.over(element).ok()?)))
}

/// Reduces inputs from these bytes of their buffers on, twice. Returns both outputs, and the plan's depth.
pub fn reduced(
    reducer: &Reducer,
    inputs: &[Vec<u8>],
    offsets: [u64; 2],
    shape: Shape,
    start: Option<&[u8]>,
) -> Checked<([Vec<u8>; 2], u64)> {
    let inputs = inputs.iter().zip(offsets);
    let buffers: Vec<_> =
        inputs.map(|(bytes, at)| (poisoned(gpu(), bytes, at), at, bytes.len() as u64)).collect();
    let slices: Vec<_> = buffers.iter().map(|(buffer, at, size)| Slice::new(buffer, *at, *size)).collect();
    both_runs(&over(reducer, &slices).shape(shape), start)
}

/// The outputs of two runs, and the plan's depth.
pub fn both_runs(reduction: &Reduction<'_, '_>, start: Option<&[u8]>) -> Checked<([Vec<u8>; 2], u64)> {
    let depth = reduction.plan()?.depth();
    Ok((run(gpu(), reduction, start)?, depth))
}

/// The output of both runs.
pub fn same([first, second]: [Vec<u8>; 2]) -> Checked<Vec<u8>> {
    if first == second { Ok(first) } else { Err("the second run gave other bits than the first".into()) }
}

/// A compiled operator.
pub struct Bench {
    pub op: Op,
    pub element: Element,
    pub reducer: Reducer,
}

impl Bench {
    pub fn new(op: Op, element: Element, monoid: Monoid) -> Checked<Self> {
        let reducer = watched(gpu(), || Ok(Reducer::new(&gpu().device, monoid)?))?;
        Ok(Bench { op, element, reducer })
    }

    /// Reduces, and compares every result with the CPU's of those of its elements that are kept.
    pub fn check(
        &self,
        inputs: &[Vec<u8>],
        is_kept: impl Fn(usize) -> bool,
        shape: Shape,
        offsets: [u64; 2],
        may_be_open: bool,
    ) -> Checked {
        let Bench { op, element, reducer } = self;
        let accumulates = shape == Shape::Accumulate;
        let start = accumulates.then(|| of_nothing(*op, *element, reducer.monoid().out_size() as usize));
        let (runs, depth) = watched(gpu(), || reduced(reducer, inputs, offsets, shape, start.as_deref()))?;
        let answers = op.read(*element, &runs[0]);
        // Only float sums in the order that chance gives are allowed to differ.
        if !(accumulates && element.is_float()) {
            same(runs)?;
        }
        let size = element.size() as usize;
        let all = inputs[0].len() / size;
        let len = if let Shape::Segments { len } = shape { len as usize } else { all };
        assert_eq!(answers.len(), all.checked_div(len).unwrap_or(1), "results");
        for (number, got) in answers.into_iter().enumerate() {
            let first = number * len;
            let places: Vec<_> = (first..first + len).filter(|place| is_kept(*place)).collect();
            let of = |input: &Vec<u8>| -> Vec<u8> {
                places.iter().flat_map(|at| &input[at * size..][..size]).copied().collect()
            };
            let second = inputs.get(1).map(of);
            let mut expected =
                reference::reduce(*op, *element, &of(&inputs[0]), second.as_deref()).ok_or("no reference")?;
            if let Scalar::At { index, .. } = &mut expected.answer {
                *index = places.get(*index as usize).map_or(*index, |place| (place - first) as u64);
            }
            match expected.judge(got, depth) {
                Verdict::Undecided if may_be_open => {}
                verdict => {
                    right(verdict).map_err(|why| format!("result {number} at depth {depth}: {why}"))?
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
