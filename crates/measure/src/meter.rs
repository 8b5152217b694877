//! Measures a row: compile, verify, time, verify again. For rungs, stencils and library calls.

use std::time::Duration;

use halofold::reduce::reference::Verdict;
use wgpu::ComputePass;

use crate::compile::without_faults;
use crate::{Budget, MeasureError, Peak, PeakMeter, Row, Status, Summary, Timer, Timing, What};

/// The reason in rows whose results have no reference.
const UNDECIDED: &str = "in some orders of addition the partial results of this data overflow, so there is no one result to verify against";

/// Work to verify and time: kernels bound to inputs and outputs.
pub trait Subject {
    /// The kind of its rows.
    type Work: What;

    /// Records one repetition into a pass.
    fn encode_in_pass(&self, pass: &mut ComputePass<'_>);

    /// Runs once and compares the results with the reference's.
    ///
    /// # Errors
    ///
    /// - [`MeasureError::Rejected`] if a result is not right.
    /// - The device is lost.
    fn verify(&self, timer: &Timer) -> Result<(), MeasureError>;

    /// Times `repeats` repetitions, for a harness that chooses the number.
    fn time(&self, timer: &Timer, repeats: u64) -> Result<(Duration, Timing), MeasureError> {
        timer.measure_n(repeats, &|pass| self.encode_in_pass(pass))
    }

    /// Writes the times of one repetition into a row, and the rates on a machine with this peak.
    fn fill(&self, row: &mut Row<Self::Work>, ms: Summary, timing: Timing, peak: Peak);
}

/// Why a result does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// It differs from the reference.
    #[error("{0}")]
    Wrong(String),
    /// The reference has no single result to compare with.
    #[error("{0}")]
    Undecided(&'static str),
}

impl Rejection {
    /// Returns Ok if the verdict is right.
    ///
    /// # Errors
    ///
    /// Any other verdict.
    pub fn check(verdict: Verdict) -> Result<(), Self> {
        match verdict {
            Verdict::Right => Ok(()),
            Verdict::Wrong(mismatch) => Err(Rejection::Wrong(mismatch)),
            Verdict::Undecided => Err(Rejection::Undecided(UNDECIDED)),
        }
    }
}

/// Takes samples: a [`Budget`], or a harness such as criterion.
pub trait Sampler {
    /// Calls `ready`, which compiles and verifies, and times repetitions; `None` if the harness skips this work.
    ///
    /// # Errors
    ///
    /// Those of `ready`, and a lost device.
    fn sample<S: Subject>(
        &mut self,
        timer: &Timer,
        name: &str,
        ready: impl FnOnce() -> Result<S, MeasureError>,
    ) -> Result<Option<(S, Summary, Timing)>, MeasureError>;
}

impl Sampler for Budget {
    fn sample<S: Subject>(
        &mut self,
        timer: &Timer,
        _: &str,
        ready: impl FnOnce() -> Result<S, MeasureError>,
    ) -> Result<Option<(S, Summary, Timing)>, MeasureError> {
        let subject = ready()?;
        let measured = timer.measure(*self, &|pass| subject.encode_in_pass(pass))?;
        Ok(Some((subject, measured.summary(), measured.timing)))
    }
}

/// A device's clock and memory peak, for rows.
#[derive(Clone, Copy, Debug)]
pub struct Meter<'a> {
    /// Measures times.
    pub timer: &'a Timer,
    /// Follows the memory's peak.
    pub peak: &'a PeakMeter,
}

impl Meter<'_> {
    /// Compiles, verifies, times and verifies again. A rejected result makes a row without times; skipped work leaves the blank row. In other
    /// cases the subject is returned, too.
    ///
    /// # Errors
    ///
    /// Those of `make`, and a lost device.
    pub fn measure<S: Subject>(
        &self,
        sampler: &mut impl Sampler,
        name: &str,
        blank: Row<S::Work>,
        make: impl FnOnce() -> Result<S, MeasureError>,
    ) -> Result<(Row<S::Work>, Option<S>), MeasureError> {
        let mut row = blank;
        let sampled = sampler.sample(self.timer, name, || {
            let subject = without_faults(self.timer.device(), make)?;
            subject.verify(self.timer)?;
            Ok(subject)
        });
        let (subject, ms, timing) = match sampled {
            Ok(Some(sampled)) => sampled,
            Ok(None) => return Ok((row, None)),
            Err(MeasureError::Rejected(rejection)) => {
                row.reject(rejection);
                return Ok((row, None));
            }
            Err(error) => return Err(error),
        };
        self.peak.follow(self.timer)?;
        subject.fill(&mut row, ms, timing, self.peak.peak());
        match subject.verify(self.timer) {
            Ok(()) => row.status = Status::Pass,
            Err(MeasureError::Rejected(rejection)) => row.reject(rejection),
            Err(error) => return Err(error),
        }
        Ok((row, Some(subject)))
    }
}

impl<W: What> Row<W> {
    /// Writes a rejection into the row.
    pub fn reject(&mut self, rejection: Rejection) {
        self.status = match rejection {
            Rejection::Wrong(_) => Status::Fail,
            Rejection::Undecided(_) => Status::Skipped,
        };
        self.reason = Some(rejection.to_string());
    }
}
