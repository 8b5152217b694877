//! The ladders of all machines as tables, and one machine's ladder as a picture.

use halofold::ladder::{RUNGS, Rung};

use super::machines::Machine;
use super::tables::Entry;
use crate::chart::{Bar, Bars};
use crate::failure::Failure;
use crate::lists::each_once;
use crate::row::{Row, compare_steps};
use crate::table::{self, raised};

/// Peaks within this factor count as one.
const SAME_PEAK: f64 = 1.001;

/// A computation: operator, element type and number of elements.
type Work<'a> = (&'a str, &'a str, u64);

/// The computation of a row; `None` if the row belongs to a document or to the CPU.
fn work_of(row: &Row) -> Option<Work<'_>> {
    let is_plain = row.what.preset.is_none() && !row.is_cpu();
    is_plain.then_some((&row.what.op, &row.what.element, row.what.n))
}

/// Returns a rung's position in the catalogue. Unknown rungs come last.
fn place(rung: &str) -> usize {
    RUNGS.iter().position(|known| known.name() == rung).unwrap_or(RUNGS.len())
}

fn works(machine: &Machine) -> Vec<Work<'_>> {
    each_once(machine.rows.iter().filter_map(work_of))
}

/// Returns a machine's ladder for `work`: the fastest row of each rung, in the catalogue's order.
fn ladder(machine: &Machine, work: Work<'_>) -> Vec<Row> {
    let mut rows: Vec<_> = machine.rows.iter().filter(|row| work_of(row) == Some(work)).cloned().collect();
    let time = |row: &Row| row.time().unwrap_or(f64::INFINITY);
    rows.sort_by(|a, b| place(&a.what.rung).cmp(&place(&b.what.rung)).then(time(a).total_cmp(&time(b))));
    rows.dedup_by(|a, b| a.what.rung == b.what.rung);
    compare_steps(&mut rows);
    rows
}

/// Returns the machine's ladder with the most rungs; of equal ones, the longest input.
pub fn largest(machine: &Machine) -> Option<(Work<'_>, Vec<Row>)> {
    let ladders = works(machine).into_iter().map(|work| (work, ladder(machine, work)));
    ladders.max_by_key(|((.., n), rows)| (rows.len(), *n))
}

/// Returns the entries of every ladder: a table per operator, type and length.
pub fn entries(machines: &[Machine]) -> Vec<Entry<'_>> {
    let given = || machines.iter().filter(|machine| !machine.is_beside);
    let mut all = each_once(given().flat_map(works));
    // Published machines show the same lengths, or else their longest.
    for machine in machines.iter().filter(|machine| machine.is_beside) {
        for (op, element) in each_once(given().flat_map(works).map(|(op, element, _)| (op, element))) {
            let has = works(machine).into_iter().filter(|work| (work.0, work.1) == (op, element));
            let has: Vec<_> = has.collect();
            if !has.iter().any(|work| all.contains(work)) {
                all.extend(has.into_iter().max_by_key(|(.., n)| *n));
            }
        }
    }
    let entries = all.into_iter().flat_map(|work| {
        let title = format!("{} of {}, {} elements", work.0, work.1, raised(work.2));
        let rows = machines
            .iter()
            .flat_map(move |machine| ladder(machine, work).into_iter().map(move |row| (machine, row)));
        rows.map(move |(machine, row)| entry(title.clone(), machine, &row))
    });
    entries.collect()
}

fn entry<'a>(title: String, machine: &'a Machine, row: &Row) -> Entry<'a> {
    let rung = &row.what.rung;
    let figures = row.time().and(Some(&row.figures));
    let document = Rung::named(rung).map_or("", |rung| rung.document).to_owned();
    let step = row.figures.step_speedup.map(|step| format!("{step:.2}×"));
    Entry {
        title,
        place: place(rung),
        line: vec![format!("`{rung}`"), document],
        heads: &["rung", "from"],
        machine: &machine.name,
        cells: vec![
            ("time", table::time_or_status(row)),
            ("GB/s", table::optional(figures.and_then(|figures| figures.gb_per_s))),
            ("% of peak", table::tenths(figures.and_then(|figures| figures.percent_of_read_peak))),
            ("step", step.unwrap_or_default()),
        ],
    }
}

