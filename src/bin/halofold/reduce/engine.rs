//! What reduces the files: compiled kernels, and the memory that pieces pass through.

use std::time::{Duration, Instant};

use halofold::read::Readback;
use halofold::reduce::reference::{self, Verdict};
use halofold::reduce::{
    Finish, Input, Job, Operator, Output, Prepared, ReduceError, Reduction, Rung, Tuning, Workspace,
};
use halofold::{Element, Value, wgpu};

use super::file::Work;
use super::op::Op;
use super::report::Check;
use super::total::Total;
use crate::Failure;
use crate::dataset;
use crate::gpu::Gpu;
use crate::input::Source;

/// Reduces one file after the other, piece by piece.
pub struct Engine<'a> {
    gpu: &'a Gpu,
    /// One for each pair of operator and element that the files need.
    kernels: Vec<Kernel>,
    /// Two pieces on the host, aligned for any element: one is reduced, the next one read.
    host: [Vec<u64>; 2],
    /// The piece on the GPU.
    buffer: wgpu::Buffer,
}

/// What a file gave.
pub struct Tallies {
    /// How many elements it has.
    pub n: u64,
    /// Each operator's.
    pub each: Vec<Tally>,
    /// Time that went into verifying, not into reducing.
    pub verifying: Duration,
}

/// What one operator has made of a file so far.
pub struct Tally {
    /// What is computed.
    pub op: Op,
    /// What the pieces gave.
    pub total: Total,
    /// How long the GPU took; unknown before the first piece, and if it does not tell of every one.
    pub gpu_ms: Option<f64>,
    /// What the CPU says.
    pub check: Check,
}

impl<'a> Engine<'a> {
    /// Checks that the adapter can do all that is asked, and compiles it.
    pub fn new(gpu: &'a Gpu, work: &[Work], ops: &[Op], piece: u64) -> Result<Self, Failure> {
        let jobs = jobs(gpu, work, ops)?;
        // A piece ends at an element of any type.
        let most = piece.min(gpu.device.limits().max_buffer_size) / 8 * 8;
        let largest = work.iter().map(|work| work.bytes.unwrap_or(most)).max().unwrap_or(0);
        let size = most.min(largest).next_multiple_of(8).max(8);
        let kernel = |job: Job| Kernel::new(gpu, job, size / job.accumulator.element.size());
        Ok(Engine {
            gpu,
            kernels: jobs.into_iter().map(kernel).collect::<Result<_, _>>()?,
            host: [vec![0; size as usize / 8], vec![0; size as usize / 8]],
            buffer: gpu.attempt(|| Ok(dataset::input_buffer(gpu, size)))?,
        })
    }

    /// The adapter's name.
    pub fn adapter(&self) -> &str {
        &self.gpu.info.name
    }

    /// Reduces all elements of a file by all operators, and says after each piece how many bytes it had.
    pub fn reduce(
        &mut self,
        source: &mut Source,
        ops: &[Op],
        verify: bool,
        advance: &mut dyn FnMut(u64),
    ) -> Result<Tallies, Failure> {
        let element = source.element();
        let each = ops.iter().map(|&op| Tally::new(op, element, verify)).collect();
        let mut tallies = Tallies { n: 0, each, verifying: Duration::ZERO };
        let Engine { gpu, kernels, host, buffer } = self;
        ahead::pieces(source, host, |piece| {
            gpu.attempt(|| {
                dataset::write(gpu, buffer, piece);
                Ok(())
            })?;
            let input = Input { buffer, offset: 0, len: piece.len() as u64 / element.size() };
            tallies.add(gpu, kernels, element, piece, input)?;
            advance(piece.len() as u64);
            Ok(())
        })?;
        Ok(tallies)
    }
}

XXX
        let input = Input { buffer, offset: 0, len: bytes as u64 / element.size() };
        for tally in &mut tallies.each {
            let operator = tally.op.operator(element);
            // There is one for every operator and element: `jobs` saw to it.
            let Some(kernel) = self.kernels.iter_mut().find(|kernel| kernel.is(operator, element)) else {
                continue;
            };
            let outcome = gpu.attempt(|| kernel.reduce(gpu, input))?;
            if verify {
                let start = Instant::now();
                tally.verify(operator, element, piece, &outcome, tallies.n);
                tallies.verifying += start.elapsed();
            }
            tally.gpu_ms = if tallies.n == 0 {
                outcome.gpu_ms
            } else {
                tally.gpu_ms.zip(outcome.gpu_ms).map(|(so_far, more)| so_far + more)
            };
            tally.total.add(outcome.value);
        }
        Ok(())
    }
}

