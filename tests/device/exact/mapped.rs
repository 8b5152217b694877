//! Exact sums of values that a function of an application makes of the elements.

use half::f16;
use halofold::Element;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Arity, Monoid, Reducer};

use super::bench::exact;
use crate::common::gpu;
use crate::cut::Cut;
use crate::refusals;

/// A function that makes 1 of zeros: none stands in for an element that is not there.
const AROUND: &str = "fn value(x: f32) -> f32 { return abs(x - 1.0); }";

/// Elements of both signs, of which the sum of absolute values is more than a float holds.
fn elements(n: usize) -> Vec<f32> {
    let word = |i: u32| i.wrapping_mul(0x9e37_79b9) ^ (i << 7);
    (0..n as u32).map(|i| f32::from_bits((word(i) & 0x807f_ffff) | ((122 + i % 11) << 23))).collect()
}

/// Sums the values of elements, or of pairs, and compares with the sums of the values that the CPU makes.
fn check(element: Element, arity: Arity, text: &str, value: impl Fn(f32, f32) -> f32, cuts: Vec<Cut>) {
    let gpu = gpu();
    let monoid = Monoid::sum_of("value", element, arity, text).unwrap();
    let reducer = Reducer::with_options(&gpu.device, monoid, exact()).unwrap();
    for cut in cuts {
        let mut both = elements(2 * cut.len);
        let halves: Vec<_> = both.iter().copied().map(f16::from_f32).collect();
        let bytes: &[u8] = match element {
            Element::F16 => {
                both = halves.iter().map(|half| half.to_f32()).collect();
                bytemuck::cast_slice(&halves)
            }
            _ => bytemuck::cast_slice(&both),
        };
        let (first, second) = bytes.split_at(bytes.len() / 2);
        let inputs = if arity == Arity::Two { vec![first, second] } else { vec![first] };
        let held = cut.hold(gpu, element.size() as usize, &inputs);
        let got: Vec<u32> = bytemuck::pod_collect_to_vec(&held.reduce(gpu, &reducer));
        let sum = |group| {
            let values: Vec<f32> =
                Iterator::map(group, |at: usize| value(both[at], both[cut.len + at])).collect();
            let mut state = State::new(Format::Single);
            state.add(Element::F32, bytemuck::cast_slice(&values));
            (state.sum().as_f64() as f32).to_bits()
        };
        let want: Vec<_> = cut.groups().into_iter().map(sum).collect();
        assert_eq!(got, want, "{element}, {cut}");
        if arity == Arity::Two && want.len() == 1 {
            let sum: f32 = held.reduction(&reducer).wait(&gpu.queue).unwrap();
            assert_eq!(sum.to_bits(), want[0]);
        }
    }
}

#[test]
fn values_are_added_and_nothing_else() {
    let around = |x: f32, _| (x - 1.0).abs();
    let lengths = [0, 1, 2, 3, 5, 31, 1023, 4096, 16_387, 70_001];
    let mut cuts: Vec<_> = lengths.into_iter().flat_map(|n| [0, 3].map(|at| Cut::whole(n).at(at))).collect();
    let shapes = [Cut::segments(701, 6), Cut::strided(5, 4206), Cut::axis([1, 701, 6])];
    cuts.extend(shapes.map(|cut| cut.at(1)));
    check(Element::F32, Arity::One, AROUND, around, cuts);
    check(Element::F16, Arity::One, AROUND, around, vec![Cut::whole(5003).at(1)]);
    let text = "fn value(x: f32, y: f32) -> f32 { return max(x, y) + 2.0; }";
    check(Element::F32, Arity::Two, text, |x, y| x.max(y) + 2.0, vec![Cut::whole(9001).at(2)]);
}

#[test]
fn texts_without_the_function_are_refused() {
    let of = |element, text| Monoid::sum_of("wrong", element, Arity::One, text).unwrap_err();
    refusals::check([
        (of(Element::F32, "fn other(x: f32) -> f32 { return x; }"), "", "fn value(x: f32) -> f32"),
        (of(Element::F32, "\nfn value(x: u32) -> f32 { return 0.0; }"), "", "line 2"),
        (of(Element::I32, AROUND), "", "i32"),
    ]);
}
