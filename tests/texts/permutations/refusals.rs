//! Types that are known beforehand to be missing in a language.

use crate::translate::Language;
use halofold::Element;
use halofold::reduce::Op;
use halofold::reduce::ladder::Coverage;
use halofold::reduce::plan::Reads;
use halofold::wgpu::Features;

use super::catalogue::Permutation;

/// Every reason to refuse a kernel: the language, the type that it lacks, and the feature that stands for the type.
pub const REFUSALS: &[(&str, &str, Features)] = &[
    ("msl", "f64", Features::SHADER_F64),
    ("msl", "atomic<i64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    ("msl", "atomic<u64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    ("hlsl", "f64", Features::SHADER_F64),
    ("hlsl", "atomic<f32>", Features::SHADER_FLOAT32_ATOMIC),
    ("glsl", "f16", Features::SHADER_F16),
    ("glsl", "i64", Features::SHADER_INT64),
    ("glsl", "u64", Features::SHADER_INT64),
    ("glsl", "atomic<i64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    ("glsl", "atomic<u64>", Features::SHADER_INT64_ATOMIC_ALL_OPS),
    ("glsl", "atomic<f32>", Features::SHADER_FLOAT32_ATOMIC),
];

/// For each of [`Language::ALL`] the types for which it must refuse a kernel, by rule: those of the elements that it reads, of its
/// accumulators, of its atomic word.
pub fn musts(permutation: &Permutation<'_>) -> [Vec<&'static str>; 5] {
    let types = types(permutation);
    Language::ALL.map(|language| {
        let lacks =
            |ty: &&str| REFUSALS.iter().any(|(name, lacked, _)| (*name, lacked) == (language.name(), ty));
        types.iter().copied().filter(lacks).collect()
    })
}

/// Returns true if a language lacks a type that a text has, apart from its comments.
pub fn is_in(wgsl: &str, ty: &str, language: Language) -> bool {
    let code = wgsl.lines().map(|line| line.split("//").next().unwrap_or_default());
    let mut words = code.flat_map(|line| line.split(|c: char| !c.is_alphanumeric()));
    words.any(|word| word == ty)
        && REFUSALS.iter().any(|(name, lacked, _)| (*name, *lacked) == (language.name(), ty))
}

/// Returns true if a language may refuse a kernel for a type: only one that stands for a feature which the kernel may need.
pub fn may(permutation: &Permutation<'_>, language: Language, ty: &str) -> bool {
    let needed = needed(permutation);
    REFUSALS
        .iter()
        .any(|(name, lacked, feature)| (*name, *lacked) == (language.name(), ty) && needed.contains(*feature))
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

/// Returns true if accumulators travel between lanes or workgroups; those of 64 bits do so as 32-bit words of an integer.
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
    let mut types = Vec::new();
    for ty in ["f64", "i64", "u64", "f16"] {
        if reads && element == ty || monoid.acc_type().contains(ty) {
            types.push(ty);
        }
    }
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
    (stage.kernel.adds_to_total()).then_some(word)
}
