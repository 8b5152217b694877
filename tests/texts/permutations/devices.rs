//! What the library checks before it composes a kernel: operators and forms, workgroup memory, the stages of a plan.

use halofold::Element;
use halofold::ladder::{Finish, Setup};
use halofold::reduce::{Accuracy, Arity, BufferRange, Monoid, Op, Shape, ShapeKind};
use halofold::wgpu::{Features, Limits};
use halofold_cases::How;
use halofold_measure::Kernel;

use super::catalogue::{Permutation, generous, monoids, permutations, ways};
use super::in_parallel;
use super::operations::MEMORY_EVERYWHERE;
use super::operators::over;
use crate::translate;

/// A rung with too much workgroup memory for a device is refused, not left to the driver; halofold's own choice fits every device.
#[test]
fn workgroup_memory_is_checked() {
    let limits = |bytes: u64| Limits { max_compute_workgroup_storage_size: bytes as u32, ..generous() };
    let takes = |kernel: &Kernel| translate::check(kernel).unwrap().facts.workgroup_memory_bytes;
    let widest = [over(Op::WideSum, Element::I64), over(Op::LogSumExp, Element::F64)];
    for monoid in &*Vec::from(widest).leak() {
        let by_rungs = [256, 512, 1024].map(|size| permutations(monoid, size)).concat();
        let is_rung = |it: &Permutation| it.how.rung.is_some();
        in_parallel(&by_rungs.into_iter().filter(is_rung).collect::<Vec<_>>(), |it| {
            let takes = takes(&it.kernel());
            let less = limits(takes.saturating_sub(1));
            let is_refused = it.how.check(monoid, it.form, it.features, &less).is_err();
            let complaint = || format!("{:?} takes {takes} bytes", it.how);
            (takes > MEMORY_EVERYWHERE && !is_refused).then(complaint).into_iter().collect()
        });
        for (form, how) in ways(256) {
            for stage in how.stages(monoid, form, &limits(MEMORY_EVERYWHERE)) {
                let kernel = Kernel::of(monoid, stage, Features::all() - Features::SUBGROUP);
                let fits = kernel.is_none_or(|kernel| takes(&kernel) <= MEMORY_EVERYWHERE);
                assert!(fits || how.rung.is_some(), "{} {form:?} {stage:?}", monoid.name());
            }
        }
    }
}

/// Every operator goes through every form and every rung, and plans dispatch only stages whose kernels are looked at.
#[test]
fn plans_have_no_other_stages() {
    let limits = Limits::default();
    for monoid in monoids() {
        for (form, how) in ways(256) {
            let checked = how.check(&monoid, form, Features::all(), &generous());
            let what = || format!("{} of {:?}, {form:?} {how:?}", monoid.name(), monoid.element());
            assert_eq!(checked.is_ok(), is_defined(&monoid, form, &how), "{}: {checked:?}", what());
            let stages = how.stages(&monoid, form, &limits);
            for len in [0, 1, 1000, 1 << 20, 1 << 26] {
                let shape = match form {
                    ShapeKind::Whole => Shape::Whole,
                    ShapeKind::Accumulate => Shape::Accumulate,
                    ShapeKind::Strided => Shape::Strided { stride: 3 },
                    ShapeKind::Segments => Shape::Segments { len: len.max(1) },
                    ShapeKind::Offsets => Shape::Offsets { count: 10 },
                    _ => Shape::Axis { outer: len.min(1), len: (len / 2).max(1), inner: 1 + len.min(2) / 2 },
                };
                let input = BufferRange { offset: 0, len };
                let is_pair = monoid.arity() == Arity::Two && !how.from_states;
                let plan = how.plan(&monoid, shape, &[input], is_pair.then_some(input), &limits);
                for launch in plan.iter().flat_map(|plan| plan.launches()) {
                    assert!(stages.contains(&launch.step), "{} {launch:?}", what());
                }
            }
        }
    }
}

/// An atomic word takes accumulators and turns into the result; exact sums and sums onto a result are of some.
fn is_defined(monoid: &Monoid, form: ShapeKind, how: &How) -> bool {
    let bits =
        |ty: &str| ["32", "64"].map(|bits| ["u", "i", "f"].iter().any(|kind| *ty == format!("{kind}{bits}")));
    match how.rung {
        Some(Setup { finish: Finish::Atomic, .. }) => {
            let [acc, out] = [monoid.acc_type(), monoid.out_type()].map(bits);
            acc.contains(&true) && acc == out
        }
        Some(Setup { rung, .. }) if rung.name() == "exact" => monoid.exact().is_some(),
        None if how.accuracy == Accuracy::Exact => monoid.exact().is_some(),
        _ => form != ShapeKind::Accumulate || monoid.accumulates().is_some(),
    }
}
