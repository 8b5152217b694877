//! Everything that decides how a histogram is counted, as a plain value.

use wgpu::Limits;

use crate::histogram::error::HistogramError;
use crate::histogram::keys::Keys;
use crate::histogram::plan::Step;
use crate::histogram::tuning::Tuning;
use crate::pipeline;

/// A histogram to be compiled. A plain value: [`Job::new`] makes it, [`Job::check`] says what is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Job {
    /// What is counted.
    pub keys: Keys,
    /// Bins: 1 to 65 536.
    pub bins: u32,
    /// Whether counts are added to what the output holds, modulo 2^32: then the output is yours to clear, and one dispatch fewer
    /// is recorded. Otherwise it is cleared first, every time.
    pub add: bool,
    /// How it is run; the counts do not depend on it.
    pub tuning: Tuning,
}

impl Job {
    /// A histogram that clears its output first, with the tuning for long inputs on a device with these limits. For inputs below
    /// 2^20 keys, [`Tuning::of`] with their number spreads them over more cores.
    pub fn new(keys: Keys, bins: u32, limits: &Limits) -> Self {
        Job { keys, bins, add: false, tuning: Tuning::of(limits, bins, u64::MAX) }
    }

    /// The same with counts added to what the output holds.
    pub const fn adding(self) -> Self {
        Job { add: true, ..self }
    }

    /// The same with another tuning.
    pub const fn with_tuning(self, tuning: Tuning) -> Self {
        Job { tuning, ..self }
    }

    /// Checks the job against a device's limits.
    ///
    /// # Errors
    ///
    /// What is wrong with the bins, the ranges or the tuning, or does not fit the device.
    pub fn check(&self, limits: &Limits) -> Result<(), HistogramError> {
        self.keys.check(self.bins)?;
        pipeline::check(self.slots(Step::Count), limits)?;
        self.tuning.check(self.bins, limits)?;
        let limit = limits.max_storage_buffer_binding_size.min(limits.max_buffer_size);
        let mut tables = vec![("counts", self.output())];
        if let Keys::Ranges { .. } = self.keys {
            tables.push(("borders of the ranges", 2 * self.output()));
        }
        match tables.into_iter().find(|(_, needed)| *needed > limit) {
            Some((role, needed)) => Err(HistogramError::Binding { role, needed, limit }),
            None => Ok(()),
        }
    }

    /// Bytes of the output: four a bin.
    pub fn output(&self) -> u64 {
        4 * u64::from(self.bins)
    }
}
