//! Operations on rows that several commands share: speedups, checks.

pub use halofold_measure::{LibraryWork, Row, Status, StencilWork, What};

use halofold::ladder::Rung;

use crate::failure::Failure;

/// The rung of a row of the ladder; `None` if the row is a document's.
pub fn rung(row: &Row) -> Option<&'static Rung> {
    Rung::named(&row.what.rung).ok().filter(|_| row.what.preset.is_none())
}

/// Fills in how many times as fast as another row, and as the first, each row is. The other row is the last one before it with the rung that its rung
/// improves, or else the one before it. Rows of another length stay out.
pub fn compare_steps(rows: &mut [Row]) {
    let mut times: Vec<(String, f64)> = Vec::new();
    let n = rows.first().map(|row| row.what.n);
    for row in rows.iter_mut().filter(|row| Some(row.what.n) == n && !row.is_cpu()) {
        let Some(time) = row.time() else { continue };
        let improved = rung(row).map(|rung| rung.improves);
        let before = times.iter().rev().find(|(name, _)| Some(name.as_str()) == improved).or(times.last());
        row.figures.step_speedup = before.map(|(_, before)| before / time);
        row.figures.cumulative_speedup = times.first().map(|(_, first)| first / time);
        times.push((row.what.rung.clone(), time));
    }
}

pub fn check<W: What>(rows: &[Row<W>]) -> Result<(), Failure> {
    if rows.iter().any(|row| row.status == Status::Fail) { Err(Failure::Wrong) } else { Ok(()) }
}
