//! The documents' published figures, shown as one more machine beside those that replayed them.

use super::machines::Machine;
use crate::lists::each_once;
use crate::presets;
use crate::row::Row;

/// A document's table.
pub struct Document<'a> {
    /// Its title, in one line.
    pub title: String,
    /// The machines that replayed it.
    pub machines: Vec<&'a Machine>,
    /// Its rows in order.
    pub lines: Vec<Line<'a>>,
}

/// One row of a document.
pub struct Line<'a> {
    /// The document's name for it.
    pub name: &'a str,
    /// The rung that replays it.
    pub rung: &'a str,
    /// The published time in milliseconds.
    pub ms: Option<f64>,
    /// The published bandwidth, as the document counts.
    pub gb_per_s: Option<f64>,
    /// The time of each of the document's machines.
    pub measured: Vec<Option<f64>>,
}

/// The documents that any machine replayed.
pub fn documents(machines: &[Machine]) -> Vec<Document<'_>> {
    let names = each_once(replayed(machines).filter_map(|row| row.what.preset.as_deref()));
    names.into_iter().map(|name| document(machines, name)).collect()
}

fn replayed(machines: &[Machine]) -> impl Iterator<Item = &Row> {
    machines.iter().flat_map(|machine| &machine.rows).filter(|row| row.what.preset.is_some())
}

fn document<'a>(machines: &'a [Machine], preset: &'a str) -> Document<'a> {
    let replayed_it =
        |machine: &&Machine| machine.rows.iter().any(|row| row.what.preset.as_deref() == Some(preset));
    let replaying: Vec<_> = machines.iter().filter(replayed_it).collect();
    let mut lines: Vec<Line<'_>> = Vec::new();
    for row in replayed(machines).filter(|row| row.what.preset.as_deref() == Some(preset) && !row.is_cpu()) {
        let name = row.what.row.as_deref().unwrap_or(&row.what.rung);
        if lines.iter().any(|line| line.name == name) {
            continue;
        }
        let own = |machine: &&'a Machine| {
            let rows = machine.rows.iter().filter(|row| !row.is_cpu());
            rows.filter(|other| other.what.preset == row.what.preset && other.what.row == row.what.row)
                .find_map(Row::time)
        };
        lines.push(Line {
            name,
            rung: &row.what.rung,
            ms: row.figures.published_ms,
            gb_per_s: row.figures.published_gb_s,
            measured: replaying.iter().map(own).collect(),
        });
    }
    let title = presets::named(preset).map_or_else(|_| preset.to_owned(), |preset| preset.title.clone());
    Document { title, machines: replaying, lines }
}
