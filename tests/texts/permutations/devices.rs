//! What the library checks before it composes a kernel: features, workgroup memory, the stages of a plan.

use halofold::Element;
use halofold::reduce::{Arity, BufferRange, Op, Shape, ShapeKind, Strategy};
use halofold::wgpu::{Features, Limits};
use halofold_measure::Kernel;

use super::catalogue::{Distinct, generous, ways};
use super::item::sample;
use super::operations::MEMORY_EVERYWHERE;
use super::{KERNELS, MONOIDS, in_parallel, lints};
use crate::translate;

/// A device that lacks what a kernel needs is refused when the reducer is made, not by the driver. And no device is
/// given a kernel that the language of its back end lacks types for.
#[test]
fn no_kernel_needs_more_than_is_checked() {
    in_parallel(&sample(&KERNELS.kernels), |entry| {
        let text = &entry.item.kernel.wgsl;
        // The least that a device may have for this text.
        let mut features = entry.first.features;
        for (_, feature) in features.iter_names() {
            if entry.first.is_text_with(features - feature, text) {
                features = features - feature;
            }
        }
        let error = lints::invalid_with(text, features).map(|error| format!("with {features:?}: {error}"));
        let wrong = entry.item.foreseen.must.iter().filter(|(language, _)| {
            entry.first.is_text_with(entry.first.features & language.offered(), text)
        });
        let wrong = wrong.map(|(language, ty)| format!("{language} is given it, and lacks {ty}"));
        error.into_iter().chain(wrong).map(|why| format!("{}: {why}", entry.item.label)).collect()
    });
}

/// A rung that a device has too little workgroup memory for is refused, not left to the driver; and what halofold
/// chooses itself fits every device.
#[test]
fn workgroup_memory_is_checked() {
    let limits = |bytes: u64| Limits { max_compute_workgroup_storage_size: bytes as u32, ..generous() };
    let takes = |kernel: &Kernel| translate::check(kernel).unwrap().facts.workgroup_memory_bytes;
    let widest = [(Op::WideSum, Element::I64), (Op::LogSumExp, Element::F64)];
    let widest = widest.map(|(op, element)| op.over(element).unwrap());
    for workgroup_size in [256, 512, 1024] {
        let rungs = |entry: &super::catalogue::Entry<'_>| {
            matches!(entry.first.options.strategy, Strategy::Rung { .. })
        };
        let mut kernels = Distinct::of(&widest, workgroup_size).kernels;
        kernels.retain(rungs);
        in_parallel(&kernels, |entry| {
            let takes = takes(&entry.item.kernel);
            let (first, less) = (&entry.first, limits(takes.saturating_sub(1)));
            let is_refused = first.options.check(first.monoid, first.form, first.features, &less).is_err();
            let complaint = || format!("{} takes {takes} bytes", entry.item.label);
            (takes > MEMORY_EVERYWHERE && !is_refused).then(complaint).into_iter().collect()
        });
    }
    for monoid in &widest {
        for (form, options) in
            ways(256).into_iter().filter(|(_, options)| options.strategy == Strategy::Fastest)
        {
            for stage in options.stages(monoid, form, &limits(MEMORY_EVERYWHERE)) {
                if let Some(kernel) = Kernel::of(monoid, stage, Features::all() - Features::SUBGROUP) {
                    assert!(takes(&kernel) <= MEMORY_EVERYWHERE, "{} {form:?} {stage:?}", monoid.name());
                }
            }
        }
    }
}

/// Plans launch only stages whose kernels are looked at.
#[test]
fn plans_have_no_other_stages() {
    let limits = Limits::default();
    for monoid in MONOIDS.iter() {
        for (form, options) in ways(256) {
            let stages = options.stages(monoid, form, &limits);
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
                let is_pair = monoid.arity() == Arity::Two && !options.from_states;
                let plan = options.plan(monoid, shape, &[input], is_pair.then_some(input), &limits);
                for launch in plan.iter().flat_map(|plan| plan.launches()) {
                    let what = || format!("{} {form:?} {options:?} {launch:?}", monoid.name());
                    assert!(stages.contains(&launch.stage), "{}", what());
                }
            }
        }
    }
}
