//! A whole grid on one GPU: two buffers, and the steps between them.

use std::ops::Range;

use halofold::read::Readback;
use halofold::reduce::Accuracy;
use halofold::stencil::slab::Change;
use halofold::stencil::{
    Config, Convergence, Grids, Jacobi, Outcome, Stepper, Tuning, Until, Variant, Weights,
};
use halofold::wgpu::{Buffer, CommandEncoder, CommandEncoderDescriptor, ComputePass};
use halofold::{Compiled, adapter};

use crate::download::download;
use crate::error::WorkerError;
use crate::error_scopes::in_error_scopes;
use crate::grid_state::{GridState, Sink, StepError, steps_of_submission};
use crate::worker::{Cells, Member, filled, two_filled};

/// Records commands into a pass.
pub type Record<'a> = &'a dyn Fn(&mut ComputePass<'_>);

/// Submits a pass, waits for it, and returns the milliseconds that it took on the GPU, if that is measured.
pub type Submit<'a> = &'a dyn Fn(Record<'_>) -> Result<Option<f64>, StepError>;

/// Bytes of the result of a check, at most.
const RESULT: u64 = 4096;

/// The commands that are recorded.
enum Steps {
    /// A number of steps, by the stepper that begins in the first buffer or by the one that begins in the second.
    All(Box<[Stepper; 2]>),
    /// Until a condition holds.
    Until(Box<Convergence>),
}

/// The grid on one GPU, and the kernel that steps it. Checks of a condition stay on the GPU, so that a submission makes many.
pub struct OneGpu<'a> {
    member: Member,
    submit: Submit<'a>,
    config: Config,
    buffers: [Buffer; 2],
    steps: Steps,
    /// The stencil of a run whose checks add up squares by floats: the last one is made again without rounding.
    rounded: Option<Compiled<Jacobi>>,
    /// After an even number of steps the first buffer holds the grid.
    outcome: Outcome,
    /// Of the result of a check.
    readback: Readback,
}

impl<'a> OneGpu<'a> {
    /// Compiles a stencil, whose run ends by a condition if there is one, and uploads its grid and its right-hand side. `submit` runs the steps.
    ///
    /// # Errors
    ///
    /// - The device lacks a limit or a feature, or is lost.
    /// - The cells cannot be read, or a right-hand side is missing.
    pub fn new(
        member: Member,
        submit: Submit<'a>,
        (config, weights, until): (Config, Weights, Option<Until>),
        (cells, rhs): (Cells<'_>, Option<Cells<'_>>),
    ) -> Result<Self, WorkerError> {
        let device = member.device.clone();
        in_error_scopes(&device, || {
            let jacobi = Compiled::new(&device, Jacobi::new(config, weights), &Default::default())?;
            let config = *jacobi.config();
            let (buffers, _) = two_filled(&member, config.bytes(), cells)?;
            let rhs = rhs.map(|cells| filled(&member, config.bytes(), cells)).transpose()?;
            let [first, second] = &buffers;
            let grids = |source, target| {
                let grids = Grids::new(source, target);
                rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs))
            };
            let steps = match until {
                None => Steps::All(Box::new([
                    jacobi.bind(grids(first, second))?,
                    jacobi.bind(grids(second, first))?,
                ])),
                Some(until) => Steps::Until(Box::new(jacobi.bind_until(grids(first, second), until)?)),
            };
            let is_rounded = until.is_some_and(|until| until.accuracy == Accuracy::Fast);
            let rounded = is_rounded.then_some(jacobi);
            let readback = Readback::new(&device, RESULT);
            Ok(OneGpu { member, submit, config, buffers, steps, rounded, outcome: Outcome::NONE, readback })
        })
    }

    /// The content of a small buffer.
    fn result(&self, buffer: &Buffer) -> Result<Vec<u8>, WorkerError> {
        in_error_scopes(&self.member.device, || {
            let encode =
                |encoder: &mut CommandEncoder| self.readback.encode(encoder, buffer, 0, buffer.size());
            encoded(&self.member, encode)?;
            Ok(self.readback.wait(buffer.size())?)
        })
    }
}

impl GridState for OneGpu<'_> {
    /// The condition is the one that it was compiled for.
    fn advance(&mut self, steps: u32, _: Option<&Until>) -> Result<Option<f64>, StepError> {
        let done = self.outcome.steps;
        let ms = (self.submit)(&|pass| match &self.steps {
            Steps::All(steppers) => steppers[done as usize % 2].encode_in_pass(pass, steps),
            Steps::Until(run) => run.encode_in_pass(pass, done..done.saturating_add(steps)),
        })?;
        match &self.steps {
            Steps::All(_) => self.outcome.steps += steps,
            Steps::Until(run) => self.outcome = Convergence::parse(&self.result(run.outcome())?),
        }
        Ok(ms)
    }

    fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// A time-blocked kernel likes an even number of full passes.
    fn batch(&self, until: Option<&Until>) -> u32 {
        let unit = match self.config.steps_per_pass() {
            1 => 1,
            steps => 2 * steps,
        };
        let is_software = adapter::is_software(&self.member.device.adapter_info());
        steps_of_submission(&self.config, unit, until, is_software)
    }

    fn end(&mut self) -> Result<(), StepError> {
        let Some(jacobi) = self.rounded.as_ref().filter(|_| self.outcome.steps > 0) else { return Ok(()) };
        let check = in_error_scopes(&self.member.device, || {
            let check = jacobi.check_change(self.buffers.each_ref()).ok();
            if let Some((parts, _)) = &check {
                encoded(&self.member, |encoder| parts.iter().for_each(|part| part.encode(encoder)));
            }
            Ok(check)
        })?;
        // Without 64-bit integers there is none of f64.
        let Some((_, found)) = check else { return Ok(()) };
        let change = Change::parse(&self.result(&found)?);
        self.outcome.l2 = change.map_or(self.outcome.l2, |change| change.l2());
        Ok(())
    }

    fn read(&self, range: Range<u64>, sink: Sink<'_>) -> Result<(), StepError> {
        let Member { device, queue } = &self.member;
        let grid = &self.buffers[self.outcome.steps as usize % 2];
        Ok(in_error_scopes(device, || download(device, queue, grid, range, sink))?)
    }

    fn kernel(&self) -> (&'static Variant, Tuning) {
        (self.config.variant, self.config.tuning)
    }
}

/// Records commands and submits them.
fn encoded<T>(member: &Member, record: impl FnOnce(&mut CommandEncoder) -> T) -> T {
    let mut encoder = member.device.create_command_encoder(&CommandEncoderDescriptor::default());
    let recorded = record(&mut encoder);
    member.queue.submit([encoder.finish()]);
    recorded
}
