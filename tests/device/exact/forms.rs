//! Forms that exact sums have, and the errors of the others.

use halofold::reduce::ladder::Rung;
use halofold::reduce::{
    Accuracy, BufferRange, Launches, Op, Options, ReduceError, Reducer, Shape, Strategy, Tuning,
};
use halofold::{Element, wgpu};

use super::arrays::Hard;
use super::cpu::{Arrays, SOME, cases};
use super::gpu::{Bench, Case, exact, reducer};
use crate::common::{buffer, gpu, in_turn};

#[test]
fn operators_without_an_exact_form_are_refused() {
    let make = |op: Op, element| {
        let monoid = op.over(element).unwrap();
        Reducer::with_options(&gpu().device, monoid, exact(false, false))
    };
    let error = make(Op::Max, Element::F32).unwrap_err();
    assert!(matches!(error, ReduceError::NotExact { .. }), "{error}");
    assert!(
        error.to_string().contains("sum of f32, f64, f16") && error.to_string().contains("dot of f32"),
        "{error}"
    );
    assert!(matches!(make(Op::Sum, Element::U32), Err(ReduceError::NotExact { .. })));
    let sum = make(Op::Sum, Element::F32).unwrap();
    let error = sum.plan(Shape::Accumulate, &[BufferRange { offset: 0, len: 16 }], None).unwrap_err();
    assert!(matches!(error, ReduceError::NoAtomic { .. }) && error.to_string().contains("states"), "{error}");

    // A rung that rounds is none for exact sums, whichever asks for them.
    let monoid = Op::Sum.over(Element::F32).unwrap();
    let rung = Rung::named("vectorized").unwrap();
    let tuning = Tuning::of(rung.kernel, &gpu().device.limits(), 1 << 22);
    for (monoid, accuracy) in [(monoid.clone(), Accuracy::Exact), (monoid.exact().unwrap(), Accuracy::Fast)] {
        let strategy = Strategy::Rung { rung, finish: rung.finishes[0], tuning };
        let options = Options::default().with_accuracy(accuracy).with_strategy(strategy);
        let made = Reducer::with_options(&gpu().device, monoid, options);
        assert!(matches!(made, Err(ReduceError::ExactRung { rung: "vectorized" })), "{made:?}");
    }
}

#[test]
fn the_last_axis_is_segments() {
    for case in [(Op::Sum, Element::F32), (Op::Mean, Element::F64), (Op::Dot, Element::F32)] {
        let bench = Bench::new(gpu(), case);
        let arrays = Arrays::new(case, Hard::Mixed, 6000, 8);
        let rows = Shape::Axis { outer: 20, len: 300, inner: 1 };
        bench.check(rows, &arrays, 1, 300, "the last axis");
    }
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
                    let options = exact(false, false).with_strategy(strategy);
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

/// A whole input is one segment if workgroups may not meet in one launch.
#[test]
fn two_launches() {
    let mut twice = exact(false, false);
    twice.launches = Launches::Two;
    for case in in_turn(SOME, 2, 0) {
        let (op, element) = case;
        let monoid = op.over(element).unwrap();
        let bench = Bench { gpu: gpu(), case: Case { op, element }, results: reducer(gpu(), &monoid, twice) };
        for len in [0, 1, 17, 1000, 70_001] {
            bench.check_whole(Hard::Mixed, len, len as u64);
        }
    }
    let sum = reducer(gpu(), &Op::Sum.over(Element::F32).unwrap(), twice);
    let long = BufferRange { offset: 0, len: 1 << 20 };
    assert_eq!(sum.plan(Shape::Whole, &[long], None).unwrap().launches().len(), 2);
    assert!(matches!(sum.plan(Shape::Whole, &[long, long], None), Err(ReduceError::ExactInOneLaunch)));
    assert!(matches!(
        sum.plan(Shape::Strided { stride: 2 }, &[long], None),
        Err(ReduceError::ExactInOneLaunch)
    ));
    let elements = buffer(gpu(), &[0; 1 << 16], wgpu::BufferUsages::STORAGE);
    let count = buffer(gpu(), &[0; 4], wgpu::BufferUsages::STORAGE);
    let counted = sum.of(&elements).count_buffer(&count).into(&elements);
    assert!(matches!(counted, Err(ReduceError::ExactInOneLaunch)), "{counted:?}");
}
