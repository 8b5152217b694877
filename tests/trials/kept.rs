//! Operators that leave elements out (NaNs, or by a mask), against the CPU: a trial per operator and element type, over whole inputs and
//! segments. The last segment keeps nothing.

use halofold::Element;
use halofold::reduce::{Arity, Op, Shape};
use libtest_mimic::Trial;

use crate::common::{Kind, data};
use crate::reduced::Bench;

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
    let missing = crate::lacking(monoid.features());
    crate::trial(format!("kept::{op}::{element}"), false, missing, move || {
        let count = if monoid.arity() == Arity::Two { 2 } else { 1 };
        let bench = Bench::new(op, element, monoid, false)?;
        for len in [1, 67, 1031, 4001] {
            let shape = if len == 4001 { Shape::Whole } else { Shape::Segments { len: len as u64 } };
            let mut kept = vec![true; SEGMENTS * len];
            let inputs = (0..count).map(|input| {
                let mut data = data(Kind::Random, op, element, SEGMENTS * len, input);
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
            let inputs: Vec<_> = inputs.collect();
            bench
                .check(&inputs, |at| kept[at], shape, [element.size(); 2], false)
                .map_err(|why| format!("{len} elements: {why}"))?;
        }
        Ok(())
    })
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
