//! Groups records by machine, and finds each machine's ladders.

use std::collections::BTreeMap;

use halofold::reduce::ladder::RUNGS;
use halofold_measure::{Inputs, Machine as Place, Record};

use crate::lists::each_once;
use crate::record::Loaded;
use crate::row::{LibraryWork, Row, StencilWork, What};
use crate::table;

/// An adapter reached by a back end and a driver, with everything that was measured on it.
#[derive(Default)]
pub struct Machine {
    /// Its name on the page; no two have the same.
    pub name: String,
    /// Its records without their rows; empty for bare rows.
    pub origins: Vec<Record>,
    /// Its rows, each measurement once.
    pub rows: Vec<Row>,
    /// Its rows of stencils.
    pub stencils: Vec<Row<StencilWork>>,
    /// Its rows of the library.
    pub library: Vec<Row<LibraryWork>>,
}

/// A computation: operator and element type.
pub type Work<'a> = (&'a str, &'a str);

/// All rungs over the same number of elements.
pub struct Ladder<'a> {
    /// Number of elements.
    pub n: u64,
    /// A row for every rung, in the order of the catalogue.
    pub rows: Vec<&'a Row>,
}

/// The key that tells machines apart: name, back end and driver. Bare rows have no driver, and are taken to be of
/// the first machine of their name. Cold inputs make another machine of the same adapter: their times are not comparable.
#[derive(PartialEq, Eq)]
struct Identity {
    name: String,
    driver: Option<String>,
}

impl Identity {
    fn of(loaded: &Loaded) -> Self {
        if let Some(record) = &loaded.origin {
            let adapter = &record.adapter;
            let cold = if record.inputs == Inputs::Cold { ", cold inputs" } else { "" };
            let name = format!("{} ({}){cold}", adapter.name, adapter.backend);
            return Identity { name, driver: Some(adapter.driver.clone()) };
        }
        let reductions = loaded.rows.iter().map(|row| &row.machine);
        let mut places = loaded.stencils.iter().map(|row| &row.machine).chain(reductions);
        let first = places.clone().next();
        let place = places.find(|place| place.backend != "cpu").or(first);
        let name = place.map(|Place { adapter, backend }| format!("{adapter} ({backend})"));
        Identity { name: name.unwrap_or_default(), driver: None }
    }

    fn may_be(&self, other: &Identity) -> bool {
        let unknown = self.driver.is_none() || other.driver.is_none();
        self.name == other.name && (unknown || self.driver == other.driver)
    }
}

/// Puts new rows in the place of known ones of the same measurement, or behind all others.
fn merge<W: What>(known: &mut Vec<Row<W>>, new: Vec<Row<W>>) {
    for row in new {
        let place = known.iter().position(|known| known.what == row.what);
        match place {
            Some(place) => known[place] = row,
            None => known.push(row),
        }
    }
}

impl Machine {
    /// The machines that records are from, in the order they first appear in.
    pub fn of(records: Vec<Loaded>) -> Vec<Machine> {
        let mut machines: Vec<(Identity, Machine)> = Vec::new();
        for loaded in records {
            let identity = Identity::of(&loaded);
            match machines.iter_mut().find(|(known, _)| known.may_be(&identity)) {
                Some((known, machine)) => {
                    known.driver = known.driver.take().or(identity.driver);
                    machine.add(loaded);
                }
                None => {
                    let same = machines.iter().filter(|(known, _)| known.name == identity.name).count();
                    let name = match same {
                        0 => identity.name.clone(),
                        _ => format!("{} #{}", identity.name, same + 1),
                    };
                    let mut machine = Machine { name, ..Machine::default() };
                    machine.add(loaded);
                    machines.push((identity, machine));
                }
            }
        }
        machines.into_iter().map(|(_, machine)| machine).collect()
    }

    fn add(&mut self, loaded: Loaded) {
        merge(&mut self.rows, loaded.rows);
        merge(&mut self.stencils, loaded.stencils);
        merge(&mut self.library, loaded.library);
        self.origins.extend(loaded.origin);
    }

    /// The texts that `say` makes of its records, sorted, each once.
    pub fn texts(&self, say: impl Fn(&Record) -> String) -> String {
        let mut said: Vec<String> = self.origins.iter().map(say).collect();
        said.sort();
        said.dedup();
        said.join(", ")
    }

    /// A number of its records: one if all are written alike, else the smallest and the largest.
    pub fn spread(&self, number: impl Fn(&Record) -> f64, unit: &str) -> String {
        let all = || self.origins.iter().map(&number);
        let ends = [all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max)].map(table::digits);
        match ends {
            [least, most] if least == most => format!("{most} {unit}"),
            [least, most] => format!("{least} to {most} {unit}"),
        }
    }

    /// The rows that belong to no document, of some work.
    fn rows_of(&self, work: Work<'_>) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.what.preset.is_none() && work_of(row) == work)
    }

    /// Its ladder over some work, at the size with the most rungs, of equals the largest.
    pub fn ladder(&self, work: Work<'_>) -> Option<Ladder<'_>> {
        self.ladders(work).into_iter().next_back()
    }

    /// Its ladders over some work, at all sizes that no other has more rungs at, ascending.
    pub fn ladders(&self, work: Work<'_>) -> Vec<Ladder<'_>> {
        let mut sizes: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
        for row in self.rows_of(work).filter(|row| !row.is_cpu()) {
            sizes.entry(row.what.n).or_default().push(row);
        }
        let most = sizes.values().map(Vec::len).max().unwrap_or(0);
        sizes.retain(|_, rows| rows.len() == most);
        for rows in sizes.values_mut() {
            rows.sort_by_key(|row| place(&row.what.rung));
        }
        sizes.into_iter().map(|(n, rows)| Ladder { n, rows }).collect()
    }
}

/// The computation of a row.
fn work_of(row: &Row) -> Work<'_> {
    (&row.what.op, &row.what.element)
}

/// A rung's position in the catalogue; unknown rungs come last.
pub fn place(rung: &str) -> usize {
    RUNGS.iter().position(|known| known.name() == rung).unwrap_or(RUNGS.len())
}

/// Everything that any machine computed outside of the documents, in the order it first appears in.
pub fn works(machines: &[Machine]) -> Vec<Work<'_>> {
    let rows = machines.iter().flat_map(|machine| &machine.rows);
    each_once(rows.filter(|row| row.what.preset.is_none()).map(work_of))
}

/// The machines' ladders over some work, and the rungs on any of them in the order of the catalogue.
pub fn side_by_side<'a>(
    machines: &'a [Machine],
    work: Work<'_>,
) -> (Vec<(&'a Machine, Ladder<'a>)>, Vec<&'a str>) {
    let ladders: Vec<_> =
        machines.iter().filter_map(|machine| Some((machine, machine.ladder(work)?))).collect();
    let mut rungs: Vec<&str> =
        ladders.iter().flat_map(|(_, ladder)| &ladder.rows).map(|row| row.what.rung.as_str()).collect();
    rungs.sort_by_key(|rung| (place(rung), *rung));
    rungs.dedup();
    (ladders, rungs)
}
