//! One row: compile, prepare, run, verify, time, verify again.

use std::time::{Duration, Instant};

use halofold::reduce::ladder::Rung;
use halofold::reduce::reference::{Expected, Verdict};
use halofold::reduce::{Op, PlanError, ReduceError};
use halofold::{Element, adapter, wgpu};
use halofold_measure::{Budget, Job, Measurement, PeakMeter, Summary, Trial};

use crate::dataset::Dataset;
use crate::failure::Failure;
use crate::gpu::{self, Gpu};
use crate::row::{LadderWork, Row, Status};

/// What all rows of a command share.
pub struct RunContext<'a> {
    /// Where they run.
    pub gpu: &'a Gpu,
    /// What this machine's memory can do.
    pub peak: PeakMeter,
    /// How long one may take.
    pub budget: Budget,
}

impl RunContext<'_> {
    /// What reading reaches just now.
    fn read_peak(&self) -> Result<f64, Failure> {
        self.gpu.attempt(|| self.peak.read_now(&self.gpu.timer).map_err(Failure::usage))
    }
}

/// A trial on a GPU, with what goes wrong there as a failure of the command.
pub struct BoundRun(Trial);

impl BoundRun {
    /// Compiles a job and binds it to the first `len` elements of a dataset and of its copies.
    pub fn new(gpu: &Gpu, job: Job, data: &Dataset<'_>, len: u64) -> Result<Self, Failure> {
        gpu.attempt(|| {
            let trial = Trial::rotating(&gpu.device, job, data.input(len), &data.copies());
            trial.map(BoundRun).map_err(Failure::usage)
        })
    }

    /// Times it on the GPU.
    pub fn measure(&self, gpu: &Gpu, budget: Budget) -> Result<Measurement, Failure> {
        gpu.attempt(|| gpu.timer.measure(budget, &|pass| self.0.encode_in_pass(pass)).map_err(Failure::usage))
    }

    /// Times it from submission to the value on the host, in milliseconds.
    fn end_to_end(&self, gpu: &Gpu, budget: Budget) -> Result<f64, Failure> {
        let mut ms = Vec::new();
        let start = Instant::now();
        let limit = budget.total.min(Duration::from_millis(400));
        while ms.len() < 3 || (ms.len() < budget.samples as usize && start.elapsed() < limit) {
            let start = Instant::now();
            gpu.attempt(|| self.0.value(&gpu.device, &gpu.queue).map_err(Failure::usage))?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Summary::of(&ms).map_or(f64::NAN, |summary| summary.median))
    }

    fn verify(&self, gpu: &Gpu, expected: &Expected) -> Result<Verdict, Failure> {
        gpu.attempt(|| self.0.verify(&gpu.device, &gpu.queue, expected).map_err(Failure::usage))
    }
}

/// A rung as halofold runs it for `len` elements.
pub fn job(
    rung: &'static Rung,
    op: Op,
    element: Element,
    limits: &wgpu::Limits,
    len: u64,
) -> Result<Job, Failure> {
    Job::new(rung, op, element, limits, len)
        .ok_or_else(|| Failure::Usage(format!("`{op}` is not defined for {element}")))
}

/// Checks that an operator is defined for an element type.
pub fn check_defined(op: Op, element: Element) -> Result<(), Failure> {
    op.over(element).map(drop).map_err(Failure::usage)
}

/// Checks that this adapter can compute an operator over an element type at all.
pub fn check_operator(gpu: &Gpu, op: Op, element: Element) -> Result<(), Failure> {
    let monoid = op.over(element).map_err(Failure::usage)?;
    match monoid.features() - gpu.device.features() {
        missing if missing.is_empty() => Ok(()),
        missing => Err(Failure::Usage(format!(
            "`{op}` of {element} needs {}, which {} lacks",
            adapter::feature_names(missing),
            gpu.info.name
        ))),
    }
}

/// Checks the workgroup that was asked for. What no rung could run is an error here; what one of them cannot is a
/// skipped row later.
pub fn with_checked_workgroup(gpu: &Gpu, job: Job) -> Result<Job, Failure> {
    match job.check(gpu.device.features(), &gpu.device.limits()) {
        Err(ReduceError::Plan(
            error @ (PlanError::WorkgroupNotPowerOfTwo(_) | PlanError::WorkgroupTooLarge { .. }),
        )) => Err(Failure::Usage(format!("--workgroup: {error}"))),
        _ => Ok(job),
    }
}

/// The row of a job before it has run.
pub fn blank(context: &RunContext<'_>, job: &Job, n: u64) -> Row {
    Row::<LadderWork>::blank(job, n, &context.gpu.info)
}

/// Runs a job over the first `len` elements: a row that passed, failed or was skipped.
///
/// # Errors
///
/// Only what ends the whole command: a lost device, memory that ran out.
pub fn row(
    context: &RunContext<'_>,
    job: Job,
    data: &Dataset<'_>,
    len: u64,
    expected: &Expected,
) -> Result<Row, Failure> {
    let gpu = context.gpu;
    let mut row = blank(context, &job, len);
    let (features, limits) = (gpu.device.features(), gpu.device.limits());
    let runnable = job.check(features, &limits).and_then(|()| job.plan(0, len, &limits));
    if let Err(error) = runnable {
        row.reason = Some(gpu::explain(&error));
        return Ok(row);
    }
    let bound = BoundRun::new(gpu, job, data, len)?;
    let plan = bound.0.plan();
    row.figures.workgroups = Some(plan.workgroups());
    row.figures.dispatches = Some(plan.launches().len() as u64);
    if !record(&mut row, bound.verify(gpu, expected)?) {
        return Ok(row);
    }
    let before = context.read_peak()?;
    let measured = bound.measure(gpu, context.budget)?;
    let after = context.read_peak()?;
    row.figures.wall_ms_median = Some(bound.end_to_end(gpu, context.budget)?);
    let bytes = len * job.element.size();
    row.set_times(measured.summary(), measured.timing, bytes, before.max(after));
    record(&mut row, bound.verify(gpu, expected)?);
    Ok(row)
}

/// Writes a verdict into a row and answers whether it passed.
pub fn record(row: &mut Row, verdict: Verdict) -> bool {
    match verdict {
        Verdict::Right => row.status = Status::Pass,
        Verdict::Wrong(mismatch) => {
            row.status = Status::Fail;
            row.reason = Some(mismatch.to_string());
        }
        Verdict::Undecided => {
            row.status = Status::Skipped;
            row.reason =
                Some("in some orders of addition the partial results of this data overflow, so there is no one result to verify against".to_owned());
        }
    }
    row.status == Status::Pass
}
