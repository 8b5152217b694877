//! Accumulators of every shape: what takes them apart into words is generated.

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
    let distinct = Distinct::of(&monoids, 256);
    for monoid in &monoids {
        let composed = distinct.kernels.iter().filter(|entry| entry.first.monoid.name() == monoid.name());
        assert!(composed.count() > 30, "{}", monoid.name());
    }
    fail_on(&in_parallel(&distinct.kernels, |entry| {
        let label = entry.first.label();
        let mut complaints = lints::broken_rules(&entry.kernel);
        let checked = entry.kernel.check().expect("it is valid");
        for language in Language::ALL {
            // Numbers of 32 bits are never refused.
            let outcome = write(entry, &checked, language, SpirvVal::find());
            complaints.extend((outcome != Ok(None)).then(|| format!("{language}: {outcome:?}")));
        }
        complaints.into_iter().map(|why| format!("{label}: {why}")).collect()
    }));
}
