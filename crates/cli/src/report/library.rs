//! Rows of library operations: a column per machine and library.

use std::cmp::Reverse;

use super::machines::Machine;
use super::tables::Entry;
use crate::lists::each_once;
use crate::row::{LibraryWork, Row};
use crate::table;

/// Headings of tables, each with its shapes, in the order of the page. The last table takes shapes that this
/// version does not know.
const FAMILIES: [(&str, &[&str]); 8] = [
    ("Library: one result", &["whole", "counted", "accumulate", "two-scales", "wide"]),
    ("Library: segments", &["fixed", "computed-offsets", "offsets", "skewed"]),
    ("Library: columns and axes", &["columns", "axis"]),
    ("Library: histograms", &["random", "equal"]),
    (
        "Library: order statistics",
        &["uniform", "normal", "bits", "sorted", "two-values", "all-equal", "periodic"],
    ),
    ("Library: a number on the host", &["scalar"]),
    ("Library: recording", &["recording"]),
    ("Library: others", &[]),
];

fn family_of(shape: &str) -> usize {
    FAMILIES.iter().position(|(_, shapes)| shapes.contains(&shape)).unwrap_or(FAMILIES.len() - 1)
}

/// Returns the entries of every operation: a table per family, a column per machine and library.
pub fn entries(machines: &[Machine]) -> Vec<Entry<'_>> {
    let rows = || machines.iter().flat_map(|machine| machine.library.iter().map(move |row| (machine, row)));
    let works = || rows().map(|(_, row)| &row.what);
    let (ops, elements) =
        (each_once(works().map(|work| &work.op)), each_once(works().map(|work| &work.element)));
    let mut all: Vec<_> = rows().collect();
    let place = |work: &LibraryWork| {
        let family = family_of(&work.shape);
        (
            family,
            ops.iter().position(|op| **op == work.op),
            elements.iter().position(|element| **element == work.element),
            work.n,
            Reverse(work.segments),
            FAMILIES[family].1.iter().position(|shape| *shape == work.shape),
        )
    };
    let mut lines = each_once(works().map(|work| LibraryWork { name: String::new(), ..work.clone() }));
    lines.sort_by_key(place);
    all.sort_by_key(|(_, row)| family_of(&row.what.shape));
    let nameless = |row: &Row<LibraryWork>| LibraryWork { name: String::new(), ..row.what.clone() };
    let entries = all.into_iter().map(|(machine, row)| Entry {
        title: FAMILIES[family_of(&row.what.shape)].0.to_owned(),
        place: lines.iter().position(|known| *known == nameless(row)).unwrap_or(lines.len()),
        line: vec![format!("`{}, {}`", subject(&row.what), row.what.shape)],
        heads: &["work"],
        machine: &machine.name,
        cells: vec![(&row.what.name, cell(row))],
    });
    entries.collect()
}

/// Describes an operation in words, independent of the library.
fn subject(asked: &LibraryWork) -> String {
    let alike = ["fixed", "offsets", "computed-offsets"].contains(&&*asked.shape);
    let results = match asked.segments {
        None => String::new(),
        Some(count) if alike && count > 0 => format!(" in segments of {}", asked.n / count),
        Some(count) => format!(" to {} results", table::raised(count)),
    };
    format!("{} of {} {}{results}", asked.op, table::raised(asked.n), asked.element)
}

fn cell(row: &Row<LibraryWork>) -> String {
    let Some(ms) = row.time() else { return table::status(row) };
    let rate = row.figures.gb_per_s.map(|gb_per_s| format!(" · {} GB/s", table::digits(gb_per_s)));
    table::time(Some(ms)) + &rate.unwrap_or_default()
}
