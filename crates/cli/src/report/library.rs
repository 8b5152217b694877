//! Rows of the library by operation: machines side by side, and on each the libraries that do it.

use std::cmp::Reverse;

use super::machines::Machine;
use super::markdown::{Group, Sheet};
use crate::lists::each_once;
use crate::row::{LibraryWork, Row};
use crate::table;

/// Shapes that belong together.
struct Family {
    title: &'static str,
    shapes: &'static [&'static str],
}

/// All shapes, in the order of the page; in the end those that this version does not know.
const FAMILIES: [Family; 8] = [
    Family {
        title: "Library: one result",
        shapes: &["whole", "counted", "accumulate", "two-scales", "wide"],
    },
    Family { title: "Library: segments", shapes: &["fixed", "computed-offsets", "offsets", "skewed"] },
    Family { title: "Library: columns and axes", shapes: &["columns", "axis"] },
    Family { title: "Library: histograms", shapes: &["random", "equal"] },
    Family {
        title: "Library: order statistics",
        shapes: &["uniform", "normal", "bits", "sorted", "two-values", "all-equal", "periodic"],
    },
    Family { title: "Library: a number on the host", shapes: &["scalar"] },
    Family { title: "Library: recording", shapes: &["recording"] },
    Family { title: "Library: others", shapes: &[] },
];

/// The rows of one family on all machines.
pub struct Section<'a> {
    /// Its heading.
    pub title: &'static str,
    /// Each machine that has any, with the names on it.
    fields: Vec<Field<'a>>,
    /// The operations that any machine has rows of.
    asked: Vec<Asked<'a>>,
}

/// A machine's rows of a family.
struct Field<'a> {
    machine: &'a str,
    names: Vec<&'a str>,
    rows: Vec<&'a Row<LibraryWork>>,
}

/// An operation, whichever library does it.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Asked<'a> {
    op: &'a str,
    shape: &'a str,
    element: &'a str,
    n: u64,
    segments: Option<u64>,
}

/// The families that any machine has rows of.
pub fn sections(machines: &[Machine]) -> Vec<Section<'_>> {
    let sections = FAMILIES.iter().map(|family| Section::new(machines, family));
    sections.filter(|section| !section.fields.is_empty()).collect()
}

impl Family {
    /// The title of the family that a shape belongs to.
    fn of(shape: &str) -> &'static str {
        let known = FAMILIES.iter().find(|family| family.shapes.contains(&shape));
        known.unwrap_or(&FAMILIES[FAMILIES.len() - 1]).title
    }
}

impl<'a> Asked<'a> {
    fn of(row: &'a Row<LibraryWork>) -> Self {
        let LibraryWork { op, shape, element, n, segments, .. } = &row.what;
        Asked { op, shape, element, n: *n, segments: *segments }
    }

    /// The operation in words.
    fn subject(self) -> String {
        let alike = ["fixed", "offsets", "computed-offsets"].contains(&self.shape);
        let results = match self.segments {
            None => String::new(),
            Some(count) if alike && count > 0 => format!(" in segments of {}", table::count(self.n / count)),
            Some(count) => format!(" to {} results", table::count(count)),
        };
        format!("{} of {} {}{results}", self.op, table::raised(self.n), self.element)
    }
}

impl<'a> Section<'a> {
    fn new(machines: &'a [Machine], family: &'static Family) -> Self {
        let field = |machine: &'a Machine| {
            let rows: Vec<_> =
                machine.library.iter().filter(|row| Family::of(&row.what.shape) == family.title).collect();
            let names = each_once(rows.iter().map(|row| row.what.name.as_str()));
            Field { machine: &machine.name, names, rows }
        };
        let fields: Vec<_> = machines.iter().map(field).filter(|field| !field.rows.is_empty()).collect();
        let rows = || fields.iter().flat_map(|field| field.rows.iter().copied());
        let (ops, elements) =
            (each_once(rows().map(|row| &row.what.op)), each_once(rows().map(|row| &row.what.element)));
        let mut asked = each_once(rows().map(Asked::of));
        asked.sort_by_key(|asked| {
            (
                ops.iter().position(|op| *op == asked.op),
                elements.iter().position(|element| *element == asked.element),
                asked.n,
                Reverse(asked.segments),
                family.shapes.iter().position(|shape| *shape == asked.shape),
            )
        });
        Section { title: family.title, fields, asked }
    }

    /// The table: a line for each operation, a column for each machine and library.
    pub fn sheet(&self) -> Sheet<'a> {
        let group =
            |field: &Field<'a>| Group { name: field.machine.to_owned(), columns: field.names.clone() };
        let line = |asked: &Asked<'a>| {
            let cells = self.fields.iter().flat_map(|field| field.cells(*asked));
            (format!("{}, {}", asked.subject(), asked.shape), cells.collect())
        };
        Sheet {
            subject: "asked for",
            groups: self.fields.iter().map(group).collect(),
            lines: self.asked.iter().map(line).collect(),
        }
    }
}

impl Field<'_> {
    /// The cell of each name.
    fn cells(&self, asked: Asked<'_>) -> Vec<String> {
        let cell = |name: &&str| {
            let row = self.rows.iter().find(|row| row.what.name == **name && Asked::of(row) == asked);
            row.map(|row| cell(row)).unwrap_or_default()
        };
        self.names.iter().map(cell).collect()
    }
}

/// Time, and speed where there is one.
fn cell(row: &Row<LibraryWork>) -> String {
    let Some(ms) = row.time() else { return table::status(row) };
    let rate = row.figures.gb_per_s.map(|gb_per_s| format!(" · {} GB/s", table::digits(gb_per_s)));
    table::time(Some(ms)) + &rate.unwrap_or_default()
}
