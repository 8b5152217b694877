//! Stencils at their best block shapes, machines side by side, and the thesis's machine as one more.

use halofold::stencil::{Grid, STENCILS, VARIANTS};

use super::machines::Machine;
use super::markdown::{Table, columns_of};
use crate::lists::each_once;
use crate::row::{Row, StencilWork};
use crate::stencil::{MACHINE, PRESETS, Preset};
use crate::table;

/// A computation: number of points, borders and element type.
type Work<'a> = (u32, &'a str, &'a str);

/// The rows of one machine over the grid that has the most.
struct Field<'a> {
    machine: &'a str,
    grid: &'a str,
    rows: Vec<&'a Row<StencilWork>>,
}

impl<'a> Field<'a> {
    fn of(machine: &'a Machine, work: Work<'_>) -> Option<Self> {
        let rows = || machine.stencils.iter().filter(|row| work_of(row) == work);
        let count = |grid: &str| rows().filter(|row| row.what.grid == grid).count();
        let grid = rows().map(|row| row.what.grid.as_str()).max_by_key(|grid| count(grid))?;
        let rows = rows().filter(|row| row.what.grid == grid).collect();
        Some(Field { machine: &machine.name, grid, rows })
    }

    fn best(&self, variant: &str) -> Option<&'a Row<StencilWork>> {
        let rows = self.rows.iter().copied().filter(|row| row.what.variant == variant);
        let speed = |row: &Row<StencilWork>| row.figures.gcells_per_s.unwrap_or(0.0);
        rows.filter(|row| row.time().is_some()).max_by(|a, b| speed(a).total_cmp(&speed(b)))
    }
}

fn work_of(row: &Row<StencilWork>) -> Work<'_> {
    (row.what.points, &row.what.boundary, &row.what.element)
}

/// Tables of everything that any machine computed, in the order it first appears in.
pub fn tables(machines: &[Machine]) -> Vec<Table> {
    let works = each_once(machines.iter().flat_map(|machine| &machine.stencils).map(work_of));
    let tables = works.into_iter().flat_map(|work| {
        let fields: Vec<_> = machines.iter().filter_map(|machine| Field::of(machine, work)).collect();
        let (points, boundary, element) = work;
        let thesis = PRESETS.iter().find(|preset| preset.stencil.points() == points);
        let thesis = thesis.filter(|_| (boundary, element) == ("fixed", "f32"));
        let title = format!("{points}-point stencil of {element}, {boundary} borders");
        let published =
            thesis.map(|preset| thesis_rows(format!("{title}: the thesis's rows"), &fields, preset));
        std::iter::once(best_blocks(title, &fields, points)).chain(published)
    });
    tables.collect()
}

/// A variant's position in the catalogue; unknown variants come last.
fn place(variant: &str, points: u32) -> usize {
    let stencil = STENCILS.iter().find(|stencil| stencil.points() == points);
    let known = VARIANTS
        .iter()
        .position(|known| known.name == variant && stencil.is_some_and(|stencil| known.serves(stencil)));
    known.unwrap_or(VARIANTS.len())
}

fn best_blocks(title: String, fields: &[Field<'_>], points: u32) -> Table {
    let rows = fields.iter().flat_map(|field| &field.rows);
    let mut variants = each_once(rows.map(|row| row.what.variant.as_str()));
    variants.sort_by_key(|variant| place(variant, points));
    let mut head = vec!["variant, best block".to_owned()];
    for Field { machine, grid, .. } in fields {
        let grid = grid.parse().map_or_else(|_| (*grid).to_owned(), |grid: Grid| grid.to_string());
        let names = ["block", "time a step", "GCell/s", "GFLOP/s", "% of copy"];
        head.extend(columns_of(&format!("{machine}, {grid}"), &names));
    }
    let line = |variant: &&str| {
        let cells = fields.iter().flat_map(|field| best_cells(field, variant));
        std::iter::once(format!("`{variant}`")).chain(cells).collect()
    };
    Table { title, words: 1, head, lines: variants.iter().map(line).collect() }
}

/// Block, time, speeds and share of the copy peak of a variant at its best block.
fn best_cells(field: &Field<'_>, variant: &str) -> [String; 5] {
    let Some(row) = field.best(variant) else {
        let any = field.rows.iter().find(|row| row.what.variant == variant);
        let status = any.map_or_else(String::new, |row| table::status(*row));
        return [status, String::new(), String::new(), String::new(), String::new()];
    };
    [
        row.what.block.clone(),
        table::time(row.times.median),
        table::optional(row.figures.gcells_per_s),
        table::optional(row.figures.gflop_per_s),
        table::tenths(row.figures.percent_of_copy_peak),
    ]
}

/// The thesis's table, every machine at the same block; all steps' time where a machine ran as many over the same grid.
fn thesis_rows(title: String, fields: &[Field<'_>], preset: &Preset) -> Table {
    let machines = std::iter::once(MACHINE).chain(fields.iter().map(|field| field.machine));
    let columns = machines.flat_map(|machine| columns_of(machine, &["GCell/s", "GFLOP/s", "all steps"]));
    let head = std::iter::once("the thesis's rows".to_owned()).chain(columns).collect();
    let line = |published: &crate::stencil::Published| {
        let block = published.block.to_string();
        let mut line = vec![
            format!("`{} {block}`", published.variant),
            table::digits(published.gflop_s / preset.flops()),
            format!("{:.2}", published.gflop_s),
            format!("{:.2} s", published.seconds),
        ];
        for field in fields {
            let mut rows = field.rows.iter();
            let row = rows.find(|row| row.what.variant == published.variant && row.what.block == block);
            line.extend(row.map(|row| thesis_cells(row, preset)).unwrap_or_default());
        }
        line
    };
    Table { title, words: 1, head, lines: preset.published.iter().map(line).collect() }
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
