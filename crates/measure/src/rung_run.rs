//! A rung bound to its inputs, with its expected result.

use std::time::{Duration, Instant};

use halofold::read::{ReadError, Readback};
use halofold::reduce::reference::{self, Expected};
use halofold::reduce::{Arity, Both, Bound, Plan, Scalar};
use halofold::{Slice, Workspace};
use wgpu::{Buffer, BufferUsages, ComputePass, Device};

use crate::buffer::buffer;
use crate::{
    Budget, Job, LadderWork, MeasureError, Meter, Peak, Rejection, Rotation, Row, Sampler, Subject, Summary,
    Timer, Timing, significant,
};

/// Time limit of all end-to-end samples.
const MOST_END_TO_END: Duration = Duration::from_millis(400);

/// A job bound to inputs, which repetitions read in turn, and to an output that the host can read.
#[derive(Debug)]
pub struct RungRun<'a> {
    prepared: Rotation<Bound>,
    plan: Plan,
    job: Job,
    bytes: u64,
    output: Buffer,
    readback: Readback,
    expected: &'a Expected,
}

impl<'a> RungRun<'a> {
    /// Compiles a job, plans it for an input, and binds it to the input and its copies. Each repetition reads the next copy; all have the
    /// input's length and offset.
    ///
    /// # Errors
    ///
    /// Those of [`Job::check`] and of the plan, and a buffer that is too short or lacks a usage.
    pub fn new(
        device: &Device,
        job: Job,
        input: Slice<'_>,
        copies: &[&Buffer],
        expected: &'a Expected,
    ) -> Result<Self, MeasureError> {
        let reducer = job.reducer(device)?;
        let is_pair = reducer.operation().monoid().arity() == Arity::Two;
        let described = |input| {
            if is_pair { reducer.of(Both { first: input, second: input }) } else { reducer.of(input) }
        };
        let bytes = input.size();
        let plan = described(input).plan()?;
        let workspace = Workspace::new(device);
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let output = buffer(device, "halofold::measure::result", plan.output(), usage);
        let prepare =
            |buffer| described(Slice::new(buffer, input.offset(), bytes)).workspace(&workspace).bind(&output);
        let buffers = [input.buffer()].into_iter().chain(copies.iter().copied());
        let prepared = buffers.map(prepare).collect::<Result<Vec<_>, _>>()?;
        let readback = Readback::new(device, plan.output() * prepared.len() as u64);
        let prepared = Rotation::new(prepared).expect("there is an input");
        Ok(RungRun { prepared, plan, job, bytes, output, readback, expected })
    }

    /// Runs once over the next input, and reads the result.
    pub fn value(&self, timer: &Timer) -> Result<Scalar, ReadError> {
        Ok(self.run(timer, &[self.prepared.next()])?[0])
    }

    /// Runs once over every input, and reads the results.
    pub fn values(&self, timer: &Timer) -> Result<Vec<Scalar>, ReadError> {
        self.run(timer, &self.prepared.all().iter().collect::<Vec<_>>())
    }

    /// Runs some reductions in one submission, each followed by a copy of its result.
    fn run(&self, timer: &Timer, some: &[&Bound]) -> Result<Vec<Scalar>, ReadError> {
        let size = self.plan.output();
        let mut encoder = timer.device().create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        for (at, prepared) in (0..).step_by(size as usize).zip(some) {
            prepared.encode(&mut encoder);
            self.readback.encode_behind(at, &mut encoder, &self.output, 0, size)?;
        }
        timer.queue().submit([encoder.finish()]);
        let bytes = self.readback.wait(size * some.len() as u64)?;
        let Job { op, element, .. } = self.job;
        let answer = |bytes| {
            let len = self.bytes / element.size();
            let is_partial = self.plan.leaves_partials();
            let combined = is_partial.then(|| reference::combine(op, element, bytes, len)).flatten();
            combined.or_else(|| op.read(element, bytes).first().copied())
        };
        let answers = bytes.chunks_exact(size as usize).map(answer);
        Ok(answers.collect::<Option<_>>().expect("a job's operator is defined for its element type"))
    }

    /// Times the way from submission to the value on the host: the median in milliseconds.
    pub fn end_to_end(&self, timer: &Timer, budget: Budget) -> Result<f64, MeasureError> {
        let mut ms = Vec::new();
        let start = Instant::now();
        let limit = budget.total.min(MOST_END_TO_END);
        while ms.len() < 3 || (ms.len() < budget.samples as usize && start.elapsed() < limit) {
            let start = Instant::now();
            self.value(timer)?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        Ok(Summary::of(&ms).map_or(f64::NAN, |summary| significant(summary.median)))
    }
}

impl Subject for RungRun<'_> {
    type Work = LadderWork;

    fn encode_in_pass(&self, pass: &mut ComputePass<'_>) {
        self.prepared.next().encode_in_pass(pass);
    }

    /// Runs once over every input.
    fn verify(&self, timer: &Timer) -> Result<(), MeasureError> {
        let depth = self.plan.depth();
        let mut verdicts = self.values(timer)?.into_iter().map(|value| self.expected.judge(value, depth));
        Ok(verdicts.try_for_each(Rejection::check)?)
    }

    fn fill(&self, row: &mut Row, ms: Summary, timing: Timing, peak: Peak) {
        row.set_times(ms, timing, self.bytes, peak.read_gb_per_s);
    }
}

impl Meter<'_> {
    /// Measures a rung over `len` elements. If the device cannot run the job, the row has the reason and `make` is not called.
    ///
    /// # Errors
    ///
    /// Those of [`Meter::measure`].
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
