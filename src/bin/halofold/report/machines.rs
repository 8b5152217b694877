//! The records by machine, and what each has to show.

use std::collections::BTreeMap;

use halofold::measure::{Inputs, Record};
use halofold::reduce::RUNGS;

use crate::record::Loaded;
use crate::row::{Row, key, own_time};

/// An adapter reached by a back end and a driver, with everything that was measured on it.
pub struct Machine {
    /// What it is called on the page; no two have the same name.
    pub name: String,
    /// What is known of it, from its last record; nothing for bare rows.
    pub origin: Option<Record>,
    /// Its rows, each measurement once.
    pub rows: Vec<Row>,
}

/// What is computed: operator and element type.
pub type Work<'a> = (&'a str, &'a str);

/// All rungs over the same number of elements.
pub struct Ladder<'a> {
    /// How many elements.
    pub n: u64,
    /// A row for every rung, in the order of the catalogue.
    pub rows: Vec<&'a Row>,
}

/// Times of one rung, or of the CPU, by size.
pub struct Series<'a> {
    /// Its name.
    pub rung: &'a str,
    /// Elements and milliseconds, ascending.
    pub points: Vec<(u64, f64)>,
}

/// What tells machines apart. Cold inputs do too: their times say something else.
fn identity(loaded: &Loaded) -> (String, Option<String>) {
    match &loaded.origin {
        Some(record) => {
            let adapter = &record.adapter;
            let cold = if record.inputs == Inputs::Cold { ", cold inputs" } else { "" };
            (format!("{} ({}){cold}", adapter.name, adapter.backend), Some(adapter.driver.clone()))
        }
        None => {
            let row = loaded.rows.iter().find(|row| row.backend != "cpu").or(loaded.rows.first());
            let name = row.map(|row| format!("{} ({})", row.adapter, row.backend));
            (name.unwrap_or_default(), None)
        }
    }
}

impl Machine {
    /// The machines that records are from, in the order they first appear in.
    pub fn of(records: Vec<Loaded>) -> Vec<Machine> {
        let mut machines: Vec<(_, Machine)> = Vec::new();
        for loaded in records {
            let identity = identity(&loaded);
            match machines.iter_mut().find(|(known, _)| *known == identity) {
                Some((_, machine)) => machine.add(loaded),
                None => {
                    let same = machines.iter().filter(|((name, _), _)| *name == identity.0).count();
                    let name = match same {
                        0 => identity.0.clone(),
                        _ => format!("{} #{}", identity.0, same + 1),
                    };
                    let mut machine = Machine { name, origin: None, rows: Vec::new() };
                    machine.add(loaded);
                    machines.push((identity, machine));
                }
            }
        }
        machines.into_iter().map(|(_, machine)| machine).collect()
    }

    fn add(&mut self, loaded: Loaded) {
        for row in loaded.rows {
            match self.rows.iter_mut().find(|known| key(known) == key(&row)) {
                Some(known) => *known = row,
                None => self.rows.push(row),
            }
        }
        self.origin = loaded.origin.or(self.origin.take());
    }

    /// The rows that belong to no document, of some work.
    fn rows_of(&self, work: Work<'_>) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.preset.is_none() && work_of(row) == work)
    }

    /// Its ladder over some work, at the size with the most rungs, of equals the largest.
    pub fn ladder(&self, work: Work<'_>) -> Option<Ladder<'_>> {
        let mut sizes: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
        for row in self.rows_of(work).filter(|row| row.backend != "cpu") {
            sizes.entry(row.n).or_default().push(row);
        }
        let (n, mut rows) = sizes.into_iter().max_by_key(|(_, rows)| rows.len())?;
        rows.sort_by_key(|row| place(&row.rung));
        Some(Ladder { n, rows })
    }

    /// Times by size of everything that was measured at two sizes or more, in the order of the catalogue.
    pub fn series(&self, work: Work<'_>) -> Vec<Series<'_>> {
        let mut series: BTreeMap<(usize, &str), BTreeMap<u64, f64>> = BTreeMap::new();
        for row in self.rows_of(work) {
            if let Some(ms) = own_time(row) {
                let fastest =
                    series.entry((place(&row.rung), &row.rung)).or_default().entry(row.n).or_insert(ms);
                *fastest = fastest.min(ms);
            }
        }
        let series = series.into_iter().filter(|(_, points)| points.len() > 1);
        series.map(|((_, rung), points)| Series { rung, points: points.into_iter().collect() }).collect()
    }
}

/// What a row computes.
fn work_of(row: &Row) -> Work<'_> {
    (&row.op, &row.element)
}

/// Where a rung stands in the catalogue; after it what is not in there.
pub fn place(rung: &str) -> usize {
    RUNGS.iter().position(|known| known.name == rung).unwrap_or(RUNGS.len())
}

/// Everything that any machine computed outside of the documents, in the order it first appears in.
pub fn works(machines: &[Machine]) -> Vec<Work<'_>> {
    let mut works = Vec::new();
    for row in machines.iter().flat_map(|machine| &machine.rows).filter(|row| row.preset.is_none()) {
        if !works.contains(&work_of(row)) {
            works.push(work_of(row));
        }
    }
    works
}

/// The machines' ladders over some work, and the rungs on any of them in the order of the catalogue.
pub fn side_by_side<'a>(
    machines: &'a [Machine],
    work: Work<'_>,
) -> (Vec<(&'a Machine, Ladder<'a>)>, Vec<&'a str>) {
    let ladders: Vec<_> =
        machines.iter().filter_map(|machine| Some((machine, machine.ladder(work)?))).collect();
    let mut rungs: Vec<&str> =
        ladders.iter().flat_map(|(_, ladder)| &ladder.rows).map(|row| row.rung.as_str()).collect();
    rungs.sort_by_key(|rung| (place(rung), *rung));
    rungs.dedup();
    (ladders, rungs)
}
