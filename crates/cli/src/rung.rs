//! A rung and its inputs on the GPU that was requested: requests are checked, and faults are failures of the command.

use halofold::ladder::Rung;
use halofold::reduce::Op;
use halofold::reduce::reference::Expected;
use halofold::{Element, adapter, wgpu};
use halofold_measure::{Budget, Dataset, Host, Inputs, Job, MeasureError, Meter, Peak, PeakMeter, RungRun};

use crate::failure::{self, Failure};
use crate::gpu::Gpu;
use crate::row::Row;

pub struct RunContext<'a> {
    pub gpu: &'a Gpu,
    peak: PeakMeter,
    budget: Budget,
}

impl<'a> RunContext<'a> {
    /// Measures the peak. A row has `samples` samples, by default a number that suits the GPU.
    pub fn new(gpu: &'a Gpu, samples: Option<u32>) -> Result<Self, Failure> {
        Ok(RunContext { gpu, peak: gpu.peak_meter(samples)?, budget: gpu.budget(samples) })
    }

    pub fn peak(&self) -> Peak {
        self.peak.peak()
    }

    /// Runs a job over the first `len` elements: a row that passed, failed or was skipped.
    pub fn row(&self, job: Job, data: &Dataset, len: u64, expected: &Expected) -> Result<Row, Failure> {
        let (gpu, mut budget) = (self.gpu, self.budget);
        let meter = Meter { timer: &gpu.timer, peak: &self.peak };
        let mut measure = || {
            let make = || RungRun::new(&gpu.device, job, data.input(len), &data.copies(), expected);
            let (mut row, run) = meter.rung(&mut budget, job, len, make)?;
            if let Some(run) = run {
                row.figures.wall_ms_median = Some(run.end_to_end(&gpu.timer, self.budget)?);
            }
            row.reason = row.reason.as_ref().map(failure::explain);
            Ok(row)
        };
        gpu.attempt(|| measure().map_err(|error: MeasureError| Failure::usage(error)))
    }
}

pub fn job(
    rung: &'static Rung,
    op: Op,
    element: Element,
    limits: &wgpu::Limits,
    len: u64,
) -> Result<Job, Failure> {
    Job::new(rung, op, element, limits, len).ok_or_else(|| undefined(op, element))
}

/// The result that the first `len` elements should give.
pub fn expected(host: &Host, op: Op, len: u64) -> Result<Expected, Failure> {
    host.expected(op, len).ok_or_else(|| undefined(op, host.element))
}

fn undefined(op: Op, element: Element) -> Failure {
    refusal!("`{op}` is not defined for {element}")
}

/// Checks that this adapter can compute an operator over an element type at all.
pub fn check_operator(gpu: &Gpu, op: Op, element: Element) -> Result<(), Failure> {
    let monoid = op.over(element).map_err(Failure::usage)?;
    match monoid.features() - gpu.device.features() {
        missing if missing.is_empty() => Ok(()),
        missing => Err(refusal!(
            "`{op}` of {element} needs {}, which {} lacks",
            adapter::feature_names(missing),
            gpu.info.name
        )),
    }
}

/// The limits on a workgroup that hold for every rung.
const WORKGROUP: [&str; 2] = ["max_compute_invocations_per_workgroup", "max_compute_workgroup_size_x"];

/// Returns true if the workgroup is too large here for a job, or its tile too small for the workgroup.
pub fn is_too_large(gpu: &Gpu, job: &Job) -> bool {
    match job.check(gpu.device.features(), &gpu.device.limits()) {
        Err(halofold::Error::Limit(error)) => {
            WORKGROUP.contains(&error.name) || error.name == "max_compute_workgroup_storage_size"
        }
        Err(halofold::Error::Setting(error)) if error.name == "tile" => {
            error.value.is_some_and(|tile| tile < u64::from(job.tuning.workgroup_size))
        }
        _ => false,
    }
}

/// Checks the workgroup that was requested. A size that no rung could run is an error here; one that this rung cannot run gives a
/// skipped row later.
pub fn with_checked_workgroup(gpu: &Gpu, job: Job) -> Result<Job, Failure> {
    let why = match job.check(gpu.device.features(), &gpu.device.limits()) {
        Err(halofold::Error::Limit(error)) if WORKGROUP.contains(&error.name) => error.to_string(),
        Err(halofold::Error::Setting(error)) if error.name == "workgroup_size" => error.to_string(),
        _ => return Ok(job),
    };
    Err(Failure::usage(format!("--workgroup: {why}")))
}

pub fn upload(gpu: &Gpu, host: &Host, inputs: Inputs) -> Result<Dataset, Failure> {
    let copies = inputs.copies(&gpu.device, host.bytes().len() as u64).map_err(Failure::usage)?;
    gpu.attempt(|| Ok(Dataset::upload(&gpu.device, &gpu.queue, host, copies)))
}
