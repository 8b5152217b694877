//! The tables as Markdown.

use std::fmt::Write as _;

use super::library;
use super::machines::{Machine, side_by_side, works};
use super::page::{cells, facts, first};
use super::published::{Document, documents};
use super::sheet::Sheet;
use super::stencils;
use crate::table::{self, raised};

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
    for row in &sheet.lines {
        line(text, std::iter::once(format!("`{}`", row.name)).chain(row.cells.iter().cloned()));
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
