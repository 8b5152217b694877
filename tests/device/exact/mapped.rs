//! Exact sums of values that a function of an application makes of the elements.

use halofold::Element;
use halofold::reduce::exact::{Format, State};
use halofold::reduce::{Arity, Monoid, Shape};

use super::gpu::{Inputs, exact, output, reducer};
use crate::common::gpu;

/// Elements of both signs, of which the sum of absolute values is more than a float holds.
fn elements(n: u32) -> Vec<f32> {
    let word = |i: u32| i.wrapping_mul(0x9e37_79b9) ^ (i << 7);
    (0..n).map(|i| f32::from_bits((word(i) & 0x807f_ffff) | ((122 + i % 11) << 23))).collect()
}

fn sum_of(values: impl Iterator<Item = f32>) -> u32 {
    let mut state = State::new(Format::Single);
    state.add(Element::F32, bytemuck::cast_slice(&values.collect::<Vec<_>>()));
    (state.sum().as_f64() as f32).to_bits()
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// A function that makes 1 of zeros: none stands in for an element that is not there.
const AROUND: &str = "fn value(x: f32) -> f32 { return abs(x - 1.0); }";

#[test]
fn values_are_added_and_nothing_else() {
    let gpu = gpu();
    let monoid = Monoid::sum_of("around", Element::F32, Arity::One, AROUND).unwrap();
    let reducer = reducer(gpu, &monoid, exact(false, false));
    for n in [0, 1, 2, 3, 5, 31, 1023, 4096, 16_387, 70_001] {
        let values = elements(n);
        for shift in [0, 3] {
            let inputs = Inputs::new(gpu, Element::F32, &[bytemuck::cast_slice(&values)], shift);
            let expected = sum_of(values.iter().map(|x| (x - 1.0).abs()));
            assert_eq!(words(&output(gpu, &reducer, Shape::Whole, &inputs)), [expected], "{n}, {shift}");
        }
    }
}

#[test]
fn shapes_take_values() {
    let gpu = gpu();
    let monoid = Monoid::sum_of("around", Element::F32, Arity::One, AROUND).unwrap();
    let reducer = reducer(gpu, &monoid, exact(false, false));
    let values = elements(6 * 701);
    let inputs = Inputs::new(gpu, Element::F32, &[bytemuck::cast_slice(&values)], 1);
    let value = |x: &f32| (x - 1.0).abs();
    let segments = values.chunks(701).map(|part| sum_of(part.iter().map(value)));
    let found = words(&output(gpu, &reducer, Shape::Segments { len: 701 }, &inputs));
    assert_eq!(found, segments.collect::<Vec<_>>());
    let strided = sum_of(values.iter().step_by(5).map(value));
    assert_eq!(words(&output(gpu, &reducer, Shape::Strided { stride: 5 }, &inputs)), [strided]);
    let columns = (0..6).map(|column| sum_of(values.iter().skip(column).step_by(6).map(value)));
    let axis = Shape::Axis { outer: 1, len: 701, inner: 6 };
    assert_eq!(words(&output(gpu, &reducer, axis, &inputs)), columns.collect::<Vec<_>>());
}

#[test]
fn values_of_pairs() {
    let gpu = gpu();
    let text = "fn value(x: f32, y: f32) -> f32 { return max(x, y) + 2.0; }";
    let monoid = Monoid::sum_of("largest-of-two", Element::F32, Arity::Two, text).unwrap();
    let reducer = reducer(gpu, &monoid, exact(false, false));
    let (first, second) = (elements(9001), elements(18_002).split_off(9001));
    let arrays: [&[u8]; 2] = [bytemuck::cast_slice(&first), bytemuck::cast_slice(&second)];
    let inputs = Inputs::new(gpu, Element::F32, &arrays, 2);
    let expected = sum_of(first.iter().zip(&second).map(|(x, y)| x.max(*y) + 2.0));
    assert_eq!(words(&output(gpu, &reducer, Shape::Whole, &inputs)), [expected]);
    let slices = inputs.slices();
    let sum: f32 = reducer.of(slices[0]).with(slices[1]).wait(&gpu.queue).unwrap();
    assert_eq!(sum.to_bits(), expected);
}

#[test]
fn values_of_halves_are_widened() {
    let gpu = gpu();
    let monoid = Monoid::sum_of("around", Element::F16, Arity::One, AROUND).unwrap();
    let reducer = reducer(gpu, &monoid, exact(false, false));
    let values: Vec<half::f16> = elements(5003).into_iter().map(half::f16::from_f32).collect();
    let inputs = Inputs::new(gpu, Element::F16, &[bytemuck::cast_slice(&values)], 1);
    let expected = sum_of(values.iter().map(|x| (x.to_f32() - 1.0).abs()));
    assert_eq!(words(&output(gpu, &reducer, Shape::Whole, &inputs)), [expected]);
}

#[test]
fn texts_without_the_function_are_refused() {
    let of = |element, text| Monoid::sum_of("wrong", element, Arity::One, text).unwrap_err().to_string();
    assert!(of(Element::F32, "fn other(x: f32) -> f32 { return x; }").contains("fn value(x: f32) -> f32"));
    assert!(of(Element::F32, "\nfn value(x: u32) -> f32 { return 0.0; }").contains("line 2"));
    assert!(of(Element::I32, AROUND).contains("i32"));
}
