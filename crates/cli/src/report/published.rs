//! The documents' published figures, shown as one more machine beside those that replayed them.

use super::machines::Machine;
use super::tables::Entry;
use crate::presets;
use crate::row::Row;
use crate::table;

/// Entries of each document that any machine replayed.
pub fn entries(machines: &[Machine]) -> Vec<Entry<'_>> {
    let rows = machines.iter().flat_map(|machine| machine.rows.iter().map(move |row| (machine, row)));
    rows.filter(|(_, row)| !row.is_cpu())
        .filter_map(|(machine, row)| of_row(machine, row))
        .flatten()
        .collect()
}

/// The document's figures for a row, and the machine's.
fn of_row<'a>(machine: &'a Machine, row: &Row) -> Option<[Entry<'a>; 2]> {
    let preset = row.what.preset.as_deref()?;
    let title = presets::named(preset).map_or_else(|| preset.to_owned(), |preset| preset.title.clone());
    let name = row.what.row.as_ref().unwrap_or(&row.what.rung).clone();
    let entry = |machine, cells| Entry {
        title: title.clone(),
        place: 0,
        line: vec![name.clone(), format!("`{}`", row.what.rung)],
        heads: &["row", "rung"],
        machine,
        cells,
    };
    let [ms, speed] = [table::time(row.figures.published_ms), table::optional(row.figures.published_gb_s)];
    let published = entry("published", vec![("time", ms), ("GB/s", speed)]);
    Some([published, entry(&machine.name, vec![("time", table::time(row.time()))])])
}
