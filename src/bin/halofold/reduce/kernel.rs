//! One operator over one element type, compiled, with the memory it works in.

use std::error::Error;

use halofold::read::Readback;
use halofold::reduce::{
    Finish, Input, Job, Operator, Output, Prepared, ReduceError, Reduction, Rung, Tuning, Workspace,
    reference,
};
use halofold::{Element, Value, wgpu};

use crate::Failure;
use crate::gpu::Gpu;

/// The rung that files go through: the fastest for much data.
const RUNG: &str = "vectorized";

/// A compiled operator, used for one piece after the other.
pub struct Kernel {
    reduction: Reduction,
    workspace: Workspace,
    output: wgpu::Buffer,
    readback: Readback,
    /// The last length it was prepared for: all pieces but the last of a file are equally long.
    prepared: Option<(u64, Prepared)>,
}

/// What the GPU made of a piece.
pub struct Outcome {
    /// The result.
    pub value: Value,
    /// Additions on the longest way from an element to it.
    pub depth: u64,
    /// How long it took, if this adapter tells.
    pub gpu_ms: Option<f64>,
}

/// The job of an operator over an element type, tuned for pieces of `bytes`, if the device can do it.
pub fn job(gpu: &Gpu, operator: Operator, element: Element, bytes: u64) -> Result<Job, Box<dyn Error>> {
    let rung = Rung::named(RUNG)?;
    let limits = gpu.device.limits();
    let job = Job {
        rung,
        accumulator: operator.over(element).ok_or(ReduceError::Undefined { operator, element })?,
        tuning: Tuning::of(rung, &limits, bytes / element.size()),
        finish: Finish::OneWorkgroup,
    };
    job.check(&limits)?;
    job.supported_by(gpu.device.features())?;
    Ok(job)
}

impl Kernel {
    /// Compiles a job, for pieces of up to `most` elements.
    pub fn new(gpu: &Gpu, job: Job, most: u64) -> Result<Self, Failure> {
        gpu.attempt(|| {
            let reduction = Reduction::new(&gpu.device, job).map_err(Failure::usage)?;
            let plan = reduction.plan(0, most).map_err(Failure::usage)?;
            let output = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("halofold result"),
                size: plan.output,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            let workspace = Workspace::new(&gpu.device, &plan);
            let readback = Readback::new(&gpu.device, plan.output);
            Ok(Kernel { reduction, workspace, output, readback, prepared: None })
        })
    }

    /// Whether it is the one for this operator and element type.
    pub fn is(&self, operator: Operator, element: Element) -> bool {
        let accumulator = &self.reduction.job().accumulator;
        (accumulator.operator, accumulator.element) == (operator, element)
    }

    /// Reduces a piece, always in the same buffer, and brings the value to the host.
    pub fn reduce(&mut self, gpu: &Gpu, piece: Input<'_>) -> Result<Outcome, Failure> {
        gpu.attempt(|| {
            let prepared = match self.prepared.take() {
                Some((len, prepared)) if len == piece.len => prepared,
                _ => self.prepare(gpu, piece)?,
            };
            let gpu_ms = gpu.timer.once(&|pass| prepared.encode_in_pass(pass)).map_err(Failure::usage)?;
            let plan = prepared.plan();
            let outcome = Outcome { value: self.value(gpu, plan.output)?, depth: plan.depth, gpu_ms };
            self.prepared = Some((piece.len, prepared));
            Ok(outcome)
        })
    }

    fn prepare(&self, gpu: &Gpu, piece: Input<'_>) -> Result<Prepared, Failure> {
        let output = Output { buffer: &self.output, offset: 0 };
        self.reduction.prepare(&gpu.device, piece, output, &self.workspace).map_err(Failure::usage)
    }

    /// Reads the result.
    fn value(&self, gpu: &Gpu, size: u64) -> Result<Value, Failure> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.readback.encode(&mut encoder, &self.output, 0, size).map_err(Failure::usage)?;
        gpu.queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(&gpu.device, size).map_err(Failure::usage)?;
        let accumulator = &self.reduction.job().accumulator;
        Ok(reference::combine_partials(accumulator.operator, accumulator.element, &bytes)
            .expect("an accumulator's pair is defined"))
    }
}
