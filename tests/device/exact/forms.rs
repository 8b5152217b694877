//! Forms that exact sums have, and the errors of the others: plans, prefixes, runs of equal keys, and values that an application makes of elements.

use half::f16;
use halofold::ladder::{Rung, Setup};
use halofold::reduce::reference::running;
use halofold::reduce::{Accuracy, Arity, BufferRange, Monoid, Op, Shape, Tuning};
use halofold::scan::Scan;
use halofold::{Element, Launches, wgpu};
use halofold_cases::How;

use super::arrays::{Hard, array};
use super::bench::{cases, exact};
use crate::by_key::{outputs, runs};
use crate::common::{Random, buffer, compile, gpu, oracle};
use crate::cut::Cut;
use crate::{refusals, scan};

#[test]
fn operators_without_an_exact_form_are_refused() {
    let device = &gpu().device;
    let make = |monoid: Monoid, how: How| how.on(device, &monoid);
    let of = |op: Op, element| make(op.over(element).unwrap(), exact());
    // A rung that rounds is none for exact sums, whichever asks for them.
    let rung = Rung::named("vectorized").unwrap();
    let vectorized = Setup::new(rung, &device.limits(), 1 << 22);
    let sum = Op::Sum.over(Element::F32).unwrap();
    let by_rung = |monoid, accuracy| {
        make(monoid, How::default().with_accuracy(accuracy).with_rung(vectorized)).unwrap_err()
    };
    let accumulated = of(Op::Sum, Element::F32).unwrap();
    let accumulated = accumulated.plan(Shape::Accumulate, &[BufferRange { offset: 0, len: 16 }], None);

    let twice = make(sum.clone(), exact().with_launches(Launches::Two)).unwrap();
    let long = BufferRange { offset: 0, len: 1 << 20 };
    let plan = |shape, inputs: &[BufferRange]| twice.plan(shape, inputs, None);
    assert_eq!(plan(Shape::Whole, &[long]).unwrap().launches().len(), 2);
    let elements = buffer(gpu(), &[0; 1 << 16], wgpu::BufferUsages::STORAGE);
    let count = buffer(gpu(), &[0; 4], wgpu::BufferUsages::STORAGE);
    let counted = twice.of(&elements).count_buffer(&count).bind(&elements);
    let scanned = |op, element| compile(&gpu().device, Scan::new(exact_sum(op, element))).unwrap_err();
    let accumulators = "exact sums of f32 and f16";
    refusals::check(
        [(Op::Sum, Element::F64), (Op::Mean, Element::F32), (Op::Dot, Element::F32)]
            .map(|(op, element)| (scanned(op, element), "", accumulators)),
    );
    let text = |element, text| Monoid::sum_of("wrong", element, Arity::One, text).unwrap_err();
    refusals::check([
        (text(Element::F32, "fn other(x: f32) -> f32 { return x; }"), "", "fn value(x: f32) -> f32"),
        (text(Element::F32, "\nfn value(x: u32) -> f32 { return 0.0; }"), "", "line 2"),
        (text(Element::I32, AROUND), "", "i32"),
    ]);
    refusals::check([
        (of(Op::Max, Element::F32).unwrap_err(), "Setting(accuracy,", "sum of f32, f64, f16; dot of f32"),
        (of(Op::Sum, Element::U32).unwrap_err(), "Setting(accuracy,", ""),
        (accumulated.unwrap_err(), "Setting(shape,", "states"),
        (by_rung(sum.clone(), Accuracy::Exact), "Setting(rung,", "`vectorized` rounds"),
        (by_rung(sum.exact().unwrap(), Accuracy::Fast), "Setting(rung,", "`vectorized` rounds"),
        (plan(Shape::Whole, &[long, long]).unwrap_err(), "Setting(launches,", "in one launch"),
        (plan(Shape::Strided { stride: 2 }, &[long]).unwrap_err(), "Setting(launches,", "in one launch"),
        (counted.unwrap_err(), "Setting(launches,", "in one launch"),
    ]);
}

/// The rung of the ladder, with the tuning that it is given there, dispatches the kernels that the library dispatches by default.
#[test]
fn the_rung_is_the_librarys_kernel() {
    let rung = Rung::named("exact").unwrap();
    for limits in [wgpu::Limits::default(), gpu().device.limits()] {
        for case in cases() {
            let monoid = case.0.over(case.1).unwrap();
            for power in 0..30 {
                let all = BufferRange { offset: 0, len: (1 << power) + 1 };
                let second = (case.0 == Op::Dot).then_some(all);
                let plan = |setup: Option<Setup>| {
                    let how = setup.map_or(exact(), |setup| exact().with_rung(setup));
                    how.plan(&monoid, Shape::Whole, &[all], second, &limits).unwrap()
                };
                let bytes = all.len * case.1.size();
                let tuning = Tuning::for_operator(rung.kernel, &monoid, &limits, bytes);
                let as_there = Setup { rung, finish: rung.finishes[0], tuning };
                let plans = [Some(as_there), None].map(plan);
                let [ladder, library] = plans.map(|plan| {
                    let launch = &plan.launches()[0];
                    (plan.launches().len(), launch.step.workgroup_size, plan.workgroups(), plan.partials())
                });
                assert_eq!(ladder, library, "{case:?}, 2^{power}");
            }
        }
    }
}

