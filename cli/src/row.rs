//! Operations on rows that several commands share: speedups, checks, CSV.

pub use halofold_measure::{LadderWork, LibraryWork, Row, Status, StencilWork, What};

use serde_json::Value;

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

/// The speed of the last row.
pub fn last_speed(rows: &[Row]) -> Option<f64> {
    rows.last()?.figures.gb_per_s
}

/// Rows as CSV, with a line of names.
pub fn csv<W: What>(rows: &[Row<W>]) -> Result<String, Failure> {
    let mut text = csv::Writer::from_writer(Vec::new());
    for (index, row) in rows.iter().enumerate() {
        let Value::Object(fields) = serde_json::to_value(row).map_err(Failure::usage)? else { continue };
        if index == 0 {
            text.write_record(fields.keys()).map_err(Failure::usage)?;
        }
        text.write_record(fields.values().map(cell)).map_err(Failure::usage)?;
    }
    let bytes = text.into_inner().map_err(Failure::usage)?;
    String::from_utf8(bytes).map_err(Failure::usage)
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