impl Tally {
    fn new(op: Op, element: Element) -> Self {
        Tally { op, total: Total::new(op, element), gpu_ms: None, check: Check::Unchecked }
    }

    /// Holds the outcome of a piece against the CPU's. The worst that is found stays.
    fn verify(&mut self, operator: Operator, element: Element, piece: &[u8], outcome: &Outcome, first: u64) {
        let verdict = reference::reduce(operator, element, piece)
            .map_or(Verdict::Undecided, |expected| expected.judge(outcome.value, outcome.depth));
        let n = piece.len() as u64 / element.size();
        match (verdict, &self.check) {
            (_, Check::Wrong(_)) | (Verdict::Right, Check::Undecided) => {}
            (Verdict::Right, _) => self.check = Check::Right,
            (Verdict::Undecided, _) => self.check = Check::Undecided,
            (Verdict::Wrong(mismatch), _) => {
                let last = first + n - 1;
                self.check = Check::Wrong(format!("elements {first} to {last}: `{operator}` {mismatch}"));
            }
        }
    }
}

/// The reductions that all files and operators need, each once.
fn jobs(gpu: &Gpu, work: &[Work], ops: &[Op]) -> Result<Vec<Job>, Failure> {
    let mut jobs: Vec<Job> = Vec::new();
    for work in work {
        for op in ops {
            let operator = op.operator(work.element);
            let known = |job: &Job| {
                (job.accumulator.operator, job.accumulator.element) == (operator, work.element)
            };
            if !jobs.iter().any(known) {
                let job = job(gpu, operator, work.element);
                jobs.push(job.map_err(|error| Failure::Usage(format!("{}: {error}", work.path)))?);
            }
        }
    }
    Ok(jobs)
}

/// The job of an operator over an element, if the device can do it.
fn job(gpu: &Gpu, operator: Operator, element: Element) -> Result<Job, Box<dyn std::error::Error>> {
    let rung = Rung::named("vectorized")?;
    let limits = gpu.device.limits();
    let job = Job {
        rung,
        accumulator: operator.over(element).ok_or(ReduceError::Undefined { operator, element })?,
        tuning: Tuning::of(rung, &limits),
        finish: Finish::OneWorkgroup,
    };
    job.check(&limits)?;
    job.supported_by(gpu.device.features())?;
    Ok(job)
}

/// One operator over one element, compiled, with the memory it works in.
struct Kernel {
    reduction: Reduction,
    workspace: Workspace,
    output: wgpu::Buffer,
    readback: Readback,
    /// The last length it was prepared for: all pieces but the last of a file are equally long.
    prepared: Option<(u64, Prepared)>,
}

/// What the GPU made of a piece.
struct Outcome {
    value: Value,
    /// How many additions the plan had on the longest way.
    depth: u64,
    gpu_ms: Option<f64>,
}

impl Kernel {
    /// Compiles a job, for pieces of up to `most` elements.
    fn new(gpu: &Gpu, job: Job, most: u64) -> Result<Self, Failure> {
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

    fn is(&self, operator: Operator, element: Element) -> bool {
        let accumulator = &self.reduction.job().accumulator;
        (accumulator.operator, accumulator.element) == (operator, element)
    }

    /// Reduces a piece that is on the GPU and brings the value to the host.
    fn reduce(&mut self, gpu: &Gpu, input: Input<'_>) -> Result<Outcome, Failure> {
        let prepared = match self.prepared.take() {
            Some((len, prepared)) if len == input.len => prepared,
            _ => {
                let output = Output { buffer: &self.output, offset: 0 };
                self.reduction
                    .prepare(&gpu.device, input, output, &self.workspace)
                    .map_err(Failure::usage)?
            }
        };
        let gpu_ms = gpu.timer.once(&|pass| prepared.encode_in_pass(pass)).map_err(Failure::usage)?;
        let plan = prepared.plan();
        let outcome = Outcome { value: self.value(gpu, plan.output)?, depth: plan.depth, gpu_ms };
        self.prepared = Some((input.len, prepared));
        Ok(outcome)
    }

    /// Reads the result.
    fn value(&self, gpu: &Gpu, size: u64) -> Result<Value, Failure> {
        let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.readback.encode(&mut encoder, &self.output, 0, size);
        gpu.queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(&gpu.device, size).map_err(Failure::usage)?;
        let accumulator = &self.reduction.job().accumulator;
        Ok(reference::combine_partials(accumulator.operator, accumulator.element, &bytes))
    }
}
