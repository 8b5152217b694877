//! Tables of a report: lines of work, columns of machines.

use crate::lists::{each_once, grouped};

pub struct Entry<'a> {
    pub title: String,
    /// The place of its line in the table, among equals as they come.
    pub place: usize,
    /// The words at the left of the line, under those of `heads`.
    pub line: Vec<String>,
    pub heads: &'static [&'static str],
    pub machine: &'a str,
    pub cells: Vec<(&'a str, String)>,
}

pub struct Table {
    pub title: String,
    /// The number of columns that hold words; the others hold numbers.
    pub words: usize,
    pub head: Vec<String>,
    /// Its lines, a cell for each column. A cell is empty where a machine has no such row.
    pub lines: Vec<Vec<String>>,
}

/// The tables of entries, in the order in which their titles appear.
pub fn of(entries: Vec<Entry<'_>>) -> Vec<Table> {
    let by_title = entries.into_iter().map(|entry| (entry.title.clone(), entry));
    grouped(by_title).into_iter().map(|(title, entries)| table(title, entries)).collect()
}

fn table(title: String, mut entries: Vec<Entry<'_>>) -> Table {
    let heads = entries[0].heads;
    let machines = each_once(entries.iter().map(|entry| entry.machine));
    let columns = machines.into_iter().flat_map(|machine| {
        let of_it = entries.iter().filter(|entry| entry.machine == machine);
        let names = each_once(of_it.flat_map(|entry| entry.cells.iter().map(|(name, _)| *name)));
        names.into_iter().enumerate().map(|(at, name)| (machine, at, name)).collect::<Vec<_>>()
    });
    let columns: Vec<_> = columns.collect();
    entries.sort_by_key(|entry| entry.place);
    let line = |words: &Vec<String>| {
        let cells = columns.iter().map(|(machine, _, name)| {
            let of_it = entries.iter().filter(|entry| entry.machine == *machine && entry.line == *words);
            let mut cells = of_it.flat_map(|entry| &entry.cells);
            cells.find(|(known, _)| known == name).map_or_else(String::new, |(_, cell)| cell.clone())
        });
        words.iter().cloned().chain(cells).collect()
    };
    let lines = each_once(entries.iter().map(|entry| &entry.line)).into_iter().map(line).collect();
    // The machine's name stands before the first of its headings.
    let named = columns.iter().map(|(machine, at, name)| match at {
        0 => format!("{machine}: {name}"),
        _ => (*name).to_owned(),
    });
    let head = heads.iter().map(|head| (*head).to_owned()).chain(named).collect();
    Table { title, words: heads.len(), head, lines }
}
