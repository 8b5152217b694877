//! The stencils' permutations: variant, type, borders, columns that vectors fit or do not, block, strip.

use std::collections::HashSet;
use std::sync::Arc;

use halofold::Element;
use halofold::stencil::{BOXES, Block, Border, Borders, Config, Dims, Grid, STENCILS, Stencil, Variant};
use halofold::wgpu::Features;
use halofold_measure::Kernel;

use super::item::Item;

/// Every stencil with every variant that serves it.
fn variants() -> impl Iterator<Item = (&'static Stencil, &'static Variant)> {
    let all = STENCILS.iter().chain(BOXES);
    all.flat_map(|stencil| stencil.variants().map(move |variant| (*stencil, variant)))
}

fn configs() -> Vec<Config> {
    let usual = [Border::Fixed, Border::Reflect, Border::Wrap];
    // Borders that general kernels alone have.
    let all = [usual.as_slice(), &[Border::Mirror]].concat();
    // Of a block: rows, columns. Then the strip, levels of a team, cells of a lane, rows of a turn.
    let tunings = [(3, 7, 1, 1, 4, 1), (8, 16, 2, 3, 8, 2), (8, 32, 4, 2, 3, 3), (4, 64, 2, 4, 12, 2)];
    let mut configs = Vec::new();
    for (stencil, variant) in variants() {
        let planes = if stencil.dims == Dims::Two { 1 } else { 9 };
        let borders = if variant.name == "direct-global" { &all[..] } else { &usual };
        for element in [Element::F32, Element::F64, Element::F16] {
            for borders in borders.iter().copied().map(Borders::all) {
                for cols in [63, 64] {
                    let grid = Grid { planes, rows: 50, cols };
                    let config = Config::new(stencil, variant, element, grid).with_borders(borders);
                    for (rows, cols, strip, levels, cells, turn) in tunings {
                        let tuning = config.tuning.with_block(Block { rows, cols }).with_strip(strip);
                        let tuning = tuning.with_levels_per_team(levels).with_cells_per_lane(cells);
                        configs.extend(forms(config.with_tuning(tuning.with_rows_per_turn(turn))));
                    }
                }
            }
        }
    }
    configs
}

/// Configurations with distinct and equal weights, with and without a right-hand side, by workgroup memory and by subgroups.
fn forms(config: Config) -> Vec<Config> {
    let mut forms = Vec::new();
    for choice in [false, true] {
        let mut form = config;
        let is_blocked = config.variant.is_blocked();
        (form.one_weight, form.subgroups) = (choice && !is_blocked, choice && is_blocked);
        forms.extend([form, form.with_rhs()]);
    }
    forms
}

/// The distinct kernels of all configurations, auxiliary ones included.
pub fn permutations() -> Vec<Item> {
    let mut items = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |item: Item| {
        if seen.insert(item.key()) {
            items.push(item);
        }
    };
    for config in configs() {
        let Config { stencil, variant, element, borders, tuning, subgroups, .. } = config;
        let label =
            format!("{} {} of {element} in {}, {borders:?}", stencil.name, variant.name, tuning.block);
        // Lanes exchange 64 bits as integers.
        let lanes = Features::SUBGROUP
            | if element == Element::F64 { Features::SHADER_INT64 } else { Features::empty() };
        let needs = element.feature() | if subgroups { lanes } else { Features::empty() };
        // A plan refuses a block for the memory that its kernel takes, not for another number.
        let memory = config.workgroup_bytes();
        add(Item {
            traits: traits(&config),
            is_given: Arc::new(move |_, features| features.contains(needs)),
            memory: memory..=memory,
            ..item(label, &config)
        });
        for (label, entry_point, wgsl) in config.aux_kernels() {
            let kernel = Kernel { wgsl, entry_point, overrides: Vec::new(), label };
            add(Item::new("stencil: between steps", format!("{entry_point} of {element}"), kernel));
        }
    }
    items
}

fn item(label: String, config: &Config) -> Item {
    Item::new(&format!("stencil: {}", config.variant.name), label, Kernel::of_stencil(config))
}

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

/// Every variant over a large grid with its default tuning; time-blocked ones also in the shapes for GPUs that were not measured.
pub fn tuned() -> Vec<Item> {
    let mut items = Vec::new();
    let mut add = |config: &Config, tuning: &str| {
        let (stencil, variant) = (config.stencil.name, config.variant.name);
        items.push(item(format!("{stencil} {variant} of {}, {tuning}", config.element), config));
    };
    for (stencil, variant) in variants() {
        let planes = if stencil.dims == Dims::Two { 1 } else { 256 };
        for element in [Element::F32, Element::F64] {
            let mut config = Config::new(stencil, variant, element, Grid { planes, rows: 4096, cols: 4096 });
            if variant.is_blocked() {
                add(&config, "default tuning, no subgroups");
                config.subgroups = true;
                for levels in [2, 4] {
                    let mut shaped = config;
                    shaped.tuning = config.tuning.with_levels_per_team(levels).with_rows_per_turn(2);
                    add(&shaped, &format!("{levels} levels of {} cells", shaped.tuning.cells_per_lane));
                }
            }
            add(&config, "default tuning");
        }
    }
    items
}
