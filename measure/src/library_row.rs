//! One measured line of the library: the same keys in JSON and in a record, of halofold as of what it is compared with.
use serde::{Deserialize, Serialize};

use crate::{Status, Summary, Timing};

/// A row of what an application asks of a library. What does not apply is `None`, in JSON `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LibraryRow {
    /// Who does it, and behind a dash in which of several ways: `halofold`, `halofold-chained`, `cub`.
    pub name: String,
    /// What is computed: an operator's name, or `histogram-256`.
    pub op: String,
    /// What one result is made of: `whole`, `counted`, `fixed`, `computed-offsets`, `offsets`, `skewed`, `columns` or `axis`;
    /// a histogram's keys: `random` or `equal`; what the host waits for: `scalar` or `recording`.
    pub shape: String,
    /// Element type.
    #[serde(rename = "type")]
    pub element: String,
    /// Elements.
    pub n: u64,
    /// Results, where there are many.
    pub segments: Option<u64>,
    /// Time of one call, in milliseconds; see `timing`.
    pub gpu_ms_median: Option<f64>,
    /// The fastest sample.
    pub gpu_ms_min: Option<f64>,
    /// First to third quartile.
    pub gpu_ms_iqr: Option<f64>,
    /// Input bytes over the median, in units of 10^9 a second.
    pub gb_per_s: Option<f64>,
    /// The same as a share of what a kernel that only reads reaches here.
    pub percent_of_read_peak: Option<f64>,
    /// What became of it.
    pub status: Status,
    /// `gpu` for timestamps, `wall` for the host's clock.
    pub timing: Option<String>,
    /// The adapter's name.
    pub adapter: String,
    /// Its back end.
    pub backend: String,
}

impl LibraryRow {
    /// A row of one name before it has run: skipped.
    ///
    /// `work` is the operator, the shape and the element type.
    pub fn blank(
        name: &str,
        work: [&str; 3],
        n: u64,
        segments: Option<u64>,
        info: &wgpu::AdapterInfo,
    ) -> Self {
        let [op, shape, element] = work.map(str::to_owned);
        LibraryRow {
            name: name.to_owned(),
            op,
            shape,
            element,
            n,
            segments,
            gpu_ms_median: None,
            gpu_ms_min: None,
            gpu_ms_iqr: None,
            gb_per_s: None,
            percent_of_read_peak: None,
            status: Status::Skipped,
            timing: None,
            adapter: info.name.clone(),
            backend: info.backend.to_string(),
        }
    }

    /// Writes the times of a call whose result was right into the row.
    pub fn set_times(&mut self, ms: Summary, timing: Timing) {
        self.gpu_ms_median = Some(ms.median);
        self.gpu_ms_min = Some(ms.min);
        self.gpu_ms_iqr = Some(ms.iqr);
        self.timing = Some(timing.name().to_owned());
        self.status = Status::Pass;
    }

    /// Writes how fast a call that took this median reads `bytes` of input, and the share of the read peak, where that says
    /// anything.
    pub fn set_rate(&mut self, bytes: u64, read_peak_gb_per_s: Option<f64>) {
        self.gb_per_s = self.gpu_ms_median.map(|ms| bytes as f64 / 1e6 / ms);
        self.percent_of_read_peak =
            self.gb_per_s.zip(read_peak_gb_per_s).map(|(gb_per_s, peak)| 100.0 * gb_per_s / peak);
    }
}
