//! Kernels as files, for other platforms' compilers, which `scripts/front-ends` runs.
//!
//! `HALOFOLD_KERNELS=FOLDER cargo test --release --test texts written` writes each kernel as WGSL, SPIR-V, MSL and HLSL, and
//! `kernels.json`, which says what they are. Of all kernels those are written that have something new: each has traits (what is
//! launched, the operator, the type; a stencil, its variant, its borders, …), and every trait is in one that is written. With
//! `HALOFOLD_KERNELS_PAIRS=1` every pair of traits that some kernel has is in one; `HALOFOLD_KERNELS_ALL=1` writes all.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Mutex;

use crate::translate;
use crate::translate::facts::Access;
use crate::translate::{Code, Language, browser_directive};
use halofold::Element;
use halofold::reduce::{Arity, Monoid};
use halofold::wgpu::Features;
use halofold_measure::Kernel;
use serde_json::{Map, Value, json};

use super::catalogue::{Distinct, Entry, OPTIONAL, Permutation};
use super::{
    KERNELS, group, histogram, in_parallel, lints, program, pyramid, rank, say, scan, shapes, stencils,
};

const FOLDER: &str = "HALOFOLD_KERNELS";
pub const ALL: &str = "HALOFOLD_KERNELS_ALL";
const PAIRS: &str = "HALOFOLD_KERNELS_PAIRS";

/// Kernels that are always written, as the main ones: what is recorded of the machine code is a table of theirs.
const MAIN: [(&str, &str); 24] = [
    ("sum of f32", "reducer/sum of f32, Whole { workgroup_size: 256 }, subgroups true, 256"),
    ("sum of f32, no subgroups", "reducer/sum of f32, Whole { workgroup_size: 256 }, subgroups false, 256"),
    ("sum of f64", "reducer/sum of f64, Whole { workgroup_size: 256 }, subgroups true, 256"),
    ("wide-sum of u32", "reducer/wide-sum of u32, Whole { workgroup_size: 256 }, subgroups true, 256"),
    ("arg-min of f32", "reducer/arg-min of f32, Whole { workgroup_size: 256 }, subgroups true, 256"),
    ("variance of f32", "reducer/variance of f32, Whole { workgroup_size: 256 }, subgroups true, 256"),
    ("log-sum-exp of f32", "reducer/log-sum-exp of f32, Whole { workgroup_size: 256 }, subgroups true, 256"),
    ("sums of f32 in segments", "reducer/sum of f32, Segments, subgroups true, 256"),
    ("sums of f32 between offsets", "reducer/sum of f32, Offsets, subgroups true, 256"),
    ("sums of f32 in columns", "reducer/sum of f32, Columns, subgroups true, 256"),
    ("exact sum of f32", "reducer/sum of f32, Whole { workgroup_size: 256 }, subgroups true, 256, exact"),
    ("exact dot of f32", "reducer/dot of f32, Whole { workgroup_size: 256 }, subgroups true, 256, exact"),
    ("exact sum of f64", "reducer/sum of f64, Whole { workgroup_size: 256 }, subgroups true, 256, exact"),
    ("histogram of 256 bins", HISTOGRAM),
    ("5-point direct-global of f32", "5-point direct-global of f32, default tuning"),
    ("5-point register-rows of f32", "5-point register-rows of f32, default tuning"),
    ("5-point time-pipeline of f32", "5-point time-pipeline of f32, default tuning"),
    ("5-point time-pipeline of f32, 2 levels", "5-point time-pipeline of f32, 2 levels of 8 cells"),
    ("5-point time-pipeline of f32, 4 levels", "5-point time-pipeline of f32, 4 levels of 8 cells"),
    ("7-point direct-global of f32", "7-point direct-global of f32, default tuning"),
    ("7-point plane-sums of f32", "7-point plane-sums of f32, default tuning"),
    ("27-point direct-global of f32", "27-point direct-global of f32, default tuning"),
    ("27-point plane-sums of f32", "27-point plane-sums of f32, default tuning"),
    ("27-point plane-sums of f64", "27-point plane-sums of f64, default tuning"),
];
const HISTOGRAM: &str = "count of Histogram { keys: Numbers, bins: 256, channels: 1, stride: 1, first: 0, map: None, add: false, \
    tuning: Tuning { workgroup_size: 1024, max_workgroups: 1056, method: Workgroup { copies: 32, slices: 1, merge: false } } }";

/// A kernel on its way into a file.
pub struct Item {
    /// Its row in the table of kernels and compilers.
    pub row: String,
    pub label: String,
    pub kernel: Kernel,
    /// Its traits; a kernel without traits is always written.
    pub traits: Vec<String>,
}

impl Item {
    /// Its name, if it is one of the main kernels.
    fn main(&self) -> Option<&'static str> {
        MAIN.iter().find(|(_, label)| *label == self.label).map(|(name, _)| *name)
    }
}

