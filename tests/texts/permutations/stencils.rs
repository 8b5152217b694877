//! The stencils' permutations: variant, type, borders, columns that vectors fit or do not, block, strip.

use std::collections::HashSet;

use crate::translate;
use crate::translate::Language;
use halofold::Element;
use halofold::reduce::Monoid;
use halofold::stencil::{BOXES, Block, Border, Borders, Config, Dims, Grid, STENCILS, Stencil, Variant};
use halofold_measure::Kernel;

use super::catalogue::Distinct;
use super::spirv_val::SpirvVal;
use super::written::{Item, Met, is_new};
use super::{fail_on, in_parallel, judge, lints, say, write_all};

/// Every reason to refuse a kernel.
const REFUSALS: &[(&str, &str)] = &[("msl", "f64"), ("hlsl", "f64"), ("glsl", "f16")];

/// One kernel, and the facts about it that are known beforehand.
struct Entry {
    label: String,
    kernel: Kernel,
    /// Its traits, the variant first: for `written`.
    traits: Vec<String>,
    element: Element,
    /// True: lanes exchange 64 bits, by 64-bit integers.
    wide_lanes: bool,
    /// Bytes of workgroup memory that the plan counts on; `None` for an auxiliary kernel.
    memory: Option<u64>,
}

impl Entry {
    fn refused(&self, language: Language) -> Vec<&'static str> {
        let element = self.element.to_string();
        let refused = REFUSALS.iter().filter(|(name, ty)| *name == language.name() && *ty == element);
        let wide = (self.wide_lanes && language == Language::Glsl).then_some("u64");
        refused.map(|(_, ty)| *ty).chain(wide).collect()
    }
}

/// Every stencil with every variant that serves it.
fn variants() -> impl Iterator<Item = (&'static Stencil, &'static Variant)> {
    let all = STENCILS.iter().chain(BOXES);
    all.flat_map(|stencil| stencil.variants().map(move |variant| (*stencil, variant)))
}

fn configs() -> Vec<Config> {
    let usual = [Border::Fixed, Border::Reflect, Border::Wrap];
    // Borders that general kernels alone have.
    let all = [usual.as_slice(), &[Border::Mirror]].concat();
    let blocks = [(3, 7), (8, 16), (8, 32), (4, 64)].map(|(rows, cols)| Block { rows, cols });
    let mut configs = Vec::new();
    for (stencil, variant) in variants() {
        for element in [Element::F32, Element::F64, Element::F16] {
            let borders = if variant.name == "direct-global" { &all[..] } else { &usual };
            for borders in borders.iter().copied().map(Borders::all) {
                for cols in [63, 64] {
                    for (index, block) in blocks.into_iter().enumerate() {
                        let planes = if stencil.dims == Dims::Two { 1 } else { 9 };
                        let grid = Grid { planes, rows: 50, cols };
                        let config = Config::new(stencil, variant, element, grid).with_borders(borders);
                        let tuning = config.tuning.with_block(block).with_strip([1, 2, 4, 2][index]);
                        let tuning = tuning
                            .with_levels_per_team([1, 3, 2, 4][index])
                            .with_cells_per_lane([4, 8, 3, 12][index])
                            .with_rows_per_turn([1, 2, 3, 2][index]);
                        configs.extend(forms(config.with_tuning(tuning)));
                    }
                }
            }
        }
    }
    configs
}

/// A configuration with all its weights equal, if its kernels know that, and with weights of their own; without a right-hand
/// side and with one.
fn forms(config: Config) -> Vec<Config> {
    let mut own_weights = config;
    own_weights.one_weight = false;
    let mut forms = vec![own_weights, own_weights.with_rhs()];
    if config.one_weight {
        forms.extend([config, config.with_rhs()]);
    }
    if config.variant.is_blocked() {
        for form in forms.clone() {
            let mut shuffling = form;
            shuffling.subgroups = true;
            forms.push(shuffling);
        }
    }
    forms
}

/// The distinct kernels of all configurations, auxiliary ones included.
fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |entry: Entry| {
        let overrides: Vec<_> =
            entry.kernel.overrides.iter().map(|(name, value)| (*name, value.to_bits())).collect();
        if seen.insert((entry.kernel.wgsl.clone(), entry.kernel.entry_point, overrides)) {
            entries.push(entry);
        }
    };
    for config in configs() {
        let Config { stencil, variant, element, borders, tuning, .. } = config;
        let (stencil, name) = (stencil.name, variant.name);
        let label = format!("{stencil} {name} of {element} in {}, {borders:?}", tuning.block);
        let kernel = Kernel::of_stencil(&config);
        let memory = Some(config.workgroup_bytes());
        let wide_lanes = config.subgroups && element == Element::F64;
        add(Entry { label, kernel, traits: traits(&config), element, wide_lanes, memory });
        for (label, entry_point, wgsl) in config.aux_kernels() {
            let kernel = Kernel { wgsl, entry_point, overrides: Vec::new(), label };
            let label = format!("{entry_point} of {element}");
            let traits = vec![entry_point.to_owned()];
            add(Entry { label, kernel, traits, element, wide_lanes: false, memory: None });
        }
    }
    entries
}

