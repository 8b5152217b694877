//! Operators that leave elements out, NaNs or those outside of a mask, against the CPU's results of the others.
//!
//! One trial per operator and element type, over whole inputs and segments. The last segment keeps nothing.

use halofold::Element;
use halofold::reduce::reference::{self, Expected};
use halofold::reduce::{Arity, Op, Reducer, Scalar, Shape};
use libtest_mimic::Trial;

use crate::common::{Kind, data, gpu, right};
use crate::reduced::{reduced, same};
use crate::{Adapters, Checked, watched};

/// Operators, and true where a mask is the second input.
const CASES: [(Op, Element, bool); 16] = [
    (Op::Sum, Element::F32, false),
    (Op::Mean, Element::F32, false),
    (Op::Variance, Element::F32, false),
    (Op::MinMax, Element::F32, false),
    (Op::ArgMax, Element::F32, false),
    (Op::Dot, Element::F32, false),
    (Op::L2, Element::F16, false),
    (Op::Mean, Element::F64, false),
    (Op::Min, Element::F64, false),
    (Op::SampleDeviation, Element::F64, false),
    (Op::Mean, Element::U32, true),
    (Op::Variance, Element::I32, true),
    (Op::ArgMin, Element::F32, true),
    (Op::WideSum, Element::U64, true),
    (Op::Max, Element::F16, true),
    (Op::GeometricMean, Element::U32, true),
];

const SEGMENTS: usize = 5;

pub fn trials() -> Vec<Trial> {
    CASES.into_iter().map(|(op, element, is_masked)| trial(op, element, is_masked)).collect()
}

fn trial(op: Op, element: Element, is_masked: bool) -> Trial {
    let monoid = op.over(element).and_then(|monoid| monoid.skipping_nan()).expect("it is defined");
    let monoid = if is_masked { monoid.masked().expect("it has one input") } else { monoid };
    crate::trial(
        format!("kept::{op}::{element}"),
        Adapters::One,
        crate::lacking(monoid.features()),
        move || {
            let reducer = watched(gpu(), || Ok(Reducer::new(&gpu().device, monoid)?))?;
            let segments = [1, 67, 1031].map(|len| (len, Shape::Segments { len: len as u64 }));
            for (len, shape) in segments.into_iter().chain([(20_001, Shape::Whole)]) {
                let case = Case::new((op, element, is_masked), &reducer, len);
                watched(gpu(), || case.check(shape)).map_err(|why| format!("{len} elements: {why}"))?;
            }
            Ok(())
        },
    )
}

/// Inputs of one length, and which of their elements are kept.
struct Case<'a> {
    op: Op,
    element: Element,
    reducer: &'a Reducer,
    len: usize,
    inputs: Vec<Vec<u8>>,
    kept: Vec<bool>,
}

impl<'a> Case<'a> {
    fn new((op, element, is_masked): (Op, Element, bool), reducer: &'a Reducer, len: usize) -> Self {
        let count = if reducer.monoid().arity() == Arity::Two { 2 } else { 1 };
        let total = SEGMENTS * len;
        let mut kept = vec![true; total];
        let inputs = (0..count).map(|input| {
            let mut data = data(Kind::Random, op, element, total, input);
            data.change(element, |i, bits, random| {
                let is_left_out = random % 7 == 0 || i / len == SEGMENTS - 1;
                let is_mask = is_masked && input == 1;
                kept[i] &= !(is_left_out && (is_mask || element.is_float()));
                match (is_mask, is_left_out) {
                    (true, _) => u64::from(!is_left_out),
                    (false, true) => nan(element, random).unwrap_or(bits),
                    (false, false) => bits,
                }
            });
            data.bytes().to_vec()
        });
        let inputs = inputs.collect();
        Case { op, element, reducer, len, inputs, kept }
    }

    fn check(&self, shape: Shape) -> Checked {
        let len = if shape == Shape::Whole { self.kept.len() } else { self.len };
        let inputs: Vec<_> = self.inputs.iter().map(Vec::as_slice).collect();
        let (runs, depth) = reduced(self.reducer, &inputs, [self.element.size(); 2], shape, None)?;
        for (segment, got) in self.op.read(self.element, &same(runs)?).into_iter().enumerate() {
            let verdict = self.expected(segment * len, len).judge(got, depth);
            right(verdict).map_err(|why| format!("result {segment}: {why}"))?;
        }
        Ok(())
    }

    /// The result of the elements that are kept among some.
    fn expected(&self, first: usize, len: usize) -> Expected {
        let places: Vec<_> = (first..first + len).filter(|place| self.kept[*place]).collect();
        let size = self.element.size() as usize;
        let of =
            |input: &Vec<u8>| places.iter().flat_map(|at| &input[at * size..][..size]).copied().collect();
        let inputs: Vec<Vec<u8>> = self.inputs.iter().map(of).collect();
        let second = inputs.get(1).filter(|_| self.op == Op::Dot);
        let expected = reference::reduce(self.op, self.element, &inputs[0], second.map(Vec::as_slice));
        let mut expected = expected.expect("it is defined");
        if let Scalar::At { index, .. } = &mut expected.answer {
            *index = places.get(*index as usize).map_or(*index, |place| (place - first) as u64);
        }
        expected
    }
}

/// Some NaN of a float type.
fn nan(element: Element, random: u64) -> Option<u64> {
    let sign = (random >> 20) & 1;
    match element {
        Element::F16 => Some(sign << 15 | 0x7c01 | random >> 32 & 0x3ff),
        Element::F32 => Some(sign << 31 | 0x7f80_0001 | random >> 32 & 0x7f_ffff),
        Element::F64 => Some(sign << 63 | 0x7ff0_0000_0000_0001 | random >> 16),
        _ => None,
    }
}
