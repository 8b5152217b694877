//! One machine's ladder as a picture: every rung, the slowest first.

use halofold_measure::Row;

use super::machines::{Machine, works};
use crate::chart::{Bar, Bars};
use crate::failure::Failure;
use crate::table::{self, raised};

/// Peaks this close are one.
const SAME_PEAK: f64 = 1.001;

/// The SVG of the first machine's longest ladder.
pub fn picture(machines: &[Machine], dark: bool) -> Result<String, Failure> {
    let [machine] = machines else {
        return Err(Failure::Usage(format!(
            "--svg takes the records of one machine; these are of {}",
            machines.len()
        )));
    };
    let missing = || Failure::usage("--svg: there is no ladder in these records");
    let work = *works(machines).first().ok_or_else(missing)?;
    let ladder = machine.ladder(work).ok_or_else(missing)?;
    let mut rows = ladder.rows;
    let speed = |row: &Row| row.figures.gb_per_s.filter(|_| row.time().is_some());
    rows.sort_by(|a, b| speed(a).unwrap_or(0.0).total_cmp(&speed(b).unwrap_or(0.0)));
    let bars = Bars {
        title: format!("GB/s of the {} of {} {} on {}", work.0, raised(ladder.n), work.1, machine.name),
        ceiling: read_peak(&rows)
            .map(|peak| (peak, format!("this machine's memory reads {} GB/s", table::digits(peak)))),
        bars: rows.iter().map(|row| bar(row, speed(row))).collect(),
    };
    Ok(bars.picture(dark))
}

fn bar(row: &Row, speed: Option<f64>) -> Bar {
    Bar {
        label: row.what.rung.clone(),
        value: speed,
        text: speed.map_or_else(
            || table::status(row),
            |speed| if speed < 100.0 { table::digits(speed) } else { format!("{speed:.0}") },
        ),
    }
}

/// The read peak that the rows' percentages are of; `None` if they are of different runs with different peaks.
fn read_peak(rows: &[&Row]) -> Option<f64> {
    let peaks = || {
        rows.iter().filter_map(|row| Some(100.0 * row.figures.gb_per_s? / row.figures.percent_of_read_peak?))
    };
    let (lowest, highest) = (peaks().fold(f64::INFINITY, f64::min), peaks().fold(0.0, f64::max));
    (highest > 0.0 && highest < SAME_PEAK * lowest).then_some(highest)
}
