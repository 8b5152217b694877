//! Forms that exact sums have, and the errors of the others.

use halofold::reduce::ladder::Rung;
use halofold::reduce::{
    Accuracy, BufferRange, Launches, Monoid, Op, Options, Reducer, Shape, Strategy, Tuning,
};
use halofold::{Element, wgpu};

use super::bench::{cases, exact};
use crate::common::{buffer, gpu};
use crate::refusals;

#[test]
fn operators_without_an_exact_form_are_refused() {
    let device = &gpu().device;
    let make = |monoid: Monoid, options: Options<'_>| Reducer::with_options(device, monoid, options);
    let of = |op: Op, element| make(op.over(element).unwrap(), exact());
    // A rung that rounds is none for exact sums, whichever asks for them.
    let rung = Rung::named("vectorized").unwrap();
    let tuning = Tuning::of(rung.kernel, &device.limits(), 1 << 22);
    let vectorized = Strategy::Rung { rung, finish: rung.finishes[0], tuning };
    let sum = Op::Sum.over(Element::F32).unwrap();
    let by_rung = |monoid, accuracy| {
        make(monoid, Options::default().with_accuracy(accuracy).with_strategy(vectorized)).unwrap_err()
    };
    let accumulated = of(Op::Sum, Element::F32).unwrap();
    let accumulated = accumulated.plan(Shape::Accumulate, &[BufferRange { offset: 0, len: 16 }], None);

    let twice = make(sum.clone(), exact().with_launches(Launches::Two)).unwrap();
    let long = BufferRange { offset: 0, len: 1 << 20 };
    let plan = |shape, inputs: &[BufferRange]| twice.plan(shape, inputs, None);
    assert_eq!(plan(Shape::Whole, &[long]).unwrap().launches().len(), 2);
    let elements = buffer(gpu(), &[0; 1 << 16], wgpu::BufferUsages::STORAGE);
    let count = buffer(gpu(), &[0; 4], wgpu::BufferUsages::STORAGE);
    let counted = twice.of(&elements).count_buffer(&count).into(&elements);
    refusals::check([
        (of(Op::Max, Element::F32).unwrap_err(), "NotExact", "sum of f32, f64, f16; dot of f32"),
        (of(Op::Sum, Element::U32).unwrap_err(), "NotExact", ""),
        (accumulated.unwrap_err(), "NoAtomic", "states"),
        (by_rung(sum.clone(), Accuracy::Exact), "ExactRung { rung: \"vectorized\"", ""),
        (by_rung(sum.exact().unwrap(), Accuracy::Fast), "ExactRung { rung: \"vectorized\"", ""),
        (plan(Shape::Whole, &[long, long]).unwrap_err(), "ExactInOneLaunch", ""),
        (plan(Shape::Strided { stride: 2 }, &[long]).unwrap_err(), "ExactInOneLaunch", ""),
        (counted.unwrap_err(), "ExactInOneLaunch", ""),
    ]);
}

/// A workgroup takes one column, however many there are.
#[test]
fn the_depth_is_the_same_for_any_number_of_columns() {
    let sum = Reducer::with_options(&gpu().device, Op::Sum.over(Element::F32).unwrap(), exact()).unwrap();
    let depth = |inner: u64| {
        let all = BufferRange { offset: 0, len: 300 * inner };
        sum.plan(Shape::axis(1, 300, inner), &[all], None).unwrap().depth()
    };
    assert_eq!([100, 1000].map(depth), [depth(2); 2]);
}

/// The rung of the ladder, with the tuning that it is given there, launches the kernels that the library launches by default.
#[test]
fn the_rung_is_the_librarys_kernel() {
    let rung = Rung::named("exact").unwrap();
    for limits in [wgpu::Limits::default(), gpu().device.limits()] {
        for case in cases() {
            let monoid = case.0.over(case.1).unwrap();
            for power in 0..30 {
                let all = BufferRange { offset: 0, len: (1 << power) + 1 };
                let second = (case.0 == Op::Dot).then_some(all);
                let plan = |strategy| {
                    let options = exact().with_strategy(strategy);
                    options.plan(&monoid, Shape::Whole, &[all], second, &limits).unwrap()
                };
                let bytes = all.len * case.1.size();
                let tuning = Tuning::for_operator(rung.kernel, &monoid, &limits, bytes);
                let as_there = Strategy::Rung { rung, finish: rung.finishes[0], tuning };
                let plans = [as_there, Strategy::Fastest].map(plan);
                let [ladder, library] = plans.map(|plan| {
                    let launch = &plan.launches()[0];
                    (plan.launches().len(), launch.stage.workgroup_size, plan.workgroups(), plan.partials())
                });
                assert_eq!(ladder, library, "{case:?}, 2^{power}");
            }
        }
    }
}
