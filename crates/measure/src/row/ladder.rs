//! Rows of reductions: of the ladder or of a preset.

use serde::{Deserialize, Serialize};

use super::{Row, Times, What, significant};
use crate::{Job, Summary, Timing};

/// A measured reduction.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LadderWork {
    /// The preset, if any.
    pub preset: Option<String>,
    /// The document's name for it.
    pub row: Option<String>,
    /// The rung, or `cpu-one-thread`, `cpu-all-threads`.
    pub rung: String,
    /// The method that combined partial results.
    pub finish: Option<String>,
    /// Element type.
    #[serde(rename = "type")]
    pub element: String,
    /// Operator.
    pub op: String,
    /// Number of elements.
    pub n: u64,
    /// Invocations per workgroup.
    pub workgroup_size: Option<u32>,
}

/// Figures of a reduction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LadderFigures {
    /// Workgroups of the dispatches that read the input.
    pub workgroups: Option<u64>,
    /// Dispatches of one reduction.
    pub dispatches: Option<u64>,
    /// From submission to the value on the host; for the CPU the whole time.
    pub wall_ms_median: Option<f64>,
    /// Input bytes over the median time, in 10^9 per second.
    pub gb_per_s: Option<f64>,
    /// The same in percent of the read peak.
    pub percent_of_read_peak: Option<f64>,
    /// Speed-up over the row that it improves.
    pub step_speedup: Option<f64>,
    /// Speed-up over the first row.
    pub cumulative_speedup: Option<f64>,
    /// The document's time.
    pub published_ms: Option<f64>,
    /// The document's bandwidth.
    pub published_gb_s: Option<f64>,
    /// Speed-up over one CPU thread, end to end. In tables only; JSON has the CPU's own row.
    #[serde(skip)]
    pub versus_cpu: Option<f64>,
}

impl What for LadderWork {
    type Figures = LadderFigures;

    fn plain(&self) -> Self {
        LadderWork { preset: None, row: None, ..self.clone() }
    }

    fn ms(row: &Row<Self>) -> Option<f64> {
        if row.is_cpu() { row.figures.wall_ms_median } else { row.times.median }
    }
}

impl Row<LadderWork> {
    /// Makes the row of a job over `n` elements before it has run: skipped, without a reason.
    pub fn blank(job: &Job, n: u64, info: &wgpu::AdapterInfo) -> Self {
        let what = LadderWork {
            preset: None,
            row: None,
            rung: job.rung.name().to_owned(),
            finish: Some(job.finish.name().to_owned()),
            element: job.element.name().to_owned(),
            op: job.op.name().to_owned(),
            n,
            workgroup_size: Some(job.tuning.workgroup_size),
        };
        Row::new(what, info)
    }

    /// Writes the times of a reduction of `bytes` bytes into the row.
    pub fn set_times(&mut self, ms: Summary, timing: Timing, bytes: u64, read_peak_gb_per_s: f64) {
        let gb_per_s = significant(bytes as f64 / 1e6 / ms.median);
        self.times = Times::new(ms, timing);
        self.figures.gb_per_s = Some(gb_per_s);
        self.figures.percent_of_read_peak = Some(significant(100.0 * gb_per_s / read_peak_gb_per_s));
    }

    /// Returns true if it ran on the CPU.
    pub fn is_cpu(&self) -> bool {
        self.machine.backend == "cpu"
    }
}
