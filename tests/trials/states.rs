//! States: the GPU and the CPU combine accumulators to the result of all elements. A trial per operator and element type.

use halofold::reduce::reference;
use halofold::reduce::{Arity, Monoid, Op, Scalar, Shape};
use halofold::{Element, Slice, wgpu};
use halofold_cases::How;
use libtest_mimic::Trial;

use crate::common::{Kind, buffer, data, gpu, right, run};
use crate::reduced::{pairs, reduced, same};
use crate::{Checked, watched};

/// Segments that leave a state each, and their elements.
const SEGMENTS: u64 = 70;
const LEN: u64 = 333;
const ALL: u64 = SEGMENTS * LEN;

pub fn trials() -> Vec<Trial> {
    let trial = |(op, element, monoid): (Op, Element, Monoid)| {
        let (name, missing) = (format!("states::{op}::{element}"), crate::lacking(monoid.features()));
        crate::trial(name, element == Element::U32, missing, move || {
            [Kind::Dyadic, Kind::Random, Kind::Nan].into_iter().try_for_each(|kind| {
                let checked = watched(gpu(), || check(op, element, &monoid, kind));
                checked.map_err(|why| format!("{kind:?}: {why}").into())
            })
        })
    };
    pairs().map(trial).collect()
}

fn check(op: Op, element: Element, monoid: &Monoid, kind: Kind) -> Checked {
    let count = if monoid.arity() == Arity::Two { 2 } else { 1 };
    let input = |seed| data(kind, op, element, ALL as usize, seed).bytes().to_vec();
    let inputs: Vec<_> = (0..count).map(input).collect();
    let expected = reference::reduce(op, element, &inputs[0], inputs.get(1).map(Vec::as_slice));
    let expected = expected.expect("it is defined");
    // Places count within a segment: of those only the value is of all elements.
    let judge = |what: &str, got: Option<Scalar>, depth: u64| -> Checked {
        let got = got.ok_or_else(|| format!("{what}: nothing"))?;
        if let (Scalar::At { value, .. }, Scalar::At { value: found, index }) = (expected.answer, got) {
            let is_right = value.same(found) && index < ALL;
            return if is_right { Ok(()) } else { Err(format!("{what}: {got}").into()) };
        }
        Ok(right(expected.judge(got, depth)).map_err(|why| format!("{what}: {why}"))?)
    };
    let reducer = |how: How| how.on(&gpu().device, monoid);
    let to_states = reducer(How::default().with_to_states(true))?;
    let of_elements = |shape| -> Checked<(Vec<u8>, u64)> {
        let (runs, plan) = reduced(&to_states, &inputs, [element.size(); 2], shape, None)?;
        Ok((same(runs)?, plan.depth()))
    };
    let (whole, depth) = of_elements(Shape::Whole)?;
    judge("a state of everything", reference::combine(op, element, &whole, ALL), depth)?;

    // The CPU combines states at most as often as there are states.
    let (states, depth) = of_elements(Shape::Segments { len: LEN })?;
    judge("the CPU's combination", reference::combine(op, element, &states, ALL), depth + SEGMENTS)?;

    let buffer = buffer(gpu(), &states, wgpu::BufferUsages::STORAGE);
    let slice = Slice::new(&buffer, 0, SEGMENTS * monoid.acc_size());
    for to_states in [false, true] {
        let reducer = reducer(How::default().with_from_states(true).with_to_states(to_states))?;
        let reduction = reducer.of(slice).element_count(ALL as u32);
        let (result, more) = (same(run(gpu(), &reduction, None)?)?, reduction.plan()?.depth());
        let (what, got) = if to_states {
            ("a state of states", reference::combine(op, element, &result, ALL))
        } else {
            ("the GPU's combination", op.read(element, &result).first().copied())
        };
        judge(what, got, depth + more)?;
    }
    Ok(())
}
