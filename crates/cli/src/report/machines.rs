//! Groups records by machine.

use std::mem::take;

use halofold_measure::{Inputs, Record};

use crate::row::{LibraryWork, Row, StencilWork, What};
use crate::{record, table};

/// An adapter reached by a back end and a driver, with everything that was measured on it. Cold inputs make another machine of the same
/// adapter: their times are not comparable.
#[derive(Default)]
pub struct Machine {
    /// Its name on the page; no two have the same.
    pub name: String,
    /// True if its records are built in.
    pub is_beside: bool,
    driver: String,
    pub origins: Vec<Record>,
    pub rows: Vec<Row>,
    pub stencils: Vec<Row<StencilWork>>,
    pub library: Vec<Row<LibraryWork>>,
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
    /// The machines that records are from, in the order they first appear in. The second of each pair says if a record is built in.
    pub fn of(records: impl IntoIterator<Item = (Record, bool)>) -> Vec<Machine> {
        let mut machines: Vec<Machine> = Vec::new();
        for (mut record, is_beside) in records {
            let cold = if record.inputs == Inputs::Cold { ", cold inputs" } else { "" };
            let (name, driver) = (record::name(&record) + cold, record.adapter.driver.clone());
            let known = machines.iter().position(|known| known.name == name && known.driver == driver);
            let at = known.unwrap_or_else(|| {
                machines.push(Machine { name, driver, is_beside, ..Machine::default() });
                machines.len() - 1
            });
            let machine = &mut machines[at];
            merge(&mut machine.rows, take(&mut record.rows));
            merge(&mut machine.stencils, take(&mut record.stencils));
            merge(&mut machine.library, take(&mut record.library));
            machine.origins.push(record);
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
