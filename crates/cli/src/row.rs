//! Operations on rows that several commands share: speedups, checks.

pub use halofold_measure::{LadderWork, LibraryWork, Row, Status, StencilWork, What};

use crate::failure::Failure;

/// Fills in how many times as fast as the row before, and as the first, each row is. Rows of another length stay out.
pub fn compare_steps(rows: &mut [Row]) {
    let mut first = None;
    let mut before = None;
    let n = rows.first().map(|row| row.what.n);
    for row in rows.iter_mut().filter(|row| Some(row.what.n) == n && !row.is_cpu()) {
        let Some(time) = row.time() else { continue };
        row.figures.step_speedup = before.map(|before: f64| before / time);
        row.figures.cumulative_speedup = first.map(|first: f64| first / time);
        before = Some(time);
        first = first.or(before);
    }
}

/// Fails the command if a result was wrong.
pub fn check<W: What>(rows: &[Row<W>]) -> Result<(), Failure> {
    if rows.iter().any(|row| row.status == Status::Fail) { Err(Failure::Wrong) } else { Ok(()) }
}

pub fn last_speed(rows: &[Row]) -> Option<f64> {
    rows.last()?.figures.gb_per_s
}
