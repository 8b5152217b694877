//! The tables as Markdown.

use std::fmt::Write as _;

use super::library;
use super::machines::{Machine, side_by_side, works};
use super::published::{Document, documents};
use super::stencils;
use crate::row::{Row, Status};
use crate::table::{self, raised};

/// A table with groups of columns.
pub struct Sheet<'a> {
    /// The heading of the column of names.
    pub subject: &'static str,
    /// Columns that belong together, from left to right.
    pub groups: Vec<Group<'a>>,
    /// The lines from top to bottom: a name, and as many cells as there are columns. A cell is empty where a machine has no such row.
    pub lines: Vec<(String, Vec<String>)>,
}

/// Columns of a machine.
pub struct Group<'a> {
    pub name: String,
    pub columns: Vec<&'a str>,
}

/// All tables: the machines, every ladder with the machines side by side, and the documents.
pub fn tables(machines: &[Machine]) -> String {
    let mut text = String::new();
    for machine in machines {
        let facts = facts(machine).into_iter().map(|(name, value)| format!("{name} {value}"));
        let facts = facts.collect::<Vec<_>>().join("; ");
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "**{}**: {}\n", escape(&machine.name), escape(&facts));
    }
    for work in works(machines) {
        let (ladders, rungs) = side_by_side(machines, work);
        if ladders.is_empty() {
            continue;
        }
        let _ = writeln!(text, "### {} of {}\n", work.0, work.1);
        let columns = ladders.iter().flat_map(|(machine, ladder)| {
            let name = format!("{}, {}", machine.name, raised(ladder.n));
            [name, "GB/s".to_owned(), "% of peak".to_owned()]
        });
        head(&mut text, 1, std::iter::once("rung".to_owned()).chain(columns));
        for rung in rungs {
            let rows = ladders.iter().map(|(_, ladder)| first(&ladder.rows, rung));
            let cells = rows.flat_map(|row| row.map(cells).unwrap_or_default());
            line(&mut text, std::iter::once(format!("`{rung}`")).chain(cells));
        }
        text.push('\n');
    }
    for document in documents(machines) {
        table_of(&mut text, &document);
    }
    for comparison in stencils::comparisons(machines) {
        let _ = writeln!(text, "### {}\n", escape(&comparison.title()));
        for sheet in comparison.sheets() {
            sheet_of(&mut text, &sheet);
        }
    }
    for section in library::sections(machines) {
        let _ = writeln!(text, "### {}\n", section.title);
        sheet_of(&mut text, &section.sheet());
    }
    text.trim_end().to_owned() + "\n"
}

fn table_of(text: &mut String, document: &Document<'_>) {
    let _ = writeln!(text, "### {}\n", escape(&document.title));
    let names = document.machines.iter().map(|machine| machine.name.clone());
    head(text, 1, ["row", "rung", "published", "published GB/s"].map(str::to_owned).into_iter().chain(names));
    for row in &document.lines {
        let own = [
            row.name.to_owned(),
            format!("`{}`", row.rung),
            table::time(row.ms),
            table::optional(row.gb_per_s),
        ];
        line(text, own.into_iter().chain(row.measured.iter().map(|ms| table::time(*ms))));
    }
    text.push('\n');
}

/// A table whose columns are named after their group and themselves.
fn sheet_of(text: &mut String, sheet: &Sheet<'_>) {
    let groups = sheet.groups.iter().flat_map(|group| {
        let first = group.columns.iter().take(1).map(|column| format!("{}: {column}", group.name));
        first.chain(group.columns.iter().skip(1).map(|column| (*column).to_owned()))
    });
    head(text, 1, std::iter::once(sheet.subject.to_owned()).chain(groups));
    for (name, cells) in &sheet.lines {
        line(text, std::iter::once(format!("`{name}`")).chain(cells.iter().cloned()));
    }
    text.push('\n');
}

/// The head of a table, whose first columns are words and the others numbers.
pub fn head(text: &mut String, words: usize, names: impl Iterator<Item = String>) {
    let names: Vec<_> = names.collect();
    line(text, names.iter().cloned());
    let rule = (0..names.len()).map(|index| if index < words { "---" } else { "---:" });
    let _ = writeln!(text, "|{}|", rule.collect::<Vec<_>>().join("|"));
}

/// A line of a table.
pub fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    let cells: Vec<_> = cells.map(|cell| escape(&cell)).collect();
    let _ = writeln!(text, "| {} |", cells.join(" | "));
}

/// Text as it may stand in a cell.
fn escape(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}

/// Facts about a machine, by name.
fn facts(machine: &Machine) -> Vec<(&'static str, String)> {
    let reductions = machine.rows.iter().map(|row| row.status);
    let others = machine.stencils.iter().map(|row| row.status);
    let library = machine.library.iter().map(|row| row.status);
    let all = || reductions.clone().chain(others.clone()).chain(library.clone());
    let count = |status| all().filter(|known| *known == status).count();
    let rows = format!(
        "{} right, {} wrong, {} skipped",
        count(Status::Pass),
        count(Status::Fail),
        count(Status::Skipped)
    );
    if machine.origins.is_empty() {
        return vec![("rows", rows)];
    }
    let clock = |name: &str| if name == "gpu" { "GPU timestamps" } else { "wall clock" }.to_owned();
    let mut facts = vec![
        ("read peak", machine.spread(|record| record.peak.read_gb_per_s, "GB/s")),
        ("copy peak", machine.spread(|record| record.peak.copy_gb_per_s, "GB/s")),
        ("times", machine.texts(|record| clock(record.peak.timing.name()))),
        ("driver", machine.texts(|record| record.adapter.driver.clone())),
        ("kind", machine.texts(|record| kind(&record.adapter.device_type).to_owned())),
        ("subgroups", machine.texts(|record| range(record.adapter.subgroup_range))),
        ("features", machine.texts(|record| record.adapter.features.join(", "))),
        ("system", machine.texts(|record| record.os.clone())),
        ("date", machine.texts(|record| record.date.chars().take(10).collect())),
        (
            "versions",
            machine.texts(|record| {
                let made_of = record.wgpu.strip_prefix("none: ").map(str::to_owned);
                let made_of = made_of.unwrap_or_else(|| format!("wgpu {}", record.wgpu));
                format!("halofold {}, {made_of}", record.halofold)
            }),
        ),
        ("rows", rows),
    ];
    facts.retain(|(_, value)| !value.is_empty());
    facts
}

/// The type of adapter in words; wgpu's own name if there are none for it.
fn kind(device_type: &str) -> &str {
    match device_type {
        "DiscreteGpu" => "discrete GPU",
        "IntegratedGpu" => "integrated GPU",
        "VirtualGpu" => "virtual GPU",
        "Cpu" => "software, on the processor",
        other => other,
    }
}

/// Two numbers, or the one that both are.
fn range([least, most]: [u32; 2]) -> String {
    if least == most { most.to_string() } else { format!("{least} to {most}") }
}

/// The first row of a rung.
pub fn first<'a>(rows: &[&'a Row], rung: &str) -> Option<&'a Row> {
    rows.iter().copied().find(|row| row.what.rung == rung)
}

/// Time, bandwidth and percentage of a row; without a time its status.
fn cells(row: &Row) -> [String; 3] {
    let figures = row.time().and(Some(&row.figures));
    [
        table::time_or_status(row),
        table::optional(figures.and_then(|figures| figures.gb_per_s)),
        table::tenths(figures.and_then(|figures| figures.percent_of_read_peak)),
    ]
}
