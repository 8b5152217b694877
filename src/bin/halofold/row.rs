//! One line of the ladder, a preset or a sweep: the same keys in the table, in JSON and in CSV.

use serde::Serialize;

use crate::output::csv_field;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It ran, and its result was right.
    Pass,
    /// It ran, and its result was wrong.
    Fail,
    /// It did not run, or there was nothing to hold its result against.
    Skipped,
}

/// A row. What does not apply is `None`, in JSON `null`.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The preset it belongs to.
    pub preset: Option<String>,
    /// The document's own name for it.
    pub row: Option<String>,
    /// The rung, or `cpu-one-thread`, `cpu-all-threads`.
    pub rung: String,
    /// How partial results became one.
    pub finish: Option<String>,
    /// Element type.
    #[serde(rename = "type")]
    pub element: String,
    /// Operator.
    pub op: String,
    /// Elements.
    pub n: u64,
    /// Invocations in a workgroup.
    pub workgroup_size: Option<u32>,
    /// Workgroups of the dispatches that read the input.
    pub workgroups: Option<u64>,
    /// Dispatches of one reduction.
    pub dispatches: Option<u64>,
    /// Time of one reduction, in milliseconds; see `timing`.
    pub gpu_ms_median: Option<f64>,
    /// The fastest sample.
    pub gpu_ms_min: Option<f64>,
    /// First to third quartile.
    pub gpu_ms_iqr: Option<f64>,
    /// From submission to the value on the host; for CPU rows the whole time.
    pub wall_ms_median: Option<f64>,
    /// Input bytes over the median, in units of 10^9 a second.
    pub gb_per_s: Option<f64>,
    /// The same as a share of what a kernel that only reads reaches here.
    pub percent_of_read_peak: Option<f64>,
    /// How many times as fast as the row before.
    pub step_speedup: Option<f64>,
    /// How many times as fast as the first row.
    pub cumulative_speedup: Option<f64>,
    /// What the document measured.
    pub published_ms: Option<f64>,
    /// The same as the document's bandwidth.
    pub published_gb_s: Option<f64>,
    /// What became of it.
    pub status: Status,
    /// Why it was skipped or failed, or what was changed so that it could run.
    pub reason: Option<String>,
    /// `gpu` for timestamps, `wall` for the host's clock around batches.
    pub timing: Option<String>,
    /// The adapter's name.
    pub adapter: String,
    /// Its back end.
    pub backend: String,
    /// How many times as fast as one CPU thread it is, end to end: in tables only, JSON has the CPU's own row.
    #[serde(skip)]
    pub versus_cpu: Option<f64>,
}

impl Row {
    /// Whether its time may be compared with others'.
    pub fn time(&self) -> Option<f64> {
        self.gpu_ms_median.filter(|_| self.status == Status::Pass)
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