fn exact_sum(op: Op, element: Element) -> Monoid {
    op.over(element).unwrap().exact().unwrap()
}

/// Every kind of array is a row, longer than a tile. Prefixes pass through all magnitudes, subnormal numbers, infinities and NaNs.
#[test]
fn prefixes_are_those_of_whole_sums() {
    const ROW: usize = 1500;
    for element in [Element::F32, Element::F16] {
        let scan = Scan::new(exact_sum(Op::Sum, element)).exclusive();
        let rows = Hard::ALL.map(|hard| array(hard, element, ROW, 7)).concat();
        let expected = |row: &[u8]| running(Op::Sum, element, Accuracy::Exact, true).unwrap()(row);
        scan::judge(
            gpu(),
            (scan, Op::Sum, element),
            &rows,
            (ROW, halofold::Cut::Rows(ROW as u64)),
            0,
            expected,
        );
    }
}

/// The same runs come twice, the second time with their values backwards and in other tiles: 16-bit floats where the device has these.
#[test]
fn runs_have_the_same_bits_in_any_order() {
    let has_half = gpu().device.features().contains(wgpu::Features::SHADER_F16);
    let element = if has_half { Element::F16 } else { Element::F32 };
    let size = element.size() as usize;
    let mut random = Random::new(5);
    let (keys, ranges) = runs(&[(9000, 3000)], &mut random);
    let runs = ranges.iter().zip(Hard::ALL.into_iter().cycle());
    let runs = runs.map(|(range, hard)| array(hard, element, range.len(), range.start as u64));
    let values = runs.collect::<Vec<_>>().concat();
    let backwards = ranges.iter().flat_map(|range| range.clone().rev());
    let again = backwards.flat_map(|at| &values[size * at..][..size]).copied();
    let twice: Vec<u8> = values.iter().copied().chain(again).collect();
    let other_keys = keys.iter().map(|key| !key);
    let keys: Vec<u32> = keys.iter().copied().chain(other_keys).collect();
    let sum = Some(exact_sum(Op::Sum, element));
    let [_, sums] = outputs(Element::U32, sum, [bytemuck::cast_slice(&keys), &twice], [0, 4]);
    let (first, second) = sums.split_at(ranges.len());
    assert_eq!(first, second, "in another order");
    for (range, got) in ranges.iter().zip(first) {
        let part = &values[size * range.start..size * range.end];
        assert_eq!(u64::from(*got), oracle::expected(Op::Sum, element, part, None), "{range:?}");
    }
}

/// A function that makes 1 of zeros: none stands in for an element that is not there.
const AROUND: &str = "fn value(x: f32) -> f32 { return abs(x - 1.0); }";

/// Sums the values of elements, or of pairs, and compares with the sums of the values that the CPU makes.
fn check_mapped(element: Element, arity: Arity, text: &str, value: impl Fn(f32, f32) -> f32, cuts: Vec<Cut>) {
    let gpu = gpu();
    let monoid = Monoid::sum_of("value", element, arity, text).unwrap();
    let reducer = exact().on(&gpu.device, &monoid).unwrap();
    for cut in cuts {
        let bytes = array(Hard::Mixed, element, 2 * cut.len, 1);
        let both: Vec<f32> = match element {
            Element::F16 => {
                bytemuck::pod_collect_to_vec::<u8, f16>(&bytes).into_iter().map(f16::to_f32).collect()
            }
            _ => bytemuck::pod_collect_to_vec(&bytes),
        };
        let (first, second) = bytes.split_at(bytes.len() / 2);
        let inputs = if arity == Arity::Two { vec![first, second] } else { vec![first] };
        let held = cut.hold(gpu, element.size() as usize, &inputs);
        let got: Vec<u32> = bytemuck::pod_collect_to_vec(&held.reduce(gpu, &reducer));
        let sum = |group| {
            let values: Vec<f32> =
                Iterator::map(group, |at: usize| value(both[at], both[cut.len + at])).collect();
            oracle::expected(Op::Sum, Element::F32, bytemuck::cast_slice(&values), None) as u32
        };
        let want: Vec<_> = cut.groups().into_iter().map(sum).collect();
        assert_eq!(got, want, "{element}, {cut}");
        if arity == Arity::Two && want.len() == 1 {
            let sum: f32 = held.reduction(&reducer).run(&gpu.queue).unwrap();
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
    check_mapped(Element::F32, Arity::One, AROUND, around, cuts);
    check_mapped(Element::F16, Arity::One, AROUND, around, vec![Cut::whole(5003).at(1)]);
    let text = "fn value(x: f32, y: f32) -> f32 { return max(x, y) + 2.0; }";
    check_mapped(Element::F32, Arity::Two, text, |x, y| x.max(y) + 2.0, vec![Cut::whole(9001).at(2)]);
}
