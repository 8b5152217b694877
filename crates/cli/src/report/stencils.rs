//! Stencils by block shape, machines side by side, and the thesis's machine as one more.

use halofold::stencil::{Block, Grid, Mapping, STENCILS, VARIANTS};

use maud::{Markup, html};

use super::blocks;
use super::machines::Machine;
use super::sheet::{Group, Line, Sheet};
use crate::chart::{Bar, Bars, COLOURS};
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
    /// Those of them that have a colour, the same on all machines.
    coloured: Vec<&'a str>,
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

    /// Cells a second of a kernel that only copies, by the rows' own percentages; the highest if they are of several runs.
    pub fn ceiling(&self) -> Option<f64> {
        let ceilings = self
            .rows
            .iter()
            .filter_map(|row| Some(100.0 * row.figures.gcells_per_s? / row.figures.percent_of_copy_peak?));
        ceilings.max_by(f64::total_cmp)
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

/// The block of a row; none if it is not one of this version's.
pub fn block(row: &Row<StencilWork>) -> Option<Block> {
    row.what.block.parse().ok()
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
        let coloured = fields.first().map_or_else(Vec::new, |field| coloured(field, &variants, points));
        Comparison { points, boundary, element, fields, variants, coloured, published }
    }

    /// Its title, in one line.
    pub fn title(&self) -> String {
        format!("{}-point stencil of {}, {} borders", self.points, self.element, self.boundary)
    }

    /// A chart by block for every machine, and one of the thesis's figures.
    pub fn figures(&self) -> Markup {
        let charts = self.fields.iter().map(|field| {
            let title = format!("{} on {}: speed by block", self.title(), field.machine);
            let chart = blocks::chart(title, field, &self.variants, &self.coloured);
            html! { figure { h3 { (field.machine) ", " (grid(field.grid)) } (chart) } }
        });
        html! { @for figure in charts.chain(self.published.map(published_figure)) { (figure) } }
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
        let line = |variant: &&str| Line {
            name: (*variant).to_owned(),
            cells: self.fields.iter().flat_map(|field| best_cells(field, variant)).collect(),
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
            Line {
                name: format!("{} {block}", row.variant),
                cells: own.into_iter().chain(measured).collect(),
            }
        };
        Sheet {
            subject: "the thesis's rows",
            groups: std::iter::once(first).chain(self.fields.iter().map(group)).collect(),
            lines: preset.published.iter().map(line).collect(),
        }
    }
}

/// The variants that have a colour, in the order of the catalogue: on this machine the best of every kind, then the fastest
/// of the rest.
fn coloured<'a>(field: &Field<'_>, variants: &[&'a str], points: u32) -> Vec<&'a str> {
    let speed = |variant: &str| field.best(variant).and_then(|row| row.figures.gcells_per_s).unwrap_or(0.0);
    let mut order = variants.to_vec();
    order.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
    let kind = |variant: &str| VARIANTS.get(place(variant, points)).map(|known| known.mapping);
    let kinds = [Mapping::Strips, Mapping::Overlapped, Mapping::Direct, Mapping::Cells];
    let best =
        kinds.iter().filter_map(|wanted| order.iter().find(|name| kind(name) == Some(*wanted)).copied());
    let mut chosen: Vec<&str> = best.collect();
    for variant in &order {
        if chosen.len() < COLOURS && !chosen.contains(variant) {
            chosen.push(variant);
        }
    }
    chosen.sort_by_key(|variant| place(variant, points));
    chosen
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

/// The thesis's figures as bars.
fn published_figure(preset: &Preset) -> Markup {
    let flops = preset.flops();
    let bars = preset.published.iter().map(|row| {
        let label = format!("{} {}", row.variant, row.block);
        let text = format!("{} GCell/s · {:.2} GFLOP/s", table::digits(row.gflop_s / flops), row.gflop_s);
        let hint = format!("{label}: {:.2} s for {} steps", row.seconds, preset.thesis.steps);
        Bar { label, value: Some(row.gflop_s / flops), text, hint }
    });
    let chart = Bars {
        title: format!("published: {}", preset.title),
        ceiling: None,
        reach: 0.0,
        bars: bars.collect(),
    };
    html! { figure { h3 { (MACHINE) ", table " (preset.table) } (chart.figure()) } }
}
