//! The samples criterion takes, kept for the record.

use std::time::Duration;

use halofold_measure::{Summary, Timing};

/// The fewest samples criterion takes of a benchmark that it measures and does not only try.
const FEWEST: usize = 10;

/// Every sample of one benchmark, those of the warm-up included.
#[derive(Default)]
pub struct Samples(Vec<(u64, Duration, Timing)>);

impl Samples {
    /// Keeps the time of this many repetitions.
    pub fn keep(&mut self, repeats: u64, took: Duration, timing: Timing) {
        self.0.push((repeats, took, timing));
    }

    /// Summary of the measured samples; `None` if criterion took none, because of a filter or in its test mode.
    ///
    /// Flat sampling gives all of them the same number of repetitions; the warm-up before doubled it each time. Should the GPU's
    /// clock have failed on the way, those before do not count: one benchmark never mixes two clocks.
    pub fn measured(&self) -> Option<(Summary, Timing)> {
        let &(repeats, _, timing) = self.0.last()?;
        let alike = |sample: &&(u64, Duration, Timing)| (sample.0, sample.2) == (repeats, timing);
        let measured = self.0.iter().rev().take_while(alike);
        let ms: Vec<f64> = measured.map(|(_, took, _)| took.as_secs_f64() * 1e3 / repeats as f64).collect();
        Summary::of(&ms).filter(|_| ms.len() >= FEWEST).map(|summary| (summary, timing))
    }
}