/// The traits of a configuration.
fn traits(config: &Config) -> Vec<String> {
    let Config { stencil, variant, element, grid, borders, tuning, one_weight, rhs, subgroups, .. } = config;
    vec![
        variant.name.to_owned(),
        stencil.name.to_owned(),
        element.to_string(),
        format!("{borders:?}"),
        format!("{} columns, blocks of {}", grid.cols, tuning.block),
        format!("one weight {one_weight}, right-hand side {rhs}, subgroups {subgroups}"),
    ]
}

/// Every kernel, for `written`: each variant as it is tuned by default, then the permutations.
pub fn items() -> impl Iterator<Item = Item> {
    let permutations = entries().into_iter().map(|Entry { label, kernel, traits, .. }| {
        // Kernels that serve all variants have no pairs of traits.
        let is_shared = traits.len() == 1;
        let row = format!("stencil: {}", if is_shared { "between steps" } else { &traits[0] });
        Item { row, label, kernel, traits: if is_shared { Vec::new() } else { traits } }
    });
    tuned().into_iter().chain(permutations)
}

/// Every variant over a large grid with its default tuning, and time-blocked ones also in the shapes that GPUs are given on which
/// none was measured.
fn tuned() -> Vec<Item> {
    let mut items = Vec::new();
    let mut add = |config: Config, tuning: &str| {
        let Config { stencil, variant, element, .. } = config;
        items.push(Item {
            row: format!("stencil: {}", variant.name),
            label: format!("{} {} of {element}, {tuning}", stencil.name, variant.name),
            kernel: Kernel::of_stencil(&config),
            traits: Vec::new(),
        });
    };
    for (stencil, variant) in variants() {
        let planes = if stencil.dims == Dims::Two { 1 } else { 256 };
        for element in [Element::F32, Element::F64] {
            let mut config = Config::new(stencil, variant, element, Grid { planes, rows: 4096, cols: 4096 });
            if variant.is_blocked() {
                add(config, "default tuning, no subgroups");
                config.subgroups = true;
                for levels in [2, 4] {
                    let tuning = config.tuning.with_levels_per_team(levels).with_rows_per_turn(2);
                    let mut shaped = config;
                    shaped.tuning = tuning;
                    add(shaped, &format!("{levels} levels of {} cells", tuning.cells_per_lane));
                }
            }
            add(config, "default tuning");
        }
    }
    items
}

/// Every kernel, by its label.
pub fn labelled() -> impl Iterator<Item = (String, Kernel)> {
    entries().into_iter().map(|entry| (format!("stencil/{}", entry.label), entry.kernel))
}

#[test]
fn every_stencil_in_every_language() {
    let (mut entries, spirv_val, mut met) = (entries(), SpirvVal::find(), Met::new());
    say(&format!("permutations: {} of the stencils, {} distinct kernels", configs().len(), entries.len()));
    // Each pair of traits once.
    entries.retain(|entry| is_new(&mut met, &entry.traits, true));
    fail_on(&in_parallel(&entries, |entry| {
        let checked = match translate::check(&entry.kernel) {
            Ok(checked) => checked,
            Err(error) => return vec![format!("{}: {error}", entry.label)],
        };
        let complaint = |language| {
            let words = judge(checked.write(language), &entry.refused(language));
            let outcome = words.and_then(|words| match (words, spirv_val) {
                (Some(words), Some(spirv_val)) => spirv_val.check(&words),
                _ => Ok(()),
            });
            outcome.err().map(|why| format!("{} as {language}: {why}", entry.label))
        };
        // A plan refuses a block for the memory that its kernel takes, not for another number.
        let takes = checked.facts.workgroup_memory_bytes;
        let wrong = entry.memory.filter(|counted| *counted != takes);
        let told = wrong.map(|counted| format!("{} takes {takes} bytes, not {counted}", entry.label));
        let broken = lints::broken_rules(&entry.kernel).into_iter();
        let broken = broken.map(|rule| format!("{}: {rule}", entry.label)).chain(told);
        broken.chain(Language::ALL.into_iter().filter_map(complaint)).collect()
    }));
}

/// The operators that add up the squared changes of an exact check.
pub fn exact_residuals() -> [Monoid; 3] {
    let grid = Grid::plane(50, 64);
    let config = |element| Config::new(STENCILS[0], STENCILS[0].fastest_step(), element, grid);
    [Element::F32, Element::F64, Element::F16].map(|element| config(element).exact_residual())
}

/// In every launch that they may take.
#[test]
fn exact_residuals_in_every_language() {
    let operators = exact_residuals();
    let distinct = Distinct::of(&operators, 256);
    assert!(distinct.kernels.len() > 8, "{}", distinct.kernels.len());
    write_all(&distinct);
}
