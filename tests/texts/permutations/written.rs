//! Kernels as files, for other platforms' compilers, which `scripts/front-ends` runs.
//!
//! `HALOFOLD_KERNELS=FOLDER cargo test --release --test texts written` writes kernels as WGSL, SPIR-V, MSL and HLSL, and
//! `kernels.json`, which describes them. A kernel has traits (what is dispatched, the operator, the type; a stencil, its variant, its
//! borders, …); those written have every trait, with `HALOFOLD_KERNELS_PAIRS=1` every pair of traits. `HALOFOLD_KERNELS_ALL=1` writes all.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use crate::translate;
use crate::translate::facts::Access;
use crate::translate::{Code, Language};
use halofold::wgpu::Features;
use serde_json::{Map, Value, json};

use super::item::{Item, Met};
use super::{KERNELS, in_parallel, lints, say};

const FOLDER: &str = "HALOFOLD_KERNELS";
pub const ALL: &str = "HALOFOLD_KERNELS_ALL";
const PAIRS: &str = "HALOFOLD_KERNELS_PAIRS";

/// Labels of kernels that are always written: their machine code is on record. A reduction's label goes on with the stage over elements.
const MAIN: [&str; 24] = [
    "sum of f32, Whole",
    "sum of f32, Whole, without SUBGROUP",
    "sum of f64, Whole",
    "wide-sum of u32, Whole",
    "arg-min of f32, Whole",
    "variance of f32, Whole",
    "log-sum-exp of f32, Whole",
    "sum of f32, Segments",
    "sum of f32, Offsets",
    "sum of f32, Axis",
    "sum of f32, Whole, exact",
    "dot of f32, Whole, exact",
    "sum of f64, Whole, exact",
    "halofold.histogram.workgroup of numbers in 256 bins",
    "5-point direct-global of f32, default tuning",
    "5-point register-rows of f32, default tuning",
    "5-point time-pipeline of f32, default tuning",
    "5-point time-pipeline of f32, 2 levels of 8 cells",
    "5-point time-pipeline of f32, 4 levels of 8 cells",
    "7-point direct-global of f32, default tuning",
    "7-point plane-sums of f32, default tuning",
    "27-point direct-global of f32, default tuning",
    "27-point plane-sums of f32, default tuning",
    "27-point plane-sums of f64, default tuning",
];

/// The name of a kernel, if it is one of the main kernels.
fn main_name(item: &Item) -> Option<&'static str> {
    let is_stage = |rest: &str| rest.starts_with(": ") && rest.ends_with(", Elements to Results");
    let is_it =
        |main: &&str| item.label.strip_prefix(main).is_some_and(|rest| rest.is_empty() || is_stage(rest));
    MAIN.into_iter().find(is_it)
}

/// Writes a kernel into a folder, and returns its entry in the index.
fn write(folder: &Path, name: &str, item: &Item) -> Value {
    let Item { row, label, kernel, traits, lacks, .. } = item;
    let traits: Vec<_> = traits.iter().map(|what| format!("{what} {lacks}").trim_end().to_owned()).collect();
    let mut entry_points = Map::new();
    let mut refused = Map::new();
    let checked = translate::check(kernel).expect("it is valid");
    for (language, ending) in
        [(Language::Wgsl, "wgsl"), (Language::Spirv, "spv"), (Language::Msl, "msl"), (Language::Hlsl, "hlsl")]
    {
        let translation = match checked.write(language) {
            Ok(translation) => translation,
            Err(error) => {
                refused.insert(language.to_string(), json!(error.to_string()));
                continue;
            }
        };
        let bytes = match translation.code {
            // Browsers ask for this directive, which naga refuses. Kernels with subgroup operations read a built-in of this kind.
            Code::Text(text) if language == Language::Wgsl && text.contains("@builtin(subgroup_") => {
                format!("enable subgroups;\n\n{text}").into_bytes()
            }
            Code::Text(text) => text.into_bytes(),
            Code::Words(words) => words.iter().flat_map(|word| word.to_le_bytes()).collect(),
        };
        std::fs::write(folder.join(format!("{name}.{ending}")), bytes).unwrap();
        entry_points.insert(language.to_string(), json!(translation.entry_point));
    }
    let facts = &checked.facts;
    // With all else that there is.
    let needs = |features| lints::invalid_with(&kernel.wgsl, Features::all() - features).is_some();
    let browsers_have = Features::SUBGROUP | Features::SHADER_F16;
    let declared = |name: &str| kernel.wgsl.contains(&format!("override {name}"));
    json!({
        "name": name, "row": row, "label": label, "module": kernel.label, "main": main_name(item),
        "traits": traits, "entry_points": entry_points, "refused": refused,
        "overrides": kernel.overrides.iter().filter(|(name, _)| declared(name)).copied().collect::<BTreeMap<_, _>>(),
        "invocations": facts.workgroup_size.iter().product::<u32>(), "workgroup_bytes": facts.workgroup_memory_bytes,
        "textures_written": facts.bindings.iter().filter(|binding| binding.access == Access::StorageTexture).count(),
        "subgroups": needs(Features::SUBGROUP),
        "halves": needs(Features::SHADER_F16),
        "atomic_floats": needs(Features::SHADER_FLOAT32_ATOMIC),
        "browsers": !needs(!browsers_have),
    })
}

#[test]
fn written_for_other_compilers() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return say(&format!("permutations: no kernels are written, as {FOLDER} does not name a folder"));
    };
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder).unwrap();
    let mut items: Vec<_> = KERNELS.iter().collect();
    let mut there = BTreeMap::<String, usize>::new();
    for item in &items {
        *there.entry(item.row.clone()).or_default() += 1;
    }
    if std::env::var_os(ALL).is_none() {
        let mut met = Met::new(std::env::var_os(PAIRS).is_some(), true);
        items.retain(|item| met.is_new(item) || main_name(item).is_some());
    }
    for name in MAIN {
        assert!(
            items.iter().any(|item| main_name(item) == Some(name)),
            "{name} is gone, or has another label"
        );
    }
    let numbered: Vec<_> = items.iter().enumerate().collect();
    let kernels = Mutex::new(BTreeMap::new());
    in_parallel(&numbered, |(number, item)| {
        let value = write(folder, &format!("{number:05}"), item);
        kernels.lock().unwrap().insert(*number, value);
        Vec::new()
    });
    let kernels: Vec<_> = kernels.into_inner().unwrap().into_values().collect();
    say(&format!("permutations: {} of {} kernels are written", items.len(), there.values().sum::<usize>()));
    let listed = json!({ "there": there, "kernels": kernels });
    std::fs::write(folder.join("kernels.json"), serde_json::to_vec(&listed).unwrap()).unwrap();
}
