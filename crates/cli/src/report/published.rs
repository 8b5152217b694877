//! The documents' published figures, shown as one more machine beside those that replayed them.

use super::machines::Machine;
use super::markdown::Table;
use crate::lists::each_once;
use crate::presets;
use crate::row::Row;
use crate::table;

/// A table for each document that any machine replayed.
pub fn tables(machines: &[Machine]) -> Vec<Table> {
    let rows = machines.iter().flat_map(|machine| &machine.rows);
    let presets = each_once(rows.filter_map(|row| row.what.preset.as_deref()));
    presets.into_iter().map(|preset| table(machines, preset)).collect()
}

/// The document's name for a row.
fn name(row: &Row) -> &str {
    row.what.row.as_deref().unwrap_or(&row.what.rung)
}

/// A line for every row of a document, a column for every machine that replayed it.
fn table(machines: &[Machine], preset: &str) -> Table {
    let is_of_it = |row: &&Row| row.what.preset.as_deref() == Some(preset) && !row.is_cpu();
    let replaying: Vec<_> =
        machines.iter().filter(|machine| machine.rows.iter().any(|row| is_of_it(&row))).collect();
    let mut head = ["row", "rung", "published", "published GB/s"].map(str::to_owned).to_vec();
    head.extend(replaying.iter().map(|machine| machine.name.clone()));
    let mut known = Vec::new();
    let mut lines = Vec::new();
    for row in replaying.iter().flat_map(|machine| machine.rows.iter().filter(is_of_it)) {
        if known.contains(&name(row)) {
            continue;
        }
        known.push(name(row));
        let figures = &row.figures;
        let mut line = vec![
            name(row).to_owned(),
            format!("`{}`", row.what.rung),
            table::time(figures.published_ms),
            table::optional(figures.published_gb_s),
        ];
        line.extend(replaying.iter().map(|machine| {
            let same = |other: &&Row| is_of_it(other) && name(other) == name(row);
            table::time(machine.rows.iter().filter(same).find_map(Row::time))
        }));
        lines.push(line);
    }
    let title = presets::named(preset).map_or_else(|_| preset.to_owned(), |preset| preset.title.clone());
    Table { title, words: 2, head, lines }
}
