//! Rows of library calls: of halofold, and of the libraries it is compared with.

use serde::{Deserialize, Serialize};

use super::{Row, Status, Times, What, significant};
use crate::{Summary, Timing};

/// A call of a library that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LibraryWork {
    /// The library, and behind a dash one of several ways to call it: `halofold`, `halofold-chained`, `cub`.
    pub name: String,
    /// The computation: an operator's name, or `histogram-256`.
    pub op: String,
    /// The shape of results: `whole`, `counted`, `fixed`, `computed-offsets`, `offsets`, `skewed`, `columns` or `axis`;
    /// an exact sum's elements: `two-scales` or `wide`; a histogram's keys: `random` or `equal`; the elements of order statistics: `uniform`, `normal`, `bits`, `sorted`,
    /// `two-values`, `all-equal` or `periodic`; a time on the host: `scalar` or
    /// `recording`.
    pub shape: String,
    /// Element type.
    #[serde(rename = "type")]
    pub element: String,
    /// Elements.
    pub n: u64,
    /// Results, where there are many.
    pub segments: Option<u64>,
}

/// Figures of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LibraryFigures {
    /// Input bytes over the median, in units of 10^9 a second.
    pub gb_per_s: Option<f64>,
    /// The same in percent of the read peak: the bandwidth of a kernel that only reads.
    pub percent_of_read_peak: Option<f64>,
}

impl What for LibraryWork {
    type Figures = LibraryFigures;
}

impl Row<LibraryWork> {
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
        Row::new(LibraryWork { name: name.to_owned(), op, shape, element, n, segments }, info)
    }

    /// Writes the times of a call whose result was right into the row.
    pub fn set_times(&mut self, ms: Summary, timing: Timing) {
        self.times = Times::new(ms, timing);
        self.status = Status::Pass;
    }

    /// Writes how fast a call that took this median reads `bytes` of input, and the share of the read peak, where that says
    /// anything.
    pub fn set_rate(&mut self, bytes: u64, read_peak_gb_per_s: Option<f64>) {
        let gb_per_s = self.times.median.map(|ms| significant(bytes as f64 / 1e6 / ms));
        self.figures.gb_per_s = gb_per_s;
        self.figures.percent_of_read_peak =
            gb_per_s.zip(read_peak_gb_per_s).map(|(gb_per_s, peak)| significant(100.0 * gb_per_s / peak));
    }
}
