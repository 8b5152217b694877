//! One measured line: the same keys in the table, in JSON, in CSV and in a record.
use halofold::reduce::Job;
use serde::{Deserialize, Serialize};

use crate::{Summary, Timing};

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// The row of a job over `n` elements before it has run: skipped, so far without a reason.
    pub fn blank(job: &Job, n: u64, info: &wgpu::AdapterInfo) -> Self {
        Row {
            preset: None,
            row: None,
            rung: job.rung.name.to_owned(),
            finish: Some(job.finish.name().to_owned()),
            element: job.accumulator.element.name().to_owned(),
            op: job.accumulator.operator.name().to_owned(),
            n,
            workgroup_size: Some(job.tuning.workgroup_size),
            workgroups: None,
            dispatches: None,
            gpu_ms_median: None,
            gpu_ms_min: None,
            gpu_ms_iqr: None,
            wall_ms_median: None,
            gb_per_s: None,
            percent_of_read_peak: None,
            step_speedup: None,
            cumulative_speedup: None,
            published_ms: None,
            published_gb_s: None,
            status: Status::Skipped,
            reason: None,
            timing: None,
            adapter: info.name.clone(),
            backend: info.backend.to_string(),
            versus_cpu: None,
        }
    }

    /// Writes the times of a reduction of `bytes` of input into the row.
    pub fn set_times(&mut self, ms: Summary, timing: Timing, bytes: u64, read_peak_gb_per_s: f64) {
        let gb_per_s = bytes as f64 / 1e6 / ms.median;
        self.gpu_ms_median = Some(ms.median);
        self.gpu_ms_min = Some(ms.min);
        self.gpu_ms_iqr = Some(ms.iqr);
        self.timing = Some(timing.name().to_owned());
        self.gb_per_s = Some(gb_per_s);
        self.percent_of_read_peak = Some(100.0 * gb_per_s / read_peak_gb_per_s);
    }

    /// Whether its time may be compared with others'.
    pub fn time(&self) -> Option<f64> {
        self.gpu_ms_median.filter(|_| self.status == Status::Pass)
    }
}
