//! Rows of the library by operation: machines side by side, and on each the libraries that do it.

use std::cmp::Reverse;

use maud::{Markup, html};

use super::machines::Machine;
use super::sheet::{Group, Line, Sheet};
use crate::chart::{Bar, Bars};
use crate::lists::each_once;
use crate::row::{LibraryWork, Row};
use crate::table;

/// Shapes that belong together.
struct Family {
    title: &'static str,
    shapes: &'static [&'static str],
    note: &'static str,
}

/// Explanation of the names of calls by GPU time.
const CALLS: &str = "halofold: one of many independent calls in a pass; halofold-exact: the same without rounding. halofold-chained: one of several calls that share an \
     output, so that each waits for the one before. Inputs come from memory, not from a cache.";

/// All shapes, in the order of the page; in the end those that this version does not know.
const FAMILIES: [Family; 8] = [
    Family {
        title: "Library: one result",
        shapes: &["whole", "counted", "accumulate", "two-scales", "wide"],
        note: CALLS,
    },
    Family {
        title: "Library: segments",
        shapes: &["fixed", "computed-offsets", "offsets", "skewed"],
        note: CALLS,
    },
    Family { title: "Library: columns and axes", shapes: &["columns", "axis"], note: CALLS },
    Family { title: "Library: histograms", shapes: &["random", "equal"], note: CALLS },
    Family {
        title: "Library: order statistics",
        shapes: &["uniform", "normal", "bits", "sorted", "two-values", "all-equal", "periodic"],
        note: CALLS,
    },
    Family {
        title: "Library: a number on the host",
        shapes: &["scalar"],
        note: "From the start of recording until the number is there, by the host's clock.",
    },
    Family {
        title: "Library: recording",
        shapes: &["recording"],
        note: "The processor's time: halofold to record one call into a pass, halofold-submit to finish and submit one.",
    },
    Family { title: "Library: others", shapes: &[], note: "" },
];

/// The rows of one family on all machines.
pub struct Section<'a> {
    /// Its heading.
    pub title: &'static str,
    note: &'static str,
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

    /// The key that all bars of one chart share.
    fn work(self) -> (&'a str, &'a str, Option<u64>) {
        (self.op, self.element, self.segments)
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
        Section { title: family.title, note: family.note, fields, asked }
    }

    /// A line of explanation and the charts: of a single machine, which nothing stands beside, one with a bar a row.
    pub fn figures(&self, is_single: bool) -> Markup {
        if let ([field], true) = (&self.fields[..], is_single) {
            return html! {
                @if !self.note.is_empty() { p class="note wide" { (self.note) } }
                figure class="wide" { (field.chart(self)) }
            };
        }
        let works = each_once(self.asked.iter().map(|asked| asked.work()));
        let charts = works.into_iter().filter_map(|work| {
            let same = || self.asked.iter().copied().filter(|asked| asked.work() == work);
            let n = same().map(|asked| asked.n).max()?;
            self.figure(&same().filter(|asked| asked.n == n).collect::<Vec<_>>())
        });
        html! {
            @if !self.note.is_empty() { p class="note wide" { (self.note) } }
            @for chart in charts { (chart) }
        }
    }

    /// One chart for each machine, of rows that differ in the shape only, as shares of the read peak; none if no machine has such rows.
    fn figure(&self, asked: &[Asked<'a>]) -> Option<Markup> {
        let subject = asked.first()?.subject();
        let rows = |field: &Field<'a>| -> Vec<&'a Row<LibraryWork>> {
            let of = |asked: &Asked<'a>| {
                let asked = *asked;
                field.rows.iter().copied().filter(move |row| Asked::of(row) == asked)
            };
            asked.iter().flat_map(of).filter(|row| share(row).is_some()).collect()
        };
        let mut fields: Vec<_> = self.fields.iter().map(|field| (field.machine, rows(field))).collect();
        fields.retain(|(_, rows)| !rows.is_empty());
        let reach = fields.iter().flat_map(|(_, rows)| rows).filter_map(|row| share(row)).fold(0.0, f64::max);
        let chart = |machine: &str, rows: &[&Row<LibraryWork>]| Bars {
            title: format!("{subject} on {machine}"),
            ceiling: Some((100.0, peak(rows))),
            reach,
            bars: rows.iter().map(|row| bar(row, asked.len() > 1)).collect(),
        };
        (!fields.is_empty()).then(|| {
            html! {
                figure {
                    h3 { (subject) }
                    @for (machine, rows) in &fields {
                        p class="note machine" { (machine) }
                        (chart(machine, rows).figure())
                    }
                }
            }
        })
    }

    /// The table: a line for each operation, a column for each machine and library.
    pub fn sheet(&self) -> Sheet<'a> {
        let group =
            |field: &Field<'a>| Group { name: field.machine.to_owned(), columns: field.names.clone() };
        let line = |asked: &Asked<'a>| Line {
            name: format!("{}, {}", asked.subject(), asked.shape),
            cells: self.fields.iter().flat_map(|field| field.cells(*asked)).collect(),
        };
        Sheet {
            subject: "asked for",
            groups: self.fields.iter().map(group).collect(),
            lines: self.asked.iter().map(line).collect(),
        }
    }
}

impl Field<'_> {
    /// All rows as shares of the read peak, or as times where they have none.
    fn chart(&self, section: &Section<'_>) -> Markup {
        let of =
            |asked: &Asked<'_>| self.rows.iter().filter(|row| Asked::of(row) == *asked).collect::<Vec<_>>();
        let rows: Vec<_> = section.asked.iter().flat_map(of).copied().collect();
        let has_shares = rows.iter().any(|row| share(row).is_some());
        let one = |row: &&Row<LibraryWork>| {
            let asked = Asked::of(row);
            let label = format!("{}: {}, {}", row.what.name, asked.subject(), asked.shape);
            Bar { label, value: if has_shares { share(row) } else { row.time() }, ..bar(row, true) }
        };
        let bars = Bars {
            title: format!("{} on {}", section.title, self.machine),
            ceiling: has_shares.then(|| (100.0, peak(&rows))),
            reach: 0.0,
            bars: rows.iter().map(one).collect(),
        };
        bars.figure()
    }

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

/// The share of the read peak of a row that was right.
fn share(row: &Row<LibraryWork>) -> Option<f64> {
    row.figures.percent_of_read_peak.filter(|_| row.time().is_some())
}

/// The read peak that rows are measured against.
fn peak(rows: &[&Row<LibraryWork>]) -> String {
    let peak = rows.iter().find_map(|row| Some(100.0 * row.figures.gb_per_s? / share(row)?));
    peak.map_or("read peak".to_owned(), |peak| format!("read peak {} GB/s", table::digits(peak)))
}

fn bar(row: &Row<LibraryWork>, shapes: bool) -> Bar {
    let shape = if shapes { format!(" {}", row.what.shape) } else { String::new() };
    let percent = share(row).map(|percent| format!(" · {percent:.1} %")).unwrap_or_default();
    Bar {
        label: row.what.name.clone() + &shape,
        value: share(row),
        text: table::time(row.time()) + &percent,
        hint: format!("{}{shape}: {}", row.what.name, cell(row)),
    }
}
