//! Custom operators: accumulators of every shape, which generated text takes apart into words, and parameters.

use crate::translate::Language;
use halofold::reduce::{Arity, Monoid, Op};
use halofold::wgpu::TextureSampleType;
use halofold::{Element, Map};

use super::catalogue::Distinct;
use super::{SpirvVal, fail_on, in_parallel, lints, write};
use crate::translate;

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
    written_in_every_language(&monoids, None);
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
    written_in_every_language(&monoids, None);
}

/// Sums of values that a function of an application makes, plain and exact.
#[test]
fn sums_of_values() {
    let one = ("fn value(x: f32) -> f32 { return abs(x); }", Arity::One);
    let two = ("fn value(x: f32, y: f32) -> f32 { return max(x, y) * 2.0; }", Arity::Two);
    let monoids = [("absolute", one), ("larger", two)]
        .map(|(name, (text, arity))| Monoid::sum_of(name, Element::F32, arity, text).unwrap());
    written_in_every_language(&monoids, None);
}

#[test]
fn forms_that_leave_elements_out() {
    written_in_every_language(&keeping(), None);
}

/// Operators that leave elements out, with and without a short way for four of them.
pub fn keeping() -> [Monoid; 5] {
    let over = |op: Op, element| op.over(element).unwrap();
    [
        over(Op::Variance, Element::F32).skipping_nan(),
        over(Op::ArgMin, Element::F32).masked(),
        over(Op::Dot, Element::F32).skipping_nan(),
        over(Op::Mean, Element::I32).masked(),
        over(Op::Sum, Element::F32).masked(),
    ]
    .map(Result::unwrap)
}

/// Operators that read textures of every kind of sample, by every shape.
#[test]
fn texels_of_every_kind() {
    written_in_every_language(&of_texels(), Some("atomic<f32>"));
}

/// Operators over texels: sums of floats, plain and exact, places of integers, and a type of an application's.
pub fn of_texels() -> [Monoid; 4] {
    let brightest = "alias Elem = vec4<f32>;
alias Acc = vec4<f32>;
fn map(elem: Elem, index: u32) -> Acc { return elem * f32(index % 2u); }
fn identity() -> Acc { return vec4<f32>(); }
fn combine(a: Acc, b: Acc) -> Acc { return max(a, b); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";
    let colours = Monoid::custom_struct("brightest", 16, Arity::One, brightest).unwrap();
    let over = |op: Op, element| op.over(element).unwrap();
    let whole =
        "fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> vec4<f32> { return texel / f32(1u + at.x); }";
    let float = TextureSampleType::Float { filterable: false };
    [
        over(Op::Sum, Element::F32).of_texels(Map::luminance()),
        over(Op::ArgMin, Element::U32).of_texels(Map::components(TextureSampleType::Uint, "g").unwrap()),
        over(Op::ArgMax, Element::I32).of_texels(Map::components(TextureSampleType::Sint, "a").unwrap()),
        colours.of_texels(Map::texels(float, whole).unwrap()),
    ]
    .map(Result::unwrap)
}

/// Checks that all kernels of operators over numbers of 32 bits are written in each language, unless it is foreseen that it refuses a type.
fn written_in_every_language(monoids: &[Monoid], refused: Option<&'static str>) {
    let distinct = Distinct::of(monoids, 256);
    for monoid in monoids {
        let composed = distinct.kernels.iter().filter(|entry| entry.first.monoid.name() == monoid.name());
        assert!(composed.count() > 30, "{}", monoid.name());
    }
    fail_on(&in_parallel(&distinct.kernels, |entry| {
        let label = entry.first.label();
        let mut complaints = lints::broken_rules(&entry.kernel);
        let checked = translate::check(&entry.kernel).expect("it is valid");
        // Sums of floats alone may add atomically.
        let refused = refused.filter(|_| entry.first.monoid.name() == "sum");
        for language in Language::ALL {
            let outcome = write(entry, &checked, language, SpirvVal::find());
            complaints.extend(
                (outcome != Ok(None) && outcome != Ok(refused)).then(|| format!("{language}: {outcome:?}")),
            );
        }
        complaints.into_iter().map(|why| format!("{label}: {why}")).collect()
    }));
}
