//! Custom operators: accumulators of every shape, which generated text takes apart into words, and parameters.

use halofold::Element;
use halofold::reduce::{Arity, Monoid};
use halofold_measure::translate::Language;

use super::catalogue::Distinct;
use super::{SpirvVal, fail_on, in_parallel, lints, write};

const SHAPES: [(&str, &str, &str); 5] = [
    ("u32", "0u", "a + b"),
    ("vec3<f32>", "vec3<f32>()", "a + b"),
    ("vec4<i32>", "vec4<i32>()", "max(a, b)"),
    ("Mixed", "Mixed()", "Mixed(a.x + b.x, a.y + b.y, Inner(a.z.v + b.z.v, a.z.w + b.z.w))"),
    ("Large", "Large()", "Large(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d)"),
];

#[test]
fn accumulators_of_every_shape() {
    let monoids = SHAPES.map(|(acc, identity, combine)| {
        let text = format!(
            "struct Inner {{ v: vec2<f32>, w: i32 }}
struct Mixed {{ x: u32, y: vec3<u32>, z: Inner }}
struct Large {{ a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32> }}
alias Acc = {acc};
fn map(elem: Elem, index: u32) -> Acc {{ return identity(); }}
fn identity() -> Acc {{ return {identity}; }}
fn combine(a: Acc, b: Acc) -> Acc {{ return {combine}; }}
fn finish(acc: Acc, n: u32) -> u32 {{ return n; }}
"
        );
        Monoid::custom(acc, Element::F32, Arity::One, &text).unwrap()
    });
    written_in_every_language(&monoids);
}

/// The variables of parameters, the only ones that an operator's text declares.
const PARAMETERS: [(&str, &str); 2] = [
    ("@group(0) @binding(9) var<uniform> camera: Camera;", "camera"),
    ("@group(0) @binding(10) var<storage> cameras: array<Camera>;", "cameras[index]"),
];

#[test]
fn parameters_of_every_kind() {
    let monoids = PARAMETERS.map(|(variable, camera)| {
        let text = format!(
            "struct Camera {{ position: vec3<f32>, reach: f32, planes: array<vec4<f32>, 6> }}
{variable}
alias Acc = u32;
fn map(elem: Elem, index: u32) -> Acc {{ return u32(elem < {camera}.planes[5].w * {camera}.reach); }}
fn identity() -> Acc {{ return 0u; }}
fn combine(a: Acc, b: Acc) -> Acc {{ return a + b; }}
fn finish(acc: Acc, n: u32) -> u32 {{ return acc; }}
"
        );
        Monoid::custom(camera, Element::F32, Arity::One, &text).unwrap()
    });
    written_in_every_language(&monoids);
}

/// Sums of values that a function of an application makes, plain and exact.
#[test]
fn sums_of_values() {
    let one = ("fn value(x: f32) -> f32 { return abs(x); }", Arity::One);
    let two = ("fn value(x: f32, y: f32) -> f32 { return max(x, y) * 2.0; }", Arity::Two);
    let monoids = [("absolute", one), ("larger", two)]
        .map(|(name, (text, arity))| Monoid::sum_of(name, Element::F32, arity, text).unwrap());
    written_in_every_language(&monoids);
}

/// Checks that all kernels of operators over numbers of 32 bits, which no language refuses, are written in each.
fn written_in_every_language(monoids: &[Monoid]) {
    let distinct = Distinct::of(monoids, 256);
    for monoid in monoids {
        let composed = distinct.kernels.iter().filter(|entry| entry.first.monoid.name() == monoid.name());
        assert!(composed.count() > 30, "{}", monoid.name());
    }
    fail_on(&in_parallel(&distinct.kernels, |entry| {
        let label = entry.first.label();
        let mut complaints = lints::broken_rules(&entry.kernel);
        let checked = entry.kernel.check().expect("it is valid");
        for language in Language::ALL {
            let outcome = write(entry, &checked, language, SpirvVal::find());
            complaints.extend((outcome != Ok(None)).then(|| format!("{language}: {outcome:?}")));
        }
        complaints.into_iter().map(|why| format!("{label}: {why}")).collect()
    }));
}
