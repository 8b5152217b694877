//! A rung over its inputs, with the result that it should give.

use std::time::{Duration, Instant};

use halofold::Slice;
use halofold::reduce::reference::Expected;
use wgpu::{Buffer, ComputePass, Device};

use crate::{
    BoundRun, Budget, Job, LadderWork, MeasureError, Meter, Peak, Rejection, Row, Sampler, Subject, Summary,
    Timer, Timing,
};

/// The longest that all samples of the way to the host may take.
const MOST_END_TO_END: Duration = Duration::from_millis(400);

/// A rung that is to be measured.
#[derive(Debug)]
pub struct RungRun<'a> {
    run: BoundRun,
    expected: &'a Expected,
    bytes: u64,
}

impl<'a> RungRun<'a> {
    /// Compiles a job and binds it to an input and to copies of it, which repetitions read in turn.
    ///
    /// # Errors
    ///
    /// As [`BoundRun::rotating`].
    pub fn new(
        device: &Device,
        job: Job,
        input: Slice<'_>,
        copies: &[&Buffer],
        expected: &'a Expected,
    ) -> Result<Self, MeasureError> {
        let run = BoundRun::rotating(device, job, input, copies)?;
        Ok(RungRun { run, expected, bytes: input.size() })
    }

    /// Times it from submission to the value on the host: the median in milliseconds.
    ///
    /// # Errors
    ///
    /// If the device is lost on the way.
    pub fn end_to_end(&self, timer: &Timer, budget: Budget) -> Result<f64, MeasureError> {
        let mut ms = Vec::new();
        let start = Instant::now();
        let limit = budget.total.min(MOST_END_TO_END);
        while ms.len() < 3 || (ms.len() < budget.samples as usize && start.elapsed() < limit) {
            let start = Instant::now();
            self.run.value(timer.device(), timer.queue())?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Summary::of(&ms).map_or(f64::NAN, |summary| summary.median))
    }
}

impl Subject for RungRun<'_> {
    type Work = LadderWork;

    fn encode_in_pass(&self, pass: &mut ComputePass<'_>) {
        self.run.encode_in_pass(pass);
    }

    fn verify(&self, timer: &Timer) -> Result<(), MeasureError> {
        let verdict = self.run.verify(timer.device(), timer.queue(), self.expected)?;
        Ok(Rejection::check(verdict)?)
    }

    fn fill(&self, row: &mut Row, ms: Summary, timing: Timing, peak: Peak) {
        row.set_times(ms, timing, self.bytes, peak.read_gb_per_s);
    }
}

impl Meter<'_> {
    /// The row of a rung over `len` elements. A job that the device cannot run is a row with the reason; `make` is left out then.
    ///
    /// # Errors
    ///
    /// As [`Meter::measure`].
    pub fn rung<'r>(
        &self,
        sampler: &mut impl Sampler,
        job: Job,
        len: u64,
        make: impl FnOnce() -> Result<RungRun<'r>, MeasureError>,
    ) -> Result<(Row, Option<RungRun<'r>>), MeasureError> {
        let device = self.timer.device();
        let limits = device.limits();
        let mut row = Row::<LadderWork>::blank(&job, len, &device.adapter_info());
        match job.check(device.features(), &limits).and_then(|()| job.plan(0, len, &limits)) {
            Ok(plan) => {
                row.figures.workgroups = Some(plan.workgroups());
                row.figures.dispatches = Some(plan.launches().len() as u64);
                self.measure(sampler, job.rung.name(), row, make)
            }
            Err(error) => {
                row.reason = Some(error.to_string());
                Ok((row, None))
            }
        }
    }
}
