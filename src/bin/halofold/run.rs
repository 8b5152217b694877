//! One row: compile, prepare, run, verify, time, verify again.

use std::time::{Duration, Instant};

use halofold::measure::{Budget, Measurement, Peak, Summary};
use halofold::read::Readback;
use halofold::reduce::reference::{self, Expected, Verdict};
use halofold::reduce::{Accumulator, Job, Operator, Output, PlanError, Prepared, Reduction, Workspace};
use halofold::{Element, Value, adapter, wgpu};

use crate::Failure;
use crate::dataset::Dataset;
use crate::gpu::Gpu;
use crate::row::{Row, Status};

/// What all rows of a command share.
pub struct Setting<'a> {
    /// Where they run.
    pub gpu: &'a Gpu,
    /// What this machine's memory can do.
    pub peak: Peak,
    /// How long one may take.
    pub budget: Budget,
}

/// A reduction with everything it needs, ready to be run and read.
pub struct Ready {
    prepared: Prepared,
    job: Job,
    output: wgpu::Buffer,
    readback: Readback,
}

impl Ready {
    /// Compiles a job and binds it to the first `len` elements of a dataset.
    pub fn new(gpu: &Gpu, job: Job, data: &Dataset<'_>, len: u64) -> Result<Self, Failure> {
        gpu.attempt(|| {
            let reduction = Reduction::new(&gpu.device, job).map_err(Failure::usage)?;
            let input = data.input(len);
            let plan = reduction.plan(input.offset, input.len).map_err(Failure::usage)?;
            let workspace = Workspace::new(&gpu.device, &plan);
            let output = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("halofold result"),
                size: plan.output,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let target = Output { buffer: &output, offset: 0 };
            let prepared =
                reduction.prepare(&gpu.device, input, target, &workspace).map_err(Failure::usage)?;
            let readback = Readback::new(&gpu.device, plan.output);
            Ok(Ready { prepared, job, output, readback })
        })
    }

    /// Runs once and brings the value to the host.
    pub fn value(&self, gpu: &Gpu) -> Result<Value, Failure> {
        gpu.attempt(|| {
            let size = self.prepared.plan().output;
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            self.prepared.encode(&mut encoder);
            self.readback.encode(&mut encoder, &self.output, 0, size);
            gpu.queue.submit([encoder.finish()]);
            let bytes = self.readback.wait(&gpu.device, size).map_err(Failure::usage)?;
            let pair = self.job.accumulator;
            Ok(reference::combine_partials(pair.operator, pair.element, &bytes))
        })
    }

    /// Times it on the GPU.
    pub fn measure(&self, gpu: &Gpu, budget: Budget) -> Result<Measurement, Failure> {
        gpu.attempt(|| {
            gpu.timer.measure(budget, &|pass| self.prepared.encode_in_pass(pass)).map_err(Failure::usage)
        })
    }

    /// Times it from submission to the value on the host, in milliseconds.
    fn end_to_end(&self, gpu: &Gpu, budget: Budget) -> Result<f64, Failure> {
        let mut ms = Vec::new();
        let start = Instant::now();
        let limit = budget.total.min(Duration::from_millis(400));
        while ms.len() < 3 || (ms.len() < budget.samples as usize && start.elapsed() < limit) {
            let start = Instant::now();
            self.value(gpu)?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Summary::of(&ms).map_or(f64::NAN, |summary| summary.median))
    }

    fn verify(&self, gpu: &Gpu, expected: &Expected) -> Result<Verdict, Failure> {
        Ok(expected.judge(self.value(gpu)?, self.prepared.plan().depth))
    }
}

/// What an operator makes of an element type, if this adapter can compute with it at all.
pub fn accumulator(gpu: &Gpu, operator: Operator, element: Element) -> Result<Accumulator, Failure> {
    let accumulator = operator
        .over(element)
        .ok_or_else(|| Failure::Usage(format!("`{operator}` is not defined for {element}")))?;
    match accumulator.features() - gpu.device.features() {
        missing if missing.is_empty() => Ok(accumulator),
        missing => Err(Failure::Usage(format!(
            "`{operator}` of {element} needs {}, which {} lacks",
            adapter::feature_names(missing),
            gpu.info.name
        ))),
    }
}

/// Checks the workgroup that was asked for. What no rung could run is an error here; what one of them cannot is a
/// skipped row later.
pub fn with_checked_workgroup(gpu: &Gpu, job: Job) -> Result<Job, Failure> {
    match job.check(&gpu.device.limits()) {
        Err(error @ (PlanError::WorkgroupNotPowerOfTwo(_) | PlanError::WorkgroupTooLarge { .. })) => {
            Err(Failure::Usage(format!("--workgroup: {error}")))
        }
        _ => Ok(job),
    }
}

/// The row of a job before it has run.
pub fn blank(setting: &Setting<'_>, job: &Job, n: u64) -> Row {
    Row {
        preset: None,
        row: None,
        rung: job.rung.name.to_owned(),
        finish: Some(job.finish.name().to_owned()),
        element: job.accumulator.element.name().to_owned(),
        op: job.accumulator.operator.name().to_owned(),
        n,
        workgroup_size: Some(job.tuning.workgroup_size),
        workgroups: None,
        dispatches: None,
        gpu_ms_median: None,
        gpu_ms_min: None,
        gpu_ms_iqr: None,
        wall_ms_median: None,
        gb_per_s: None,
        percent_of_read_peak: None,
        step_speedup: None,
        cumulative_speedup: None,
        published_ms: None,
        published_gb_s: None,
        status: Status::Skipped,
        reason: None,
        timing: None,
        adapter: setting.gpu.info.name.clone(),
        backend: setting.gpu.info.backend.to_string(),
        versus_cpu: None,
    }
}

/// Runs a job over the first `len` elements: a row that passed, failed or was skipped.
///
/// # Errors
///
/// Only what ends the whole command: a lost device, memory that ran out.
pub fn row(
    setting: &Setting<'_>,
    job: Job,
    data: &Dataset<'_>,
    len: u64,
    expected: &Expected,
) -> Result<Row, Failure> {
    let gpu = setting.gpu;
    let mut row = blank(setting, &job, len);
    let runnable =
        job.supported_by(gpu.device.features()).and_then(|()| Ok(job.check(&gpu.device.limits())?));
    if let Err(error) = runnable {
        row.reason = Some(error.to_string());
        return Ok(row);
    }
    let ready = Ready::new(gpu, job, data, len)?;
    let plan = ready.prepared.plan();
    row.workgroups = Some(plan.workgroups());
    row.dispatches = Some(plan.passes.len() as u64);
    if !record(&mut row, ready.verify(gpu, expected)?) {
        return Ok(row);
    }
    let measured = ready.measure(gpu, setting.budget)?;
    row.wall_ms_median = Some(ready.end_to_end(gpu, setting.budget)?);
    let summary = measured.summary();
    row.gpu_ms_median = Some(summary.median);
    row.gpu_ms_min = Some(summary.min);
    row.gpu_ms_iqr = Some(summary.iqr);
    row.timing = Some(measured.timing.name().to_owned());
    let gb_per_s = (len * job.accumulator.element.size()) as f64 / 1e6 / summary.median;
    row.gb_per_s = Some(gb_per_s);
    row.percent_of_read_peak = Some(100.0 * gb_per_s / setting.peak.read_gb_per_s);
    record(&mut row, ready.verify(gpu, expected)?);
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
                Some("partial results of this data leave the type's range in some orders: nothing to verify against".to_owned());
        }
    }
    row.status == Status::Pass
}