/// Names a machine's fastest rung in a sentence; empty without a ladder.
pub fn headline(machine: &Machine) -> String {
    let Some(((op, element, n), rows)) = largest(machine) else { return String::new() };
    let timed: Vec<_> = rows.iter().filter_map(|row| Some((row, row.time()?))).collect();
    let Some((best, fast)) = timed.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { return String::new() };
    let mut text = format!(
        "{op} of {} {element}: `{}` reads {} GB/s",
        raised(n),
        best.what.rung,
        table::optional(best.figures.gb_per_s)
    );
    if let Some(percent) = best.figures.percent_of_read_peak {
        text += &format!(", {percent:.0} % of the read peak");
    }
    let slowest = timed.iter().max_by(|a, b| a.1.total_cmp(&b.1)).filter(|(row, _)| row != best);
    if let Some((row, slow)) = slowest {
        text += &format!(", {:.1} times as fast as `{}`", slow / fast, row.what.rung);
    }
    text
}

/// The rungs of the picture, each with its improvement.
#[rustfmt::skip]
const CLIMB: [(&str, &str); 8] = [
    ("interleaved-modulo", "a divergent tree"), ("interleaved-strided", "no divergence"), ("sequential", "no bank conflicts"),
    ("first-add", "two loads at once"), ("unrolled-last", "steps written out"), ("grid-stride", "a fixed grid"),
    ("vectorized", "four elements a load"), ("single-pass", "one dispatch"),
];

/// Draws one machine's ladder as SVG: the rungs of `CLIMB`, or all if it has none of them.
pub fn picture(machines: &[Machine], dark: bool) -> Result<String, Failure> {
    let [machine] = machines else {
        return Err(refusal!(
            "-o FILE.svg: a picture shows one machine, and the records are of {}; give those of one",
            machines.len()
        ));
    };
    let missing = || {
        Failure::usage("-o FILE.svg: no record has a ladder; make one with `halofold ladder --record FILE`")
    };
    let ((op, element, n), rows) = largest(machine).ok_or_else(missing)?;
    let adds = |row: &Row| CLIMB.iter().find(|(rung, _)| *rung == row.what.rung).map(|(_, adds)| *adds);
    let climbs = rows.iter().any(|row| adds(row).is_some());
    let shown = rows.iter().filter(|row| adds(row).is_some() == climbs);
    let bars = Bars {
        title: format!("GB/s of the {op} of {} {element} on {}", raised(n), machine.name),
        ceiling: read_peak(&rows)
            .map(|peak| (peak, format!("this machine's memory reads {} GB/s", table::digits(peak)))),
        bars: shown.map(|row| bar(row, adds(row).unwrap_or_default())).collect(),
    };
    Ok(bars.picture(dark))
}

fn bar(row: &Row, adds: &str) -> Bar {
    let value = row.figures.gb_per_s.filter(|_| row.time().is_some());
    let number = |speed| if speed < 100.0 { table::digits(speed) } else { format!("{speed:.0}") };
    let text = value.map_or_else(|| table::status(row), number);
    Bar { label: adds.to_owned(), value, text: format!("{} {text}", row.what.rung) }
}

/// Returns the read peak that the rows' percentages refer to; `None` if they come from runs with different peaks.
fn read_peak(rows: &[Row]) -> Option<f64> {
    let peaks = || {
        rows.iter().filter_map(|row| Some(100.0 * row.figures.gb_per_s? / row.figures.percent_of_read_peak?))
    };
    let (lowest, highest) = (peaks().fold(f64::INFINITY, f64::min), peaks().fold(0.0, f64::max));
    (highest > 0.0 && highest < SAME_PEAK * lowest).then_some(highest)
}
