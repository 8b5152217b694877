//! Types that are known beforehand to be missing in a language.

use crate::translate::Language;
use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::ladder::Coverage;
use halofold::reduce::plan::Reads;
use halofold::wgpu::Features;

use super::catalogue::Permutation;

/// Every reason to refuse a kernel: the language, the type that it lacks, and the feature that stands for the type.
pub const REFUSALS: [(Language, &str, Features); 11] = [
    (Language::Msl, "f64", Features::SHADER_F64),
    (Language::Msl, "atomic<i64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    (Language::Msl, "atomic<u64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    (Language::Hlsl, "f64", Features::SHADER_F64),
    (Language::Hlsl, "atomic<f32>", Features::SHADER_FLOAT32_ATOMIC),
    (Language::Glsl, "f16", Features::SHADER_F16),
    (Language::Glsl, "i64", Features::SHADER_INT64),
    (Language::Glsl, "u64", Features::SHADER_INT64),
    (Language::Glsl, "atomic<i64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    (Language::Glsl, "atomic<u64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    (Language::Glsl, "atomic<f32>", Features::SHADER_FLOAT32_ATOMIC),
];

/// A language, and a type that it lacks.
pub type Refusal = (Language, &'static str);

fn those(holds: impl Fn(Refusal, Features) -> bool) -> Vec<Refusal> {
    let those = REFUSALS.iter().filter(|(language, ty, feature)| holds((*language, ty), *feature));
    those.map(|(language, ty, _)| (*language, *ty)).collect()
}

/// The refusals of a kernel that are foreseen.
#[derive(Clone)]
pub struct Foreseen {
    /// A language that is here must refuse the kernel.
    pub must: Vec<Refusal>,
    /// Every refusal is one of these.
    pub may: Vec<Refusal>,
}

impl Foreseen {
    /// The types of the elements that a kernel reads, of its accumulators, of its atomic word; and at most those that
    /// stand for a feature which it may need.
    pub fn of(permutation: &Permutation<'_>) -> Self {
        let (types, needed) = (types(permutation), needed(permutation));
        let must = those(|(_, ty), _| types.contains(&ty));
        Foreseen { must, may: those(|_, feature| needed.contains(feature)) }
    }

    /// The type of a stencil's cells, and the integers by which lanes exchange 64 bits.
    pub fn of_stencil(element: Element, has_wide_lanes: bool) -> Self {
        let must = those(|refusal, _| {
            refusal.1 == element.name() || has_wide_lanes && refusal == (Language::Glsl, "u64")
        });
        Foreseen { may: must.clone(), must }
    }

    /// The types that a text has, apart from its comments.
    pub fn in_text(wgsl: &str) -> Self {
        let code = wgsl.lines().map(|line| line.split("//").next().unwrap_or_default());
        let words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
        let words: Vec<_> = words.collect();
        Foreseen { must: Vec::new(), may: those(|(_, ty), _| words.contains(&ty)) }
    }
}

/// The features that some type in a kernel may stand for.
fn needed(permutation: &Permutation<'_>) -> Features {
    let monoid = permutation.monoid;
    let mut needed = monoid.features();
    // These read 64-bit floats as integers, if there are such integers.
    if monoid.element() == Some(Element::F64) && needed.is_empty() && !permutation.is_in_words() {
        needed = Features::SHADER_INT64;
    }
    // These compute with floats alone: integers come in only where accumulators travel as words.
    if computes_in_f64(permutation) && !travels(permutation) {
        needed = needed - Features::SHADER_INT64;
    }
    match atomic(permutation) {
        Some("atomic<f32>") => needed | Features::SHADER_FLOAT32_ATOMIC,
        Some(_) => needed | Features::SHADER_INT64 | Features::SHADER_INT64_ATOMIC_ALL_OPS,
        None => needed,
    }
}

fn computes_in_f64(permutation: &Permutation<'_>) -> bool {
    let monoid = permutation.monoid;
    let is_plain = matches!(monoid.op(), Some(Op::Sum | Op::Product | Op::Dot | Op::L1));
    is_plain && monoid.acc_type() == "f64"
}

/// Returns true if accumulators travel between lanes or workgroups: 64 bits do so as 32-bit words of an integer.
fn travels(permutation: &Permutation<'_>) -> bool {
    let kernel = permutation.stage.kernel;
    // Wide accumulators use subgroups only in kernels that require them.
    kernel.collects_partials() || kernel.needs_subgroups()
}

/// The types that a kernel has for sure, of those that some language lacks.
fn types(permutation: &Permutation<'_>) -> Vec<&'static str> {
    let Permutation { monoid, stage, .. } = permutation;
    // Exact sums compute with 32-bit words alone, whatever they read; so does what compares pairs of words.
    if stage.kernel.name.starts_with("exact") || permutation.is_in_words() {
        return Vec::new();
    }
    let reads = stage.kernel.coverage != Coverage::One && stage.reads != Reads::Partials;
    let element = match monoid.element() {
        // Read as their bits.
        Some(Element::F64) if !monoid.features().contains(Features::SHADER_F64) => "i64",
        element => element.map_or("", Element::name),
    };
    let is_there = |ty: &&str| reads && element == *ty || monoid.acc_type().contains(ty);
    let mut types: Vec<_> = ["f64", "i64", "u64", "f16"].into_iter().filter(is_there).collect();
    if travels(permutation) && computes_in_f64(permutation) {
        types.push("u64");
    }
    types.extend(atomic(permutation));
    types
}

/// The type of a kernel's atomic word, where some language lacks it.
fn atomic(permutation: &Permutation<'_>) -> Option<&'static str> {
    let Permutation { monoid, stage, features, .. } = permutation;
    let adds = matches!(monoid.op(), Some(Op::Sum | Op::Dot | Op::L1 | Op::L2 | Op::Mean));
    let word = match monoid.acc_type() {
        "i64" => "atomic<i64>",
        "u64" | "f64" => "atomic<u64>",
        "f32" if adds && features.contains(Features::SHADER_FLOAT32_ATOMIC) => "atomic<f32>",
        _ => return None,
    };
    stage.kernel.adds_to_total().then_some(word)
}
