//! Rows of the library by operation: machines side by side, and on each the libraries that do it.

use std::cmp::Reverse;

use super::machines::Machine;
use super::markdown::{Table, columns_of};
use crate::lists::each_once;
use crate::row::{LibraryWork, Row};
use crate::table;

/// Headings of tables, each with the shapes that belong together, in the order of the page. The last table has the shapes that this
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

/// The family that a shape belongs to.
fn family_of(shape: &str) -> usize {
    FAMILIES.iter().position(|(_, shapes)| shapes.contains(&shape)).unwrap_or(FAMILIES.len() - 1)
}

/// A table for each family that any machine has rows of.
pub fn tables(machines: &[Machine]) -> Vec<Table> {
    let tables = (0..FAMILIES.len()).map(|family| table(machines, family));
    tables.filter(|table| !table.lines.is_empty()).collect()
}

/// A line for each operation, a column for each machine and library.
fn table(machines: &[Machine], family: usize) -> Table {
    let (title, shapes) = FAMILIES[family];
    let is_of_it = |row: &&Row<LibraryWork>| family_of(&row.what.shape) == family;
    let rows = || machines.iter().flat_map(|machine| &machine.library).filter(is_of_it);
    let (ops, elements) =
        (each_once(rows().map(|row| &row.what.op)), each_once(rows().map(|row| &row.what.element)));
    let mut asked = each_once(rows().map(|row| LibraryWork { name: String::new(), ..row.what.clone() }));
    asked.sort_by_key(|asked| {
        (
            ops.iter().position(|op| **op == asked.op),
            elements.iter().position(|element| **element == asked.element),
            asked.n,
            Reverse(asked.segments),
            shapes.iter().position(|shape| *shape == asked.shape),
        )
    });
    let mut head = vec!["work".to_owned()];
    let mut columns = Vec::new();
    for machine in machines {
        let names = machine.library.iter().filter(is_of_it).map(|row| row.what.name.as_str());
        let names = each_once(names);
        head.extend(columns_of(&machine.name, &names));
        columns.extend(names.into_iter().map(|name| (machine, name)));
    }
    let line = |asked: &LibraryWork| {
        let cells = columns.iter().map(|(machine, name)| {
            let what = LibraryWork { name: (*name).to_owned(), ..asked.clone() };
            machine.library.iter().find(|row| row.what == what).map(cell).unwrap_or_default()
        });
        std::iter::once(format!("`{}, {}`", subject(asked), asked.shape)).chain(cells).collect()
    };
    Table { title: title.to_owned(), words: 1, head, lines: asked.iter().map(line).collect() }
}

/// An operation in words, whichever library does it.
fn subject(asked: &LibraryWork) -> String {
    let alike = ["fixed", "offsets", "computed-offsets"].contains(&&*asked.shape);
    let results = match asked.segments {
        None => String::new(),
        Some(count) if alike && count > 0 => format!(" in segments of {}", table::count(asked.n / count)),
        Some(count) => format!(" to {} results", table::count(count)),
    };
    format!("{} of {} {}{results}", asked.op, table::raised(asked.n), asked.element)
}

/// Time, and speed where there is one.
fn cell(row: &Row<LibraryWork>) -> String {
    let Some(ms) = row.time() else { return table::status(row) };
    let rate = row.figures.gb_per_s.map(|gb_per_s| format!(" · {} GB/s", table::digits(gb_per_s)));
    table::time(Some(ms)) + &rate.unwrap_or_default()
}
