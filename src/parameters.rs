//! Tests that dispatches have the parameters of their kernels.

use wgpu::{Features, Limits};

use crate::gpu::params::assert_fields;
use crate::group::{GroupByKey, ReduceRuns};
use crate::histogram::{Histogram, Keys};
use crate::rank::{Quantiles, TopK};
use crate::reduce::{BufferRange, Op};
use crate::scan::Scan;
use crate::select::Select;
use crate::{Cut, DispatchArguments, Element, Map, OfTexels, Planned};

/// Compares each kernel with the dispatch that launches it, or with the last one where a plan does not launch it.
fn check(operation: &impl Planned) {
    let (limits, input) = (Limits::default(), BufferRange { offset: 0, len: 5000 });
    let second = operation.second_item().map(|_| input);
    let passes = operation.plan(Cut::All, input, second, &limits).unwrap().passes;
    for step in operation.steps() {
        let pass = passes.iter().find(|pass| pass.step == step).or(passes.last()).unwrap();
        let kernel = operation.kernel(step, Features::empty(), &limits);
        assert_fields(("Params", pass.fields()), &kernel.label, &kernel.wgsl);
    }
}

#[test]
fn parameters_are_those_of_the_kernels() {
    let sum = Op::Sum.over(Element::F32).unwrap();
    check(&DispatchArguments::new(1));
    check(&GroupByKey::new(Element::U32, Element::F32, 5000).sum().min().variance());
    check(&OfTexels::new(Quantiles::nth(Element::F32, [0]), Map::luminance()));
    check(&Quantiles::new(Element::F32, [0.5]));
    check(&ReduceRuns::new(Element::U32, sum.clone()));
    check(&Scan::new(sum).continuing());
    check(&Select::unique(Element::U32));
    check(&TopK::new(Element::F32, 10));
    for keys in [Keys::Numbers, Keys::Ranges { low: 0.0, high: 1.0 }, Keys::U32Levels([0, 100, 200].into())] {
        check(&Histogram::new(keys, 2).with_stride(3, 1));
    }
}
