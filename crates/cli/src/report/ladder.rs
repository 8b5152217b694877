//! Ladders: the machines side by side as tables, and one machine as a picture.

use std::collections::BTreeMap;

use halofold::ladder::{RUNGS, Rung};

use super::machines::Machine;
use super::markdown::Table;
use crate::chart::{Bar, Bars};
use crate::failure::Failure;
use crate::lists::each_once;
use crate::row::{Row, compare_steps};
use crate::table::{self, raised};

/// Peaks this close are one.
const SAME_PEAK: f64 = 1.001;

/// A computation: operator and element type.
type Work<'a> = (&'a str, &'a str);

/// All rungs of a machine over the same number of elements.
struct Ladder<'a> {
    machine: &'a str,
    n: u64,
    /// A row for every rung, by chapter.
    rows: Vec<Row>,
}

impl<'a> Ladder<'a> {
    /// A machine's ladder over some work, at the size with the most rungs, of equals the largest.
    fn of(machine: &'a Machine, work: Work<'_>) -> Option<Self> {
        let mut sizes: BTreeMap<u64, Vec<&Row>> = BTreeMap::new();
        for row in machine.rows.iter().filter(|row| work_of(row) == Some(work) && !row.is_cpu()) {
            sizes.entry(row.what.n).or_default().push(row);
        }
        let (n, mut rows) = sizes.into_iter().max_by_key(|(_, rows)| rows.len())?;
        rows.sort_by_key(|row| place(&row.what.rung));
        let mut rows: Vec<_> = rows.into_iter().cloned().collect();
        compare_steps(&mut rows);
        Some(Ladder { machine: &machine.name, n, rows })
    }

    /// Its row of a rung.
    fn row(&self, rung: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.what.rung == rung)
    }
}

/// The computation of a row; `None` if the row belongs to a document.
fn work_of(row: &Row) -> Option<Work<'_>> {
    row.what.preset.is_none().then_some((&row.what.op, &row.what.element))
}

/// A rung's position in the catalogue; unknown rungs come last.
fn place(rung: &str) -> usize {
    RUNGS.iter().position(|known| known.name() == rung).unwrap_or(RUNGS.len())
}

/// Everything that any machine computed outside of the documents, in the order it first appears in.
fn works(machines: &[Machine]) -> Vec<Work<'_>> {
    each_once(machines.iter().flat_map(|machine| &machine.rows).filter_map(work_of))
}

/// A table for each computation, with a line for every rung.
pub fn tables(machines: &[Machine]) -> Vec<Table> {
    works(machines).into_iter().filter_map(|work| table(machines, work)).collect()
}

fn table(machines: &[Machine], work: Work<'_>) -> Option<Table> {
    let ladders: Vec<_> = machines.iter().filter_map(|machine| Ladder::of(machine, work)).collect();
    let rows = ladders.iter().flat_map(|ladder| &ladder.rows);
    let mut rungs = each_once(rows.map(|row| row.what.rung.as_str()));
    rungs.sort_by_key(|rung| place(rung));
    // Beside one machine there is room for the documents and the steps.
    let only = ladders.first().filter(|_| ladders.len() == 1);
    let mut head = vec!["rung".to_owned()];
    head.extend(only.map(|_| "from".to_owned()));
    for ladder in &ladders {
        let name = format!("{}, {}", ladder.machine, raised(ladder.n));
        head.extend([name, "GB/s".to_owned(), "% of peak".to_owned()]);
    }
    head.extend(only.map(|_| "step".to_owned()));
    let line = |rung: &&str| {
        let mut line = vec![format!("`{rung}`")];
        line.extend(only.map(|_| Rung::named(rung).map_or("", |rung| rung.document).to_owned()));
        line.extend(ladders.iter().flat_map(|ladder| ladder.row(rung).map(cells).unwrap_or_default()));
        line.extend(only.map(|ladder| ladder.row(rung).map(step).unwrap_or_default()));
        line
    };
    let title = format!("{} of {}", work.0, work.1);
    let words = if only.is_some() { 2 } else { 1 };
    let lines = rungs.iter().map(line).collect();
    (!ladders.is_empty()).then_some(Table { title, words, head, lines })
}

/// Time, bandwidth and percentage of a row; without a time its status.
fn cells(row: &Row) -> [String; 3] {
    let figures = row.time().and(Some(&row.figures));
    [
        table::time_or_status(row),
        table::optional(figures.and_then(|figures| figures.gb_per_s)),
        table::tenths(figures.and_then(|figures| figures.percent_of_read_peak)),
    ]
}

/// How many times as fast as the rung that it improves a rung is.
fn step(row: &Row) -> String {
    row.figures.step_speedup.map(|step| format!("{step:.2}×")).unwrap_or_default()
}

/// The rungs of the picture, each with what it adds.
#[rustfmt::skip]
const CLIMB: [(&str, &str); 8] = [
    ("interleaved-modulo", "a divergent tree"), ("interleaved-strided", "no divergence"), ("sequential", "no bank conflicts"),
    ("first-add", "two loads at once"), ("unrolled-last", "steps written out"), ("grid-stride", "a fixed grid"),
    ("vectorized", "four elements a load"), ("single-pass", "one dispatch"),
];

/// The SVG of one machine's climb; of all its rungs, if it has none of the picture's.
pub fn picture(machines: &[Machine], dark: bool) -> Result<String, Failure> {
    let [machine] = machines else {
        return Err(refusal!("--svg takes the records of one machine; these are of {}", machines.len()));
    };
    let missing = || Failure::usage("--svg: there is no ladder in these records");
    let work = *works(machines).first().ok_or_else(missing)?;
    let ladder = Ladder::of(machine, work).ok_or_else(missing)?;
    let adds = |row: &Row| CLIMB.iter().find(|(rung, _)| *rung == row.what.rung).map(|(_, adds)| *adds);
    let climbs = ladder.rows.iter().any(|row| adds(row).is_some());
    let shown = ladder.rows.iter().filter(|row| adds(row).is_some() == climbs);
    let bars = Bars {
        title: format!("GB/s of the {} of {} {} on {}", work.0, raised(ladder.n), work.1, machine.name),
        ceiling: read_peak(&ladder.rows)
            .map(|peak| (peak, format!("this machine's memory reads {} GB/s", table::digits(peak)))),
        bars: shown.map(|row| bar(row, adds(row).unwrap_or_default())).collect(),
    };
    Ok(bars.picture(dark))
}

/// The bar of a row, with what the rung adds at its left.
fn bar(row: &Row, adds: &str) -> Bar {
    let value = row.figures.gb_per_s.filter(|_| row.time().is_some());
    let number = |speed| if speed < 100.0 { table::digits(speed) } else { format!("{speed:.0}") };
    let text = value.map_or_else(|| table::status(row), number);
    Bar { label: adds.to_owned(), value, text: format!("{} {text}", row.what.rung) }
}

/// The read peak that the rows' percentages are of; `None` if they are of different runs with different peaks.
fn read_peak(rows: &[Row]) -> Option<f64> {
    let peaks = || {
        rows.iter().filter_map(|row| Some(100.0 * row.figures.gb_per_s? / row.figures.percent_of_read_peak?))
    };
    let (lowest, highest) = (peaks().fold(f64::INFINITY, f64::min), peaks().fold(0.0, f64::max));
    (highest > 0.0 && highest < SAME_PEAK * lowest).then_some(highest)
}
