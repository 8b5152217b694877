//! Stencils at their best block shapes, machines side by side, and the thesis's machine as one more.

use halofold::stencil::{Grid, STENCILS, VARIANTS};

use super::machines::Machine;
use super::markdown::{Group, Sheet};
use crate::lists::each_once;
use crate::row::{Row, StencilWork};
use crate::stencil::{MACHINE, PRESETS, Preset};
use crate::table;

/// A stencil on all machines that ran it.
pub struct Comparison<'a> {
    points: u32,
    boundary: &'a str,
    element: &'a str,
    /// Each machine's rows over one grid.
    fields: Vec<Field<'a>>,
    /// The variants on any machine, in the order of the catalogue.
    variants: Vec<&'a str>,
    /// The thesis's table for it.
    published: Option<&'static Preset>,
}

/// The rows of one machine over the grid that has the most.
pub struct Field<'a> {
    /// The machine's name.
    pub machine: &'a str,
    /// The grid.
    pub grid: &'a str,
    /// The rows.
    pub rows: Vec<&'a Row<StencilWork>>,
}

impl<'a> Field<'a> {
    /// The fastest row of a variant.
    pub fn best(&self, variant: &str) -> Option<&'a Row<StencilWork>> {
        let rows = self.rows.iter().copied().filter(|row| row.what.variant == variant);
        rows.filter(|row| row.time().is_some()).max_by(|a, b| {
            a.figures.gcells_per_s.unwrap_or(0.0).total_cmp(&b.figures.gcells_per_s.unwrap_or(0.0))
        })
    }
}

/// Everything that any machine computed, in the order it first appears in.
pub fn comparisons(machines: &[Machine]) -> Vec<Comparison<'_>> {
    let rows = machines.iter().flat_map(|machine| &machine.stencils).map(|row| &row.what);
    let works = each_once(rows.map(|what| (what.points, what.boundary.as_str(), what.element.as_str())));
    works.into_iter().map(|work| Comparison::new(machines, work)).collect()
}

/// The grid that most of some rows are over.
fn usual_grid<'a>(rows: &[&'a Row<StencilWork>]) -> Option<&'a str> {
    let count = |grid: &str| rows.iter().filter(|row| row.what.grid == grid).count();
    rows.iter().map(|row| row.what.grid.as_str()).max_by_key(|grid| count(grid))
}

/// A variant's position in the catalogue; unknown variants come last.
fn place(variant: &str, points: u32) -> usize {
    let stencil = STENCILS.iter().find(|stencil| stencil.points() == points);
    let known = VARIANTS
        .iter()
        .position(|known| known.name == variant && stencil.is_some_and(|stencil| known.serves(stencil)));
    known.unwrap_or(VARIANTS.len())
}

impl<'a> Comparison<'a> {
    fn new(machines: &'a [Machine], (points, boundary, element): (u32, &'a str, &'a str)) -> Self {
        let field = |machine: &'a Machine| {
            let mut rows: Vec<_> = machine
                .stencils
                .iter()
                .filter(|row| {
                    (row.what.points, &*row.what.boundary, &*row.what.element) == (points, boundary, element)
                })
                .collect();
            let grid = usual_grid(&rows)?;
            rows.retain(|row| row.what.grid == grid);
            Some(Field { machine: &machine.name, grid, rows })
        };
        let fields: Vec<_> = machines.iter().filter_map(field).collect();
        let mut variants: Vec<_> =
            fields.iter().flat_map(|field| &field.rows).map(|row| row.what.variant.as_str()).collect();
        variants.sort_by_key(|variant| (place(variant, points), *variant));
        variants.dedup();
        let thesis = PRESETS.iter().find(|preset| preset.stencil.points() == points);
        let published = thesis.filter(|_| boundary == "fixed" && element == "f32");
        Comparison { points, boundary, element, fields, variants, published }
    }

    /// Its title, in one line.
    pub fn title(&self) -> String {
        format!("{}-point stencil of {}, {} borders", self.points, self.element, self.boundary)
    }

    /// The tables: every variant at its best block, and the thesis's rows at the thesis's.
    pub fn sheets(&self) -> Vec<Sheet<'static>> {
        let rows = self.published.map(|preset| self.thesis_rows(preset));
        std::iter::once(self.best_blocks()).chain(rows).collect()
    }

    fn best_blocks(&self) -> Sheet<'static> {
        let group = |field: &Field<'_>| Group {
            name: format!("{}, {}", field.machine, grid(field.grid)),
            columns: vec!["block", "time a step", "GCell/s", "GFLOP/s", "% of copy"],
        };
        let line = |variant: &&str| {
            ((*variant).to_owned(), self.fields.iter().flat_map(|field| best_cells(field, variant)).collect())
        };
        Sheet {
            subject: "variant, best block",
            groups: self.fields.iter().map(group).collect(),
            lines: self.variants.iter().map(line).collect(),
        }
    }

    /// The thesis's table, every machine at the same block; all steps' time where a machine ran as many over the same grid.
    fn thesis_rows(&self, preset: &Preset) -> Sheet<'static> {
        let columns = || vec!["GCell/s", "GFLOP/s", "all steps"];
        let group = |field: &Field<'_>| Group { name: field.machine.to_owned(), columns: columns() };
        let first = Group { name: MACHINE.to_owned(), columns: columns() };
        let flops = preset.flops();
        let line = |row: &crate::stencil::Published| {
            let own = [
                table::digits(row.gflop_s / flops),
                format!("{:.2}", row.gflop_s),
                format!("{:.2} s", row.seconds),
            ];
            let block = row.block.to_string();
            let measured = self.fields.iter().flat_map(|field| {
                let same = |known: &&&Row<StencilWork>| {
                    known.what.variant == row.variant && known.what.block == block
                };
                thesis_cells(field.rows.iter().find(same).copied(), preset)
            });
            (format!("{} {block}", row.variant), own.into_iter().chain(measured).collect())
        };
        Sheet {
            subject: "the thesis's rows",
            groups: std::iter::once(first).chain(self.fields.iter().map(group)).collect(),
            lines: preset.published.iter().map(line).collect(),
        }
    }
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

fn thesis_cells(row: Option<&Row<StencilWork>>, preset: &Preset) -> [String; 3] {
    let Some(row) = row else { return Default::default() };
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

/// A grid in words.
fn grid(text: &str) -> String {
    text.parse().map_or_else(|_| text.to_owned(), |grid: Grid| grid.to_string())
}
