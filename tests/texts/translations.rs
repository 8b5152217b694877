//! Facts and slots of translated kernels.

use halofold::Element;
use halofold::adapter::HELPFUL_FEATURES;
use halofold::ladder::Rung;
use halofold::reduce::{Op, Tuning};
use halofold::wgpu::Limits;
use halofold_measure::{Job, Kernel};

use crate::translate::{Code, Language, check, stage_name, translate};

/// A stage of a rung's job, by name.
fn kernel(rung: &str, stage: &str) -> Kernel {
    let limits = Limits::default();
    let mut job = Job::new(Rung::named(rung).unwrap(), Op::Sum, Element::F32, &limits, 1 << 20).unwrap();
    job.tuning = Tuning { tile: 1024, ..job.tuning.with_workgroup_size(256) };
    let stages = job.stages(&limits);
    let stage = stages.into_iter().find(|found| stage_name(*found) == stage).unwrap();
    Kernel::of(&job.monoid(), stage, HELPFUL_FEATURES).unwrap()
}

fn text(kernel: &Kernel, language: Language) -> String {
    match translate(kernel, language).unwrap().code {
        Code::Text(text) => text,
        Code::Words(_) => panic!("{language} is text"),
    }
}

#[test]
fn facts_of_sequential_are_known() {
    let kernel = kernel("sequential", "elements");
    let checked = check(&kernel).unwrap();
    let facts = &checked.facts;
    assert_eq!((facts.workgroup_size, facts.workgroup_memory_bytes), ([256, 1, 1], 1024));
    let bindings = facts.bindings.iter().map(|b| (b.slot, b.name.as_str(), b.access.name(), b.ty.as_str()));
    let expected = [
        (0, "input", "var<storage, read>", "array<f32>"),
        (1, "output", "var<storage, read_write>", "array<f32>"),
        (2, "params", "var<uniform>", "Params"),
    ];
    assert!(bindings.eq(expected), "{facts:?}");
}

#[test]
fn slots_are_numbered_as_in_wgpu() {
    let single_pass = kernel("single-pass", "elements");
    let (metal, dx12) = (text(&single_pass, Language::Msl), text(&single_pass, Language::Hlsl));
    for (slot, name) in
        ["input", "output", "params", "input4_", "partials", "_buffer_sizes"].iter().enumerate()
    {
        assert!(metal.contains(&format!("{name} [[buffer({slot})]]")), "{name}");
    }
    for (name, register) in
        [("input", "t0"), ("input4_", "t1"), ("output", "u0"), ("partials", "u1"), ("params", "b0")]
    {
        assert!(dx12.contains(&format!("{name} : register({register})")), "{name}");
    }
    // The layout has the parameters, although they are not read.
    assert!(text(&kernel("workgroup-atomic", "seed"), Language::Msl).contains("output [[buffer(0)]]"));
}
