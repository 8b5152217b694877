//! One line of the ladder, a preset or a sweep: what commands make of several of them.

pub use halofold::measure::{Row, Status};

use crate::output::csv_field;

/// What makes two rows the same measurement, in two records as in one.
pub type Key<'a> =
    (Option<&'a str>, Option<&'a str>, &'a str, Option<&'a str>, &'a str, &'a str, u64, Option<u32>);

/// The key of a row.
pub fn key(row: &Row) -> Key<'_> {
    (
        row.preset.as_deref(),
        row.row.as_deref(),
        &row.rung,
        row.finish.as_deref(),
        &row.element,
        &row.op,
        row.n,
        row.workgroup_size,
    )
}

/// The time to compare in milliseconds: of a rung on the GPU, of the CPU all there is.
pub fn own_time(row: &Row) -> Option<f64> {
    let ms = if row.backend == "cpu" { row.wall_ms_median } else { row.gpu_ms_median };
    ms.filter(|ms| row.status == Status::Pass && *ms > 0.0)
}

/// Fills in how many times as fast as the row before, and as the first, each row is. Rows of another length stay out.
pub fn compare_steps(rows: &mut [Row]) {
    let mut first = None;
    let mut before = None;
    let n = rows.first().map(|row| row.n);
    for row in rows.iter_mut().filter(|row| Some(row.n) == n) {
        let Some(time) = row.time() else { continue };
        row.step_speedup = before.map(|before: f64| before / time);
        row.cumulative_speedup = first.map(|first: f64| first / time);
        before = Some(time);
        first = first.or(before);
    }
}

/// Rows as CSV, with a line of names.
pub fn csv(rows: &[Row]) -> String {
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        let Ok(serde_json::Value::Object(fields)) = serde_json::to_value(row) else { continue };
        if index == 0 {
            text.push_str(&fields.keys().cloned().collect::<Vec<_>>().join(","));
            text.push('\n');
        }
        let cells: Vec<_> = fields.values().map(cell).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

fn cell(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => csv_field(text),
        other => other.to_string(),
    }
}