/// A kernel of a reducer.
fn reduction(entry: &Entry<'_>) -> Item {
    Item {
        row: entry.first.stage.kernel.file.to_owned(),
        label: entry.first.label(),
        kernel: entry.kernel.clone(),
        traits: traits(entry, true).into(),
    }
}

/// The step, its source, the operator and the type of a kernel, each with or without the features that its device lacks: these decide
/// which built-in functions are there for an operator and for a type, too.
pub fn traits(entry: &Entry<'_>, with_lacks: bool) -> [String; 4] {
    let Permutation { monoid, stage, features, .. } = entry.first;
    let optional = OPTIONAL.into_iter().fold(Features::empty(), |all, feature| all | feature);
    let lacks = if with_lacks { format!("{:?}", optional - features) } else { String::new() };
    let element = monoid.element().map_or("structs", Element::name);
    // All kernels load by the same functions.
    let source = format!("{:?} of {:?}", stage.reads, monoid.sample());
    let launched = format!("{} {:?} {:?}", stage.kernel.name, stage.reads, stage.writes);
    [&launched, &source, monoid.name(), element].map(|what| format!("{what} {lacks}"))
}

/// Pairs of traits that were met together. A trait alone is a pair with itself.
pub type Met = HashSet<(String, String)>;

/// True if a kernel has a trait, or a pair of traits, which none before it had.
pub fn is_new(met: &mut Met, traits: &[String], in_pairs: bool) -> bool {
    let others = |at: usize| if in_pairs { &traits[..at] } else { &traits[at..=at] };
    let pairs = traits.iter().enumerate().flat_map(|(at, a)| others(at).iter().map(move |b| (a, b)));
    pairs.filter(|(a, b)| met.insert(((*a).clone(), (*b).clone()))).count() > 0
}

/// Every kernel there is.
fn all(differ: &Distinct<'_>, others: [&Distinct<'_>; 2]) -> Vec<Item> {
    let plain = |row: &'static str| {
        move |(label, kernel): (String, Kernel)| Item {
            row: row.to_owned(),
            label,
            kernel,
            traits: Vec::new(),
        }
    };
    let comparing =
        differ.kernels.iter().map(|entry| Item { row: "the program's own".to_owned(), ..reduction(entry) });
    let others = others.into_iter().flat_map(|distinct| &distinct.kernels);
    let reductions = KERNELS.kernels.iter().chain(others).map(reduction);
    let mut items: Vec<_> = reductions.chain(comparing).collect();
    items.extend(stencils::items());
    items.extend(histogram::kernels().into_iter().map(plain("histogram")));
    items.extend(rank::kernels().into_iter().chain(group::kernels()).map(|(label, kernel)| Item {
        row: kernel.label.trim_start_matches("halofold.").replace('.', "/"),
        label,
        kernel,
        traits: Vec::new(),
    }));
    items.extend(scan::kernels().into_iter().map(plain("scan")));
    items.extend(pyramid::kernels().into_iter().map(plain("pyramid")));
    items.extend(program::kernels().into_iter().map(plain("the program's own")));
    items
}

/// Keeps an item that has a trait, or a pair of traits, which none before it has.
fn keep_new(items: &mut Vec<Item>, in_pairs: bool) {
    let mut met = Met::new();
    items.retain(|item| {
        is_new(&mut met, &item.traits, in_pairs) || item.traits.is_empty() || item.main().is_some()
    });
}

/// Writes a kernel into a folder, and returns its entry in the index.
fn write(folder: &Path, name: &str, item: &Item) -> Value {
    let Item { row, label, kernel, .. } = item;
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
            Code::Text(text) if language == Language::Wgsl => {
                let directive = browser_directive(&text).map_or(String::new(), |line| format!("{line}\n\n"));
                (directive + &text).into_bytes()
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
        "name": name, "row": row, "label": label, "module": kernel.label, "main": item.main(), "traits": item.traits, "entry_points": entry_points, "refused": refused,
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
    let differ = include_str!("../../../crates/measure/shaders/differ.wgsl");
    let differ = [Monoid::custom("differ", Element::U32, Arity::Two, differ).unwrap()];
    let differ = Distinct::of(&differ, 256);
    let residuals = stencils::exact_residuals();
    let texels = shapes::of_texels();
    let others = [&residuals[..], &texels].map(|monoids| Distinct::of(monoids, 256));
    let mut items = all(&differ, others.each_ref());
    let mut there = BTreeMap::<String, usize>::new();
    for item in &items {
        *there.entry(item.row.clone()).or_default() += 1;
    }
    if std::env::var_os(ALL).is_none() {
        keep_new(&mut items, std::env::var_os(PAIRS).is_some());
    }
    for (name, _) in MAIN {
        assert!(items.iter().any(|item| item.main() == Some(name)), "{name} is gone, or has another label");
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
