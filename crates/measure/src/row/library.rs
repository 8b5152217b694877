//! Rows of library calls: halofold's, and those of libraries that are compared with it.

use serde::{Deserialize, Serialize};

use super::{Row, Status, Times, What, significant};
use crate::{Summary, Timing};

/// A measured call of a library.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LibraryWork {
    /// The library and, after a dash, the way it is called: `halofold`, `halofold-chained`, `cub`.
    pub name: String,
    /// The computation: an operator's name, or `histogram-256`.
    pub op: String,
    /// `whole`, `counted`, `fixed`, `computed-offsets`, `offsets`, `skewed`, `columns` or `axis` for the shape of results;
    /// `two-scales` or `wide` for the elements of exact sums; `random` or `equal` for the keys of histograms;
    /// `uniform`, `normal`, `bits`, `sorted`, `two-values`, `all-equal` or `periodic` for the elements of order statistics;
    /// `scalar` or `recording` for times on the host.
    pub shape: String,
    /// Element type.
    #[serde(rename = "type")]
    pub element: String,
    /// Number of elements.
    pub n: u64,
    /// Number of results, if there are several.
    pub segments: Option<u64>,
}

/// Figures of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LibraryFigures {
    /// Input bytes over the median time, in 10^9 per second.
    pub gb_per_s: Option<f64>,
    /// The same in percent of the read peak.
    pub percent_of_read_peak: Option<f64>,
}

impl What for LibraryWork {
    type Figures = LibraryFigures;
}

impl Row<LibraryWork> {
    /// Makes a row before the call has run: skipped.
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
        Row::new(LibraryWork { name: name.to_owned(), op, shape, element, n, segments }, info)
    }

    /// Writes the times of a call with a right result into the row.
    pub fn set_times(&mut self, ms: Summary, timing: Timing) {
        self.times = Times::new(ms, timing);
        self.status = Status::Pass;
    }

    /// Writes the read rate of a call over `bytes` of input, and its share of the read peak where that is
    /// meaningful.
    pub fn set_rate(&mut self, bytes: u64, read_peak_gb_per_s: Option<f64>) {
        let gb_per_s = self.times.median.map(|ms| significant(bytes as f64 / 1e6 / ms));
        self.figures.gb_per_s = gb_per_s;
        self.figures.percent_of_read_peak =
            gb_per_s.zip(read_peak_gb_per_s).map(|(gb_per_s, peak)| significant(100.0 * gb_per_s / peak));
    }
}
