//! A measured row: the same keys in the table, in JSON, in CSV and in a record.

mod ladder;
mod library;
mod stencil;

use std::fmt::Debug;
use std::hash::Hash;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Summary, Timing};

pub use ladder::{LadderFigures, LadderWork};
pub use library::{LibraryFigures, LibraryWork};
pub use stencil::{StencilFigures, StencilWork, sides};

/// The subject of a row. Rows with equal subjects are the same measurement.
pub trait What: Clone + Debug + Eq + Hash + Serialize + DeserializeOwned {
    /// The row's figures besides its times.
    type Figures: Clone + Debug + Default + PartialEq + Serialize + DeserializeOwned;

    /// Returns the subject without a document's name.
    fn plain(&self) -> Self {
        self.clone()
    }

    /// Returns the time to compare, in milliseconds.
    fn ms(row: &Row<Self>) -> Option<f64> {
        row.times.median
    }
}

/// A row. Fields that do not apply are `None`, in JSON `null`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct Row<W: What = LadderWork> {
    /// Its subject.
    #[serde(flatten)]
    pub what: W,
    /// Its times.
    #[serde(flatten)]
    pub times: Times,
    /// Figures that follow from the times and the configuration.
    #[serde(flatten)]
    pub figures: W::Figures,
    /// The outcome of verification.
    pub status: Status,
    /// Why it was skipped or failed, or what was changed to run it.
    pub reason: Option<String>,
    /// The adapter that it was measured on.
    #[serde(flatten)]
    pub machine: Machine,
}

/// Times of one call, in milliseconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Times {
    /// The median; see `timing`.
    #[serde(rename = "gpu_ms_median")]
    pub median: Option<f64>,
    /// The fastest sample.
    #[serde(rename = "gpu_ms_min")]
    pub min: Option<f64>,
    /// The interquartile range.
    #[serde(rename = "gpu_ms_iqr")]
    pub iqr: Option<f64>,
    /// The number of samples; absent in older records.
    #[serde(default)]
    pub samples: Option<u32>,
    /// The interquartile range in percent of the median.
    #[serde(default)]
    pub spread_percent: Option<f64>,
    /// `gpu` for timestamps, `wall` for the host's clock around batches.
    pub timing: Option<String>,
}

/// Spread in percent above which samples are noisy.
pub const NOISY: f64 = 15.0;

impl Times {
    fn new(ms: Summary, timing: Timing) -> Self {
        Times {
            median: Some(significant(ms.median)),
            min: Some(significant(ms.min)),
            iqr: Some(significant(ms.iqr)),
            samples: Some(ms.count),
            spread_percent: Some(significant(ms.spread_percent())),
            timing: Some(timing.name().to_owned()),
        }
    }

    /// Returns true if the samples spread by more than [`NOISY`] percent.
    pub fn is_noisy(&self) -> bool {
        self.spread_percent.is_some_and(|spread| spread > NOISY)
    }
}

/// Rounds a measured number to six digits.
pub fn significant(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// Outcome of verifying a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It ran, and its result was right.
    Pass,
    /// It ran, and its result was wrong.
    Fail,
    /// It did not run, or there was no reference to compare with.
    Skipped,
}

/// The adapter that a row was measured on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// The adapter's name.
    pub adapter: String,
    /// Its back end, or `cpu`.
    pub backend: String,
}

impl Machine {
    fn of(info: &wgpu::AdapterInfo) -> Self {
        Machine { adapter: info.name.clone(), backend: info.backend.to_string() }
    }
}

impl<W: What> Row<W> {
    /// Makes a row before it has run: skipped, without a reason.
    fn new(what: W, info: &wgpu::AdapterInfo) -> Self {
        Row {
            what,
            times: Times::default(),
            figures: W::Figures::default(),
            status: Status::Skipped,
            reason: None,
            machine: Machine::of(info),
        }
    }

    /// Returns the time to compare in milliseconds, if the result was right: GPU time, or the CPU's whole time.
    pub fn time(&self) -> Option<f64> {
        W::ms(self).filter(|ms| self.status == Status::Pass && *ms > 0.0)
    }
}
