//! The configuration of a histogram, as a plain value.

use wgpu::Limits;

use crate::histogram::error::HistogramError;
use crate::histogram::keys::Keys;
use crate::histogram::plan::Step;
use crate::histogram::tuning::Tuning;
use crate::operation::limits;

/// The configuration of a histogram. It is a plain value: [`Config::new`] makes it, and [`Config::check`] checks
/// it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Config {
    /// The keys.
    pub keys: Keys,
    /// The number of bins: 1 to 65 536.
    pub bins: u32,
    /// True: counts are added, modulo 2^32, to those in the output. You then clear the output yourself, and
    /// one dispatch fewer is recorded. Otherwise the output is cleared first, every time.
    pub add: bool,
    /// Parameters of the kernels. The counts do not depend on them.
    pub tuning: Tuning,
}

impl Config {
    /// Makes a config that clears its output first, with the tuning for long inputs on a device with these
    /// limits. For fewer than 2^20 keys, use [`Tuning::of`] with their number: it spreads them over more
    /// cores.
    pub fn new(keys: Keys, bins: u32, limits: &Limits) -> Self {
        Config { keys, bins, add: false, tuning: Tuning::of(limits, bins, u64::MAX) }
    }

    /// Returns this config with counts added to those in the output: see [`Config::add`].
    pub const fn adding(self) -> Self {
        Config { add: true, ..self }
    }

    /// Returns this config with another tuning.
    pub const fn with_tuning(self, tuning: Tuning) -> Self {
        Config { tuning, ..self }
    }

    /// Checks the config against a device's limits.
    ///
    /// # Errors
    ///
    /// The bins, the ranges or the tuning are invalid, or the device does not support them.
    pub fn check(&self, limits: &Limits) -> Result<(), HistogramError> {
        self.keys.check(self.bins)?;
        limits::check(self.slots(Step::Count), limits)?;
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

    /// Bytes of the output: four per bin.
    pub fn output(&self) -> u64 {
        4 * u64::from(self.bins)
    }
}
