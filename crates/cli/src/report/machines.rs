//! Groups records by machine.

use halofold_measure::{Inputs, Machine as Place, Record};

use crate::record::Loaded;
use crate::row::{LibraryWork, Row, StencilWork, What};
use crate::table;

/// An adapter reached by a back end and a driver, with everything that was measured on it. Cold inputs make another machine of the same
/// adapter: their times are not comparable.
#[derive(Default)]
pub struct Machine {
    /// Its name on the page; no two have the same.
    pub name: String,
    /// Its driver, if any of its records has one: bare rows have none, and are taken to be of the first machine of their name.
    driver: Option<String>,
    /// Its records without their rows; empty for bare rows.
    pub origins: Vec<Record>,
    /// Its rows, each measurement once.
    pub rows: Vec<Row>,
    pub stencils: Vec<Row<StencilWork>>,
    pub library: Vec<Row<LibraryWork>>,
}

/// The name of the machine that a file is from: adapter and back end.
fn name_of(loaded: &Loaded) -> String {
    if let Some(Record { adapter, inputs, .. }) = &loaded.origin {
        let cold = if *inputs == Inputs::Cold { ", cold inputs" } else { "" };
        return format!("{} ({}){cold}", adapter.name, adapter.backend);
    }
    let reductions = loaded.rows.iter().map(|row| &row.machine);
    let mut places = loaded.stencils.iter().map(|row| &row.machine).chain(reductions);
    let first = places.clone().next();
    let place = places.find(|place| place.backend != "cpu").or(first);
    place.map(|Place { adapter, backend }| format!("{adapter} ({backend})")).unwrap_or_default()
}

/// Puts new rows in the place of known ones of the same measurement, or behind all others.
fn merge<W: What>(known: &mut Vec<Row<W>>, new: Vec<Row<W>>) {
    for row in new {
        match known.iter_mut().find(|known| known.what == row.what) {
            Some(known) => *known = row,
            None => known.push(row),
        }
    }
}

impl Machine {
    /// The machines that records are from, in the order they first appear in.
    pub fn of(records: Vec<Loaded>) -> Vec<Machine> {
        let mut machines: Vec<Machine> = Vec::new();
        for loaded in records {
            let name = name_of(&loaded);
            let driver = loaded.origin.as_ref().map(|record| record.adapter.driver.clone());
            let same_driver =
                |known: &Option<String>| known.is_none() || driver.is_none() || *known == driver;
            let known = machines.iter().position(|known| known.name == name && same_driver(&known.driver));
            let at = known.unwrap_or_else(|| {
                machines.push(Machine { name, ..Machine::default() });
                machines.len() - 1
            });
            let machine = &mut machines[at];
            machine.driver = machine.driver.take().or(driver);
            merge(&mut machine.rows, loaded.rows);
            merge(&mut machine.stencils, loaded.stencils);
            merge(&mut machine.library, loaded.library);
            machine.origins.extend(loaded.origin);
        }
        // Other drivers of an adapter get a number, from the last one on: those in front are still called alike.
        for at in (1..machines.len()).rev() {
            let (before, machine) = (&machines[..at], &machines[at]);
            let same = before.iter().filter(|other| other.name == machine.name).count();
            if same > 0 {
                machines[at].name += &format!(" #{}", same + 1);
            }
        }
        machines
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
}
