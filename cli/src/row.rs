//! One line of the ladder, a preset or a sweep: what commands make of several of them.

use std::hash::Hash;

pub use halofold_measure::{LibraryRow, Row, Status, StencilRow};

use crate::output::csv_field;

/// What rows of reductions, of stencils and of the library have in common.
pub trait Measured {
    /// What makes two rows the same measurement, in two records as in one.
    type Key<'a>: PartialEq + Eq + Hash
    where
        Self: 'a;

    /// The key of this row.
    fn key(&self) -> Self::Key<'_>;
    /// The time to compare in milliseconds: of the GPU's work alone, of the CPU all there is.
    fn ms(&self) -> Option<f64>;
    /// First to third quartile of the GPU's times.
    fn iqr(&self) -> Option<f64>;
    /// What became of it.
    fn status(&self) -> Status;
    /// Why.
    fn reason(&self) -> Option<&str>;
    /// Which clock.
    fn timing(&self) -> Option<&str>;
    /// The adapter and its back end.
    fn place(&self) -> (&str, &str);

    /// The time to compare, if the result was right.
    fn own_time(&self) -> Option<f64> {
        self.ms().filter(|ms| self.status() == Status::Pass && *ms > 0.0)
    }
}

/// What every row keeps in fields of the same names.
macro_rules! outcome_in_fields {
    () => {
        fn iqr(&self) -> Option<f64> {
            self.gpu_ms_iqr
        }

        fn status(&self) -> Status {
            self.status
        }

        fn timing(&self) -> Option<&str> {
            self.timing.as_deref()
        }

        fn place(&self) -> (&str, &str) {
            (&self.adapter, &self.backend)
        }
    };
}

impl Measured for Row {
    type Key<'a> =
        (Option<&'a str>, Option<&'a str>, &'a str, Option<&'a str>, &'a str, &'a str, u64, Option<u32>);

    fn key(&self) -> Self::Key<'_> {
        (
            self.preset.as_deref(),
            self.row.as_deref(),
            &self.rung,
            self.finish.as_deref(),
            &self.element,
            &self.op,
            self.n,
            self.workgroup_size,
        )
    }

    fn ms(&self) -> Option<f64> {
        if self.backend == "cpu" { self.wall_ms_median } else { self.gpu_ms_median }
    }

    outcome_in_fields!();

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl Measured for StencilRow {
    type Key<'a> = (Option<&'a str>, Option<&'a str>, &'a str, u32, &'a str, &'a str, &'a str, &'a str);

    fn key(&self) -> Self::Key<'_> {
        (
            self.preset.as_deref(),
            self.row.as_deref(),
            &self.variant,
            self.points,
            &self.grid,
            &self.block,
            &self.boundary,
            &self.element,
        )
    }

    fn ms(&self) -> Option<f64> {
        self.gpu_ms_median
    }

    outcome_in_fields!();

    fn reason(&self) -> Option<&str> {
        self.reason.as_deref()
    }
}

impl Measured for LibraryRow {
    type Key<'a> = (&'a str, &'a str, &'a str, &'a str, u64, Option<u64>);

    fn key(&self) -> Self::Key<'_> {
        (&self.name, &self.op, &self.shape, &self.element, self.n, self.segments)
    }

    fn ms(&self) -> Option<f64> {
        self.gpu_ms_median
    }

    outcome_in_fields!();

    fn reason(&self) -> Option<&str> {
        None
    }
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
pub fn csv(rows: &[impl serde::Serialize]) -> String {
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
