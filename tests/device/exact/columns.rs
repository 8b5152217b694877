//! Exact sums along an axis of an array.

use halofold::Element;
use halofold::reduce::exact::State;
use halofold::reduce::{BufferRange, Op, Reducer, Shape};

use super::arrays::Hard;
use super::cpu::{Arrays, cases_in_turn, finished};
use super::gpu::{Bench, Case, Inputs, exact, output, reducer, results};
use crate::common::{Gpu, gpu, in_turn, limited};

/// The elements of one column.
fn column(bytes: &[u8], size: usize, [_, len, inner]: [usize; 3], number: usize) -> Vec<u8> {
    let (outer, at) = (number / inner, number % inner);
    let element = |row: usize| &bytes[((outer * len + row) * inner + at) * size..][..size];
    (0..len).flat_map(element).copied().collect()
}

/// A reducer to results, and one to states.
struct Both<'a> {
    bench: Bench<'a>,
    states: Reducer,
}

impl<'a> Both<'a> {
    fn new(gpu: &'a Gpu, case: (Op, Element)) -> Self {
        let monoid = case.0.over(case.1).unwrap();
        Both { bench: Bench::new(gpu, case), states: reducer(gpu, &monoid, exact(false, true)) }
    }
}

fn check(both: &Both<'_>, hard: Hard, lengths: [usize; 3]) {
    let Bench { gpu, case: Case { op, element }, results: ref sum } = both.bench;
    let [outer, len, inner] = lengths;
    let arrays = Arrays::new((op, element), hard, outer * len * inner, 7);
    let inputs = Inputs::new(gpu, element, &arrays.slices(), 3);
    let shape = Shape::axis(outer as u64, len as u64, inner as u64);
    let got = results(op, element, &output(gpu, sum, shape, &inputs));
    let states = output(gpu, &both.states, shape, &inputs);
    let stride = op.over(element).unwrap().exact().unwrap().acc_size() as usize;
    let states = states.chunks_exact(stride);
    assert_eq!((got.len(), states.len()), (outer * inner, outer * inner));
    for ((number, got), state) in got.into_iter().enumerate().zip(states) {
        let part = arrays.part(|bytes| column(bytes, element.size() as usize, lengths, number));
        let wanted = part.expected();
        assert_eq!(got, wanted, "{op} of {hard:?} {element}, column {number} of {lengths:?}");
        let state = State::from_bytes(state).unwrap();
        assert_eq!((finished(op, &state), state.count()), (wanted, len as u64), "its state");
    }
}

#[test]
fn columns() {
    for case in cases_in_turn(1) {
        let both = Both::new(gpu(), case);
        for hard in [Hard::Anything, Hard::Mixed, Hard::Sorted, Hard::MinusZeros] {
            for lengths in [[1, 1, 5], [3, 7, 4], [2, 300, 33], [1, 2000, 3]] {
                check(&both, hard, lengths);
            }
        }
    }
}

/// Chunks of rows, and windows: their states are merged.
#[test]
fn long_columns() {
    let small = limited(|limits| limits.max_storage_buffer_binding_size = 1 << 16);
    let cases = [(Op::Sum, Element::F32), (Op::Mean, Element::F64), (Op::Dot, Element::F32)];
    for case in in_turn(cases, 2, 0) {
        check(&Both::new(gpu(), case), Hard::Patterns, [1, 50_000, 3]);
        let both = Both::new(&small, case);
        check(&both, Hard::Patterns, [2, 9000, 5]);
        check(&both, Hard::Mixed, [40, 70, 9]);
    }
}

/// A workgroup takes one column, however many there are.
#[test]
fn the_depth_is_the_same_for_any_number_of_columns() {
    let sum = reducer(gpu(), &Op::Sum.over(Element::F32).unwrap(), exact(false, false));
    let depth = |inner: u64| {
        let all = BufferRange { offset: 0, len: 300 * inner };
        sum.plan(Shape::axis(1, 300, inner), &[all], None).unwrap().depth()
    };
    assert_eq!([100, 1000].map(depth), [depth(2); 2]);
}
