//! The documents' published figures: one more machine, beside those that replayed them.

use halofold::Element;

use super::machines::Machine;
use crate::presets;
use crate::row::{Measured, Row};

/// A document's table.
pub struct Document<'a> {
    /// What it is, in a line.
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
    /// The input in units of 10^9 bytes over the published time, or else the published bandwidth.
    pub rate: Option<f64>,
    /// The time of each of the document's machines.
    pub measured: Vec<Option<f64>>,
}

/// The documents that any machine replayed.
pub fn documents(machines: &[Machine]) -> Vec<Document<'_>> {
    let mut names: Vec<&str> = Vec::new();
    for name in replayed(machines).filter_map(|row| row.preset.as_deref()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.into_iter().map(|name| document(machines, name)).collect()
}

fn replayed(machines: &[Machine]) -> impl Iterator<Item = &Row> {
    machines.iter().flat_map(|machine| &machine.rows).filter(|row| row.preset.is_some())
}

fn document<'a>(machines: &'a [Machine], preset: &'a str) -> Document<'a> {
    let replayed_it =
        |machine: &&Machine| machine.rows.iter().any(|row| row.preset.as_deref() == Some(preset));
    let replaying: Vec<_> = machines.iter().filter(replayed_it).collect();
    let mut lines: Vec<Line<'_>> = Vec::new();
    for row in replayed(machines).filter(|row| row.preset.as_deref() == Some(preset) && row.backend != "cpu")
    {
        let name = row.row.as_deref().unwrap_or(&row.rung);
        if lines.iter().any(|line| line.name == name) {
            continue;
        }
        let own = |machine: &&'a Machine| {
            let rows = machine.rows.iter().filter(|row| row.backend != "cpu");
            rows.filter(|other| other.preset == row.preset && other.row == row.row)
                .find_map(Measured::own_time)
        };
        let size = row.element.parse::<Element>().map_or(0, Element::size);
        let bytes = (row.n * size) as f64;
        lines.push(Line {
            name,
            rung: &row.rung,
            ms: row.published_ms,
            gb_per_s: row.published_gb_s,
            rate: row.published_ms.map(|ms| bytes / 1e6 / ms).or(row.published_gb_s),
            measured: replaying.iter().map(own).collect(),
        });
    }
    let title = presets::named(preset).map_or_else(|_| preset.to_owned(), |preset| preset.title.to_owned());
    Document { title, machines: replaying, lines }
}
