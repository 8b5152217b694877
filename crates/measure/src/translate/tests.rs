use super::*;
use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::ladder::Rung;

use crate::Job;

fn limits() -> wgpu::Limits {
    wgpu::Limits { max_compute_invocations_per_workgroup: 1024, ..Default::default() }
}

fn job(rung: &str, op: Op, element: Element) -> Job {
    let mut job = Job::new(Rung::named(rung).unwrap(), op, element, &limits(), 1 << 20).unwrap();
    job.tuning = job.tuning.with_workgroup_size(256).with_tile(1024);
    job
}

/// The first of a job's stages that has a name.
fn stage(job: &Job, name: &str) -> Kernel {
    let stages = job.stages(&limits());
    let stage = stages.into_iter().find(|stage| stage_name(*stage) == name).unwrap();
    Kernel::of(&job.monoid(), stage, HELPFUL_FEATURES).unwrap()
}

fn kernel(rung: &str, op: Op, element: Element) -> Kernel {
    stage(&job(rung, op, element), "elements")
}

fn text(kernel: &Kernel, language: Language) -> String {
    match kernel.translate(language).unwrap().code {
        Code::Text(text) => text,
        Code::Words(_) => panic!("{language} is text"),
    }
}

/// Translates the entry point `main` of a module.
fn translate(
    wgsl: &str,
    overrides: &[(&str, f64)],
    language: Language,
) -> Result<Translation, TranslateError> {
    Checked::new(wgsl, "main", overrides)?.write(language)
}

#[test]
fn names_round_trip() {
    for language in Language::ALL {
        assert_eq!(language.name().parse::<Language>().unwrap(), language);
    }
    assert!("metal".parse::<Language>().unwrap_err().to_string().contains("msl"));
}

#[test]
fn the_facts_of_sequential() {
    let facts = kernel("sequential", Op::Sum, Element::F32).translate(Language::Wgsl).unwrap().facts;
    assert_eq!(facts.workgroup_size, [256, 1, 1]);
    assert_eq!(facts.workgroup_memory_bytes, 1024);
    // One after the filling, one a step.
    assert_eq!(facts.barriers, Barriers { once: 1, per_step: 1 });
    assert!(facts.subgroup_operations.is_empty());
    let bindings: Vec<_> =
        facts.bindings.iter().map(|b| (b.slot, b.name.as_str(), b.access.name(), b.ty.as_str())).collect();
    assert_eq!(
        bindings,
        [
            (0, "input", "var<storage, read>", "array<f32>"),
            (1, "output", "var<storage, read_write>", "array<f32>"),
            (2, "params", "var<uniform>", "Params"),
        ]
    );
}

#[test]
fn constant_conditions_leave_barriers_out() {
    let kernel = kernel("unrolled-full", Op::Sum, Element::F32);
    for (workgroup_size, once) in [(1.0, 1), (2.0, 1), (4.0, 2), (256.0, 8), (1024.0, 10)] {
        let overrides = [("WG", workgroup_size)];
        let facts = translate(&kernel.wgsl, &overrides, Language::Wgsl).unwrap().facts;
        assert_eq!(facts.barriers, Barriers { once, per_step: 0 }, "{workgroup_size}");
    }
}

#[test]
fn subgroup_operations_are_named() {
    let facts = |rung, element| {
        kernel(rung, Op::Sum, element).translate(Language::Wgsl).unwrap().facts.subgroup_operations
    };
    assert_eq!(facts("subgroup-add", Element::F32), ["subgroupAdd"]);
    assert_eq!(facts("subgroup-add", Element::I64), ["subgroupShuffleDown"]);
    assert_eq!(facts("subgroup-butterfly", Element::U32), ["subgroupShuffleXor"]);
}

#[test]
fn slots_are_numbered_as_in_wgpu() {
    let kernel = kernel("single-pass", Op::Sum, Element::F32);
    let metal = text(&kernel, Language::Msl);
    for slot in ["input [[buffer(0)]]", "output [[buffer(1)]]", "params [[buffer(2)]]"] {
        assert!(metal.contains(slot), "{slot}");
    }
    for slot in ["input4_ [[buffer(3)]]", "partials [[buffer(4)]]", "_buffer_sizes [[buffer(5)]]"] {
        assert!(metal.contains(slot), "{slot}");
    }
    let dx12 = text(&kernel, Language::Hlsl);
    for slot in ["input : register(t0)", "input4_ : register(t1)", "output : register(u0)"] {
        assert!(dx12.contains(slot), "{slot}");
    }
    for slot in ["partials : register(u1)", "params : register(b0)"] {
        assert!(dx12.contains(slot), "{slot}");
    }
}

#[test]
fn a_layout_holds_the_parameters_also_where_they_are_not_read() {
    let seed = stage(&job("workgroup-atomic", Op::Sum, Element::U32), "seed");
    assert!(text(&seed, Language::Msl).contains("output [[buffer(0)]]"));
}

#[test]
fn a_type_that_a_language_lacks_is_named() {
    let doubles = kernel("sequential", Op::Sum, Element::F64);
    let error = doubles.translate(Language::Msl).unwrap_err().to_string();
    assert!(error.contains("msl") && error.contains("f64"), "{error}");
    let halves = kernel("sequential", Op::Sum, Element::F16);
    let error = halves.translate(Language::Glsl).unwrap_err().to_string();
    assert!(error.contains("glsl") && error.contains("f16"), "{error}");
    let longs = kernel("sequential", Op::Max, Element::F64);
    let error = longs.translate(Language::Glsl).unwrap_err().to_string();
    assert!(error.contains("glsl") && error.contains("i64"), "{error}");
    assert!(longs.translate(Language::Msl).is_ok());
}

#[test]
fn bad_text_and_bad_names_are_errors() {
    let parse = translate("fn main( {", &[], Language::Wgsl).unwrap_err();
    assert!(matches!(parse, TranslateError::Parse(_)), "{parse}");
    let invalid = translate("@compute @workgroup_size(0) fn main() {}", &[], Language::Wgsl);
    assert!(matches!(invalid, Err(TranslateError::Invalid(_))), "{invalid:?}");
    let valid = "@compute @workgroup_size(1) fn main() {}";
    let entry = Checked::new(valid, "kernel", &[]).unwrap_err().to_string();
    assert_eq!(entry, "no compute entry point `kernel`; there is main");
    let overrides = translate(valid, &[("WG", 2.0)], Language::Spirv).unwrap_err();
    assert!(overrides.to_string().contains("WG"), "{overrides}");
}
