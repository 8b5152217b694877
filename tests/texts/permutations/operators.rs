//! Operators that are not plain: an application's accumulators and parameters, sums of mapped values, masks, texels.

use halofold::reduce::{Arity, Monoid, Op};
use halofold::stencil::{Config, Grid, STENCILS};
use halofold::wgpu::TextureSampleType;
use halofold::{Element, Map};

use super::catalogue::reductions;
use super::check::check_all;

/// Operators of an application: the accumulator, a declared parameter, what `map` returns, what `combine` does. Accumulators have every
/// shape, which generated text takes apart into words. Parameters are the only variables that an operator may declare.
const CUSTOM: [[&str; 4]; 7] = [
    ["u32", "", "identity()", "a + b"],
    ["vec3<f32>", "", "identity()", "a + b"],
    ["vec4<i32>", "", "identity()", "max(a, b)"],
    ["Mixed", "", "identity()", "Mixed(a.x + b.x, a.y + b.y, Inner(a.z.v + b.z.v, a.z.w + b.z.w))"],
    ["Large", "", "identity()", "Large(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d)"],
    [
        "u32",
        "@group(0) @binding(9) var<uniform> camera: Camera;",
        "u32(elem < camera.planes[5].w * camera.reach)",
        "a + b",
    ],
    [
        "u32",
        "@group(0) @binding(10) var<storage> cameras: array<Camera>;",
        "u32(elem < cameras[index].planes[5].w * cameras[index].reach)",
        "a + b",
    ],
];

fn custom() -> Vec<Monoid> {
    let monoids = CUSTOM.map(|[acc, variable, map, combine]| {
        let text = format!(
            "struct Inner {{ v: vec2<f32>, w: i32 }}
struct Mixed {{ x: u32, y: vec3<u32>, z: Inner }}
struct Large {{ a: vec4<u32>, b: vec4<u32>, c: vec4<u32>, d: vec4<u32> }}
struct Camera {{ position: vec3<f32>, reach: f32, planes: array<vec4<f32>, 6> }}
{variable}
alias Acc = {acc};
fn map(elem: Elem, index: u32) -> Acc {{ return {map}; }}
fn identity() -> Acc {{ return {acc}(); }}
fn combine(a: Acc, b: Acc) -> Acc {{ return {combine}; }}
fn finish(acc: Acc, n: u32) -> u32 {{ return n; }}
"
        );
        Monoid::custom(&format!("{acc}: {map}"), Element::F32, Arity::One, &text).unwrap()
    });
    monoids.into()
}

/// Sums of values that a function of an application makes, plain and exact.
fn of_values() -> Vec<Monoid> {
    let sum = |name, arity, value| Monoid::sum_of(name, Element::F32, arity, value).unwrap();
    vec![
        sum("absolute", Arity::One, "fn value(x: f32) -> f32 { return abs(x); }"),
        sum("larger", Arity::Two, "fn value(x: f32, y: f32) -> f32 { return max(x, y) * 2.0; }"),
    ]
}

pub fn over(op: Op, element: Element) -> Monoid {
    op.over(element).unwrap()
}

/// Operators that leave elements out, with and without a short way for four of them.
pub fn keeping() -> Vec<Monoid> {
    let monoids = [
        over(Op::Variance, Element::F32).skipping_nan(),
        over(Op::ArgMin, Element::F32).masked(),
        over(Op::Dot, Element::F32).skipping_nan(),
        over(Op::Mean, Element::I32).masked(),
        over(Op::Sum, Element::F32).masked(),
    ];
    monoids.map(Result::unwrap).into()
}

/// Operators over texels: sums of floats, plain and exact, places of integers, and a type of an application's.
pub fn of_texels() -> Vec<Monoid> {
    let brightest = "alias Elem = vec4<f32>;
alias Acc = vec4<f32>;
fn map(elem: Elem, index: u32) -> Acc { return elem * f32(index % 2u); }
fn identity() -> Acc { return vec4<f32>(); }
fn combine(a: Acc, b: Acc) -> Acc { return max(a, b); }
fn finish(acc: Acc, n: u32) -> Acc { return acc; }
";
    let colours = Monoid::custom_struct("brightest", 16, Arity::One, brightest).unwrap();
    let whole =
        "fn map_texel(texel: vec4<f32>, at: vec2<u32>) -> vec4<f32> { return texel / f32(1u + at.x); }";
    let float = TextureSampleType::Float { filterable: false };
    let monoids = [
        over(Op::Sum, Element::F32).of_texels(Map::luminance()),
        over(Op::ArgMin, Element::U32).of_texels(Map::components(TextureSampleType::Uint, "g").unwrap()),
        over(Op::ArgMax, Element::I32).of_texels(Map::components(TextureSampleType::Sint, "a").unwrap()),
        colours.of_texels(Map::texels(float, whole).unwrap()),
    ];
    monoids.map(Result::unwrap).into()
}

/// The operators that add up the squared changes of an exact check.
pub fn exact_residuals() -> Vec<Monoid> {
    let config = |element| Config::new(STENCILS[0], STENCILS[0].fastest_step(), element, Grid::plane(50, 64));
    [Element::F32, Element::F64, Element::F16].map(|element| config(element).exact_residual()).into()
}

/// All kernels of 32-bit operators are written in each language, but for floats that texels add to a total.
#[test]
fn operators_of_every_kind_in_every_language() {
    for (monoids, of_texels) in [([custom(), of_values(), keeping()].concat(), false), (of_texels(), true)] {
        let mut kernels = reductions(monoids.clone(), 256);
        for monoid in &monoids {
            let composed = kernels.iter().filter(|item| item.traits.iter().any(|name| name == monoid.name()));
            assert!(composed.count() > 30, "{}", monoid.name());
        }
        kernels.iter_mut().for_each(|item| item.traits.clear());
        let refused = check_all(&kernels.iter().collect::<Vec<_>>());
        assert!(refused.keys().all(|(_, ty)| of_texels && *ty == "atomic<f32>"), "{refused:?}");
    }
}
