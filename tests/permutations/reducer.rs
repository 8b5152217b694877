//! Every operator of the embeddable reducer, composed for every step, with subgroups and without.

use std::collections::BTreeMap;

use halofold::Element;
use halofold::reducer::{Arity, Monoid, Op, Step};
use halofold::wgpu::Features;
use halofold_measure::translate::{Code, Kernel, Language, TranslateError};

use crate::{SpirvVal, fail_on, in_parallel, lints, say};

const STEPS: [Step; 13] = [
    Step::Whole { workgroup_size: 256 },
    Step::Adjoining { workgroup_size: 256 },
    Step::Accumulate { workgroup_size: 256 },
    Step::Segments,
    Step::Chunks,
    Step::Merge,
    Step::Strided,
    Step::Offsets,
    Step::Tiles,
    Step::Join,
    Step::Columns,
    Step::ColumnChunks,
    Step::ColumnMerge,
];

/// The steps that an operator is held against: each that reads elements in a way of its own. The other kernels put the same
/// operators together in other ways: one narrow type and one wide one will do.
fn is_tried(monoid: &Monoid, step: Step) -> bool {
    match step {
        Step::Strided
        | Step::Offsets
        | Step::Tiles
        | Step::Join
        | Step::Columns
        | Step::ColumnChunks
        | Step::ColumnMerge => matches!(monoid.element(), Element::U32 | Element::F64),
        _ => true,
    }
}

/// A kernel, what it is, and the types it may be refused for.
struct Entry {
    label: String,
    kernel: Kernel,
    features: Features,
}

fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    for &op in Op::ALL {
        for element in Element::ALL {
            let Some(monoid) = op.over(element) else { continue };
            entries.extend(of_monoid(&format!("{op} of {element}"), &monoid));
        }
    }
    entries
}

/// Every kernel at two workgroup sizes, by what it is.
pub fn labelled() -> impl Iterator<Item = (String, Kernel)> {
    entries().into_iter().flat_map(|Entry { label, kernel, .. }| {
        [64, 256].map(|size| {
            let overrides = vec![("WG", f64::from(size))];
            (format!("reducer/{label}, {size}"), Kernel { overrides, ..kernel.clone() })
        })
    })
}

fn of_monoid(name: &str, monoid: &Monoid) -> impl Iterator<Item = Entry> {
    let ways = STEPS
        .into_iter()
        .filter(|step| is_tried(monoid, *step))
        .flat_map(|step| [(step, true), (step, false)]);
    ways.filter_map(move |(step, subgroups)| {
        let besides = match step {
            Step::Accumulate { .. } => monoid.accumulates()?,
            _ => Features::empty(),
        };
        Some(Entry {
            label: format!("{name}, {step:?}, subgroups {subgroups}"),
            kernel: Kernel {
                wgsl: monoid.compose(step, subgroups)?,
                entry_point: "main",
                overrides: vec![("WG", 256.0)],
            },
            features: monoid.features() | besides,
        })
    })
}

/// Whether a language may refuse a kernel that needs these features, for this type.
fn may_lack(language: Language, ty: &str, features: Features) -> bool {
    match (language, ty) {
        (Language::Msl | Language::Hlsl, "f64") => features.contains(Features::SHADER_F64),
        (Language::Glsl, "f16") => features.contains(Features::SHADER_F16),
        (Language::Glsl, "i64" | "u64") => features.contains(Features::SHADER_INT64),
        (Language::Hlsl | Language::Glsl, "atomic<f32>") => {
            features.contains(Features::SHADER_FLOAT32_ATOMIC)
        }
        (Language::Msl, "atomic<i64>" | "atomic<u64>") => {
            features.contains(Features::SHADER_INT64_ATOMIC_ALL_OPS)
        }
        _ => false,
    }
}

/// Writes a kernel in a language; answers whether it was refused, or a complaint.
fn write(entry: &Entry, language: Language, spirv_val: Option<&SpirvVal>) -> Result<bool, String> {
    match entry.kernel.translate(language) {
        Ok(translation) => match (translation.code, spirv_val) {
            (Code::Words(words), Some(spirv_val)) => spirv_val.check(&words).map(|()| false),
            _ => Ok(false),
        },
        Err(TranslateError::Type { ty, .. }) if may_lack(language, ty, entry.features) => Ok(true),
        Err(error) => Err(error.to_string()),
    }
}

#[test]
fn every_operator_in_every_language() {
    let entries = entries();
    let spirv_val = SpirvVal::find();
    fail_on(&in_parallel(&entries, |entry| {
        let complaints = Language::ALL.into_iter().filter_map(|language| {
            let why = write(entry, language, spirv_val).err()?;
            Some(format!("{} as {language}: {why}", entry.label))
        });
        complaints.collect()
    }));
    // Of 32-bit elements nothing is refused anywhere, except where an operator itself computes in 64 bits.
    let refused = entries
        .iter()
        .filter(|entry| entry.features.is_empty())
        .filter(|entry| Language::ALL.into_iter().any(|language| write(entry, language, None) != Ok(false)));
    assert_eq!(refused.map(|entry| entry.label.as_str()).collect::<Vec<_>>(), Vec::<&str>::new());
    let mut by_need = BTreeMap::<_, usize>::new();
    for entry in &entries {
        *by_need.entry(format!("{:?}", entry.features)).or_default() += 1;
    }
    say(&format!("reducer: {} kernels by what they need: {by_need:?}", entries.len()));
}

#[test]
fn no_operator_breaks_a_rule() {
    fail_on(&in_parallel(&entries(), |entry| {
        let broken = lints::broken_rules(&entry.kernel.wgsl);
        broken.into_iter().map(|rule| format!("{}: {rule}", entry.label)).collect()
    }));
}

/// Accumulators of every shape: what takes them apart into words is generated.
#[test]
fn accumulators_of_every_shape() {
    let shapes = [
        ("u32", "0u", "a + b"),
        ("vec3<f32>", "vec3<f32>()", "a + b"),
        ("vec4<i32>", "vec4<i32>()", "max(a, b)"),
        ("Mixed", "Mixed()", "Mixed(a.x + b.x, a.y + b.y, Inner(a.z.v + b.z.v, a.z.w + b.z.w))"),
        ("Large", "Large()", "Large(a.a + b.a, a.b + b.b, a.c + b.c, a.d + b.d)"),
    ];
    for (acc, identity, combine) in shapes {
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
        let monoid = Monoid::custom("shape", Element::F32, Arity::One, &text).unwrap();
        for entry in of_monoid(acc, &monoid) {
            for language in Language::ALL {
                assert_eq!(
                    write(&entry, language, SpirvVal::find()),
                    Ok(false),
                    "{} {language}",
                    entry.label
                );
            }
            assert_eq!(lints::broken_rules(&entry.kernel.wgsl), Vec::<String>::new());
        }
    }
}
