//! One reduction with everything it needs, ready to be run, read and timed repeatedly.
use halofold::Slice;
use halofold::read::{ReadError, Readback};
use halofold::reduce::reference::{self, Expected, Verdict};
use halofold::reduce::{Answer, Arity, Plan, Prepared, ReduceError, Workspace};
use wgpu::{Buffer, BufferUsages, Device, Queue};

use crate::buffer::buffer;
use crate::{Job, Rotation};

/// A job bound to its inputs, which repetitions read in turn, with an output of its own that the host can read.
#[derive(Debug)]
pub struct BoundRun {
    prepared: Rotation<Prepared>,
    job: Job,
    len: u64,
    output: wgpu::Buffer,
    readback: Readback,
}

impl BoundRun {
    /// Compiles a job, plans it for an input and allocates what it needs.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`] and of the plan; a buffer that is too short or lacks a usage.
    pub fn new(device: &Device, job: Job, input: Slice<'_>) -> Result<Self, ReduceError> {
        Self::rotating(device, job, input, &[])
    }

    /// The same over several inputs of one length and one offset, the first of which sets both: every repetition reads the next one.
    ///
    /// # Errors
    ///
    /// As [`BoundRun::new`].
    pub fn rotating(
        device: &Device,
        job: Job,
        first: Slice<'_>,
        others: &[&Buffer],
    ) -> Result<Self, ReduceError> {
        let reducer = job.reducer(device)?;
        let is_pair = reducer.monoid().arity() == Arity::Two;
        let described = |input| {
            let reduction = reducer.of(input);
            if is_pair { reduction.and(input) } else { reduction }
        };
        let plan = described(first).plan()?;
        let workspace = Workspace::new(device, &plan);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let output = buffer(device, "halofold::measure::result", plan.output(), usage);
        let prepare = |buffer| {
            described(Slice::new(buffer, first.offset(), first.size())).workspace(&workspace).into(&output)
        };
        let buffers = [first.buffer()].into_iter().chain(others.iter().copied());
        let prepared = buffers.map(prepare).collect::<Result<Vec<_>, _>>()?;
        let readback = Readback::new(device, plan.output() * prepared.len() as u64);
        let prepared = Rotation::new(prepared).expect("there is a first input");
        let len = first.size() / job.element.size();
        Ok(BoundRun { prepared, job, len, output, readback })
    }

    /// Records one repetition into a pass: over the input whose turn it is.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>) {
        self.prepared.next().encode_in_pass(pass);
    }

    /// The dispatches of one repetition.
    pub fn plan(&self) -> &Plan {
        self.prepared.all()[0].plan()
    }

    /// Runs once, over the input whose turn it is, and brings the result to the host.
    ///
    /// # Errors
    ///
    /// If the device is lost on the way.
    pub fn value(&self, device: &Device, queue: &Queue) -> Result<Answer, ReadError> {
        Ok(self.run(device, queue, &[self.prepared.next()])?[0])
    }

    /// Runs once over every input and brings the results to the host.
    ///
    /// # Errors
    ///
    /// If the device is lost on the way.
    pub fn values(&self, device: &Device, queue: &Queue) -> Result<Vec<Answer>, ReadError> {
        self.run(device, queue, &self.prepared.all().iter().collect::<Vec<_>>())
    }

    /// Runs once over every input and holds each value against the reference's: the first verdict that is not right, if any.
    ///
    /// # Errors
    ///
    /// If the device is lost on the way.
    pub fn verify(&self, device: &Device, queue: &Queue, expected: &Expected) -> Result<Verdict, ReadError> {
        let depth = self.plan().depth();
        let mut verdicts = self.values(device, queue)?.into_iter().map(|value| expected.judge(value, depth));
        Ok(verdicts.find(|verdict| !matches!(verdict, Verdict::Right)).unwrap_or(Verdict::Right))
    }

    /// Runs some of the reductions in one submission, each followed by the copy of its result.
    fn run(&self, device: &Device, queue: &Queue, some: &[&Prepared]) -> Result<Vec<Answer>, ReadError> {
        let size = self.plan().output();
        let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (at, prepared) in (0..).step_by(size as usize).zip(some) {
            prepared.encode(&mut encoder);
            self.readback.encode_behind(at, &mut encoder, &self.output, 0, size)?;
        }
        queue.submit([encoder.finish()]);
        let bytes = self.readback.wait(size * some.len() as u64)?;
        let Job { op, element, .. } = self.job;
        let answer = |bytes| {
            let is_partial = self.plan().leaves_partials();
            let combined = is_partial.then(|| reference::combine(op, element, bytes, self.len)).flatten();
            combined.or_else(|| op.read(element, bytes).first().copied())
        };
        let answers = bytes.chunks_exact(size as usize).map(answer);
        Ok(answers.collect::<Option<_>>().expect("a job's operator is defined for its element type"))
    }
}
