//! Stencils at their best block shapes, machines side by side, and the thesis's machine as one more.

use halofold::stencil::{Grid, STENCILS, VARIANTS};

use super::machines::Machine;
use super::tables::Entry;
use crate::lists::each_once;
use crate::replay::{MACHINE, PRESETS, Preset};
use crate::row::{Row, StencilWork};
use crate::table;

/// Entries of the best block of each variant, a table for each computation and grid, and of the thesis's rows.
pub fn entries(machines: &[Machine]) -> Vec<Entry<'_>> {
    let best = machines.iter().flat_map(|machine| {
        let works =
            each_once(machine.stencils.iter().map(|row| StencilWork { block: String::new(), ..plain(row) }));
        works.into_iter().map(move |work| best_block(machine, &work))
    });
    let thesis = PRESETS.iter().flat_map(|preset| thesis_rows(machines, preset));
    best.chain(thesis).collect()
}

fn plain(row: &Row<StencilWork>) -> StencilWork {
    StencilWork { preset: None, row: None, ..row.what.clone() }
}

fn title(work: &StencilWork) -> String {
    let StencilWork { points, element, boundary, grid, .. } = work;
    let grid = grid.parse().map_or_else(|_| grid.clone(), |grid: Grid| grid.to_string());
    format!("{points}-point stencil of {element}, {boundary} borders, {grid}")
}

/// A variant's position in the catalogue; unknown variants come last.
fn place(variant: &str, points: u32) -> usize {
    let stencil = STENCILS.iter().find(|stencil| stencil.points() == points);
    let known = VARIANTS
        .iter()
        .position(|known| known.name == variant && stencil.is_some_and(|stencil| known.serves(stencil)));
    known.unwrap_or(VARIANTS.len())
}

/// Block, time, speeds and share of the copy peak of a variant at its best block; its status, if no block was right.
fn best_block<'a>(machine: &'a Machine, work: &StencilWork) -> Entry<'a> {
    let of_it = |row: &&Row<StencilWork>| StencilWork { block: String::new(), ..plain(row) } == *work;
    let speed = |row: &Row<StencilWork>| row.time().and(row.figures.gcells_per_s).unwrap_or(0.0);
    let rows = machine.stencils.iter().filter(of_it);
    let best = rows.max_by(|a, b| speed(a).total_cmp(&speed(b))).expect("a row has the work");
    let is_right = best.time().is_some();
    let block = if is_right { best.what.block.clone() } else { table::status(best) };
    let figures = [
        ("time a step", table::time(best.time())),
        ("GCell/s", table::optional(best.figures.gcells_per_s)),
        ("GFLOP/s", table::optional(best.figures.gflop_per_s)),
        ("% of copy", table::tenths(best.figures.percent_of_copy_peak)),
    ];
    Entry {
        title: title(work),
        place: place(&work.variant, work.points),
        line: vec![format!("`{}`", work.variant)],
        heads: &["variant"],
        machine: &machine.name,
        cells: [("block", block)].into_iter().chain(figures.into_iter().filter(|_| is_right)).collect(),
    }
}

/// The thesis's table, every machine at the same block; all steps' time where a machine ran as many over the same grid.
fn thesis_rows<'a>(machines: &'a [Machine], preset: &Preset) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    for published in &preset.published {
        let name = format!("{} {}", published.variant, published.block);
        let is_it = |row: &Row<StencilWork>| {
            let what = (row.what.points, row.what.boundary.as_str(), row.what.element.as_str());
            let of_it = format!("{} {}", row.what.variant, row.what.block) == name;
            of_it && what == (preset.stencil.points(), "fixed", "f32")
        };
        let rows = machines.iter().flat_map(|machine| machine.stencils.iter().map(move |row| (machine, row)));
        for (machine, row) in rows.filter(|(_, row)| is_it(row)) {
            let entry = |machine, [gcells, gflop, seconds]: [String; 3]| Entry {
                title: format!("{}: the thesis's rows", title(&row.what)),
                place: 0,
                line: vec![format!("`{name}`")],
                heads: &["the thesis's rows"],
                machine,
                cells: vec![("GCell/s", gcells), ("GFLOP/s", gflop), ("all steps", seconds)],
            };
            let gcells = table::digits(published.gflop_s / preset.flops());
            let thesis = [gcells, format!("{:.2}", published.gflop_s), format!("{:.2} s", published.seconds)];
            entries.extend([entry(MACHINE, thesis), entry(&machine.name, thesis_cells(row, preset))]);
        }
    }
    entries
}

fn thesis_cells(row: &Row<StencilWork>, preset: &Preset) -> [String; 3] {
    if row.time().is_none() {
        return [table::status(row), String::new(), String::new()];
    }
    let same = row.figures.steps == Some(preset.thesis.steps)
        && row.what.grid.parse().is_ok_and(|grid: Grid| grid == preset.thesis.grid);
    let seconds =
        row.figures.wall_ms_median.filter(|_| same).map(|ms| format!("{} s", table::digits(ms / 1e3)));
    [
        table::optional(row.figures.gcells_per_s),
        table::optional(row.figures.gflop_per_s),
        seconds.unwrap_or_default(),
    ]
}
