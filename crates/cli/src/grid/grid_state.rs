//! A grid on the GPU, or on several.
//!
//! Here is the grid on one: two buffers, and the steps between them. `team_state` has it on several.

use std::io;
use std::ops::Range;

use halofold::read::Readback;
use halofold::reduce::Accuracy;
use halofold::stencil::slab::Change;
use halofold::stencil::{
    Config, Convergence, Grids, Jacobi, Outcome, Stepper, Tuning, Until, Variant, Weights,
};
use halofold::wgpu;
use halofold_fleet::{Cells, download, upload};

use super::report::Together;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// Bytes that the passes of a submission read and write, on GPUs and on processors: a part of a second on a slow one, and a hundred times the pause
/// between two submissions on a fast one.
const SUBMISSION: u64 = 16 << 30;
const SOFTWARE_SUBMISSION: u64 = 256 << 20;

/// The most steps of a submission: recording them takes the host's time and memory.
pub const MOST_STEPS: u32 = 1 << 14;

/// The most checks of a submission: what is recorded behind the end of a run takes time all the same.
const MOST_CHECKS: u32 = 256;

/// Returns the steps of a submission, in units of `unit` steps. With a condition, single steps are passes of their own.
pub fn steps_of_submission(config: &Config, unit: u32, until: Option<&Until>, is_software: bool) -> u32 {
    let (bytes, steps) = match (is_software, until) {
        (true, _) => (SOFTWARE_SUBMISSION, 1),
        (false, Some(_)) => (SUBMISSION, 1),
        (false, None) => (SUBMISSION, config.steps_per_pass()),
    };
    let passes = bytes / (2 * config.bytes()).max(1);
    let steps = passes.saturating_mul(steps.into()).min(MOST_STEPS.into()) as u32;
    let (unit, most) = until.map_or((unit.max(1), u32::MAX), |until| (until.every, MOST_CHECKS));
    (steps / unit).clamp(1, most) * unit
}

/// The commands that are recorded.
enum Steps {
    /// As many as are asked for: from the first buffer on, and from the second one on.
    All(Box<[Stepper; 2]>),
    /// No more than it takes.
    Until(Box<Convergence>),
}

/// A grid that is stepped.
pub trait GridState {
    /// Makes some steps, or fewer if a check after every [`Until::every`] ends the run. Returns milliseconds on the GPU, if it has timestamps. The
    /// condition is the same every time.
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, Failure>;

    /// The steps done, and the result of the last check.
    fn outcome(&self) -> Outcome;

    /// The steps that one call makes: as many as take a part of a second.
    fn batch(&self, until: Option<&Until>) -> u32;

    /// Waits for all steps. At the end of a run with a condition the root of the sum of all squared changes becomes that of the exact sum.
    fn end(&mut self) -> Result<(), Failure>;

    /// Passes some bytes of the grid, or of the layers that are this process's, to `sink`, in pieces and in order.
    fn read(&self, range: Range<u64>, sink: Sink<'_>) -> Result<(), Failure>;

    /// The kernel that steps it, and the kernel's tuning.
    fn kernel(&self) -> (&'static Variant, Tuning);

    /// The cut of a grid that several share.
    fn together(&self) -> Option<Together> {
        None
    }
}

/// Takes pieces of a grid.
pub type Sink<'a> = &'a mut dyn FnMut(&[u8]) -> io::Result<()>;

impl dyn GridState + '_ {
    /// Some bytes of the grid.
    pub fn bytes(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::with_capacity((range.end - range.start) as usize);
        self.read(range, &mut |piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Writes some bytes of the grid to a file; `failed` makes a failure of an error of the file.
    pub fn write(
        &self,
        range: Range<u64>,
        mut file: impl io::Write,
        failed: impl FnOnce(io::Error) -> Failure,
    ) -> Result<(), Failure> {
        let mut error = None;
        let read = self.read(range, &mut |piece| {
            file.write_all(piece).map_err(|found| {
                let kind = found.kind();
                error = Some(found);
                kind.into()
            })
        });
        error.map_or(read, |error| Err(failed(error)))
    }
}

/// The grid on one GPU, and the kernel that steps it.
pub struct OneGpu<'a> {
    gpu: &'a Gpu,
    config: Config,
    buffers: [wgpu::Buffer; 2],
    steps: Steps,
    /// The stencil of a run whose checks add up squares by floats: the last one is made again without rounding.
    rounded: Option<Jacobi>,
    /// After an even number of steps the first buffer holds the grid.
    outcome: Outcome,
    /// Of the result of a check.
    readback: Readback,
}

/// Bytes of the result of a check, at most.
const RESULT: u64 = 4096;

impl<'a> OneGpu<'a> {
    /// Compiles a stencil and uploads its grid and its right-hand side.
    pub fn new(
        gpu: &'a Gpu,
        (config, weights, until): (Config, Weights, Option<Until>),
        cells: Cells<'_>,
        rhs: Option<Cells<'_>>,
    ) -> Result<Self, Failure> {
        let Gpu { device, queue, .. } = gpu;
        gpu.attempt(|| {
            let jacobi = Jacobi::new(device, config, weights).map_err(Failure::usage)?;
            let (config, bytes) = (*jacobi.config(), config.bytes());
            let buffer = |cells: Option<Cells<'_>>| {
                let buffer = buffer(gpu, bytes.next_multiple_of(4));
                let uploaded = cells.map_or(Ok(()), |cells| upload(device, queue, &buffer, bytes, cells));
                uploaded.map(|()| buffer).map_err(Failure::usage)
            };
            let buffers = [buffer(Some(cells))?, buffer(None)?];
            let rhs = rhs.map(|cells| buffer(Some(cells))).transpose()?;
            // Fixed cells are never written: the second buffer needs them too.
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&buffers[0], 0, &buffers[1], 0, buffers[0].size());
            queue.submit([encoder.finish()]);
            let [first, second] = &buffers;
            let grids = |source, target| {
                let grids = Grids::new(source, target);
                rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs))
            };
            let prepare = |grids| jacobi.prepare(grids).map_err(Failure::usage);
            let conditional =
                |until| jacobi.prepare_until(grids(first, second), until).map_err(Failure::usage);
            let steps = match until {
                None => {
                    Steps::All(Box::new([prepare(grids(first, second))?, prepare(grids(second, first))?]))
                }
                Some(until) => Steps::Until(Box::new(conditional(until)?)),
            };
            let is_rounded = until.is_some_and(|until| until.accuracy == Accuracy::Fast);
            let rounded = is_rounded.then_some(jacobi);
            let readback = Readback::new(device, RESULT);
            Ok(OneGpu { gpu, config, buffers, steps, rounded, outcome: Outcome::NONE, readback })
        })
    }

    /// The content of a small buffer.
    fn result(&self, buffer: &wgpu::Buffer) -> Result<Vec<u8>, Failure> {
        let OneGpu { gpu, readback, .. } = self;
        gpu.attempt(|| {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            readback.encode(&mut encoder, buffer, 0, buffer.size()).map_err(Failure::usage)?;
            gpu.queue.submit([encoder.finish()]);
            readback.wait(buffer.size()).map_err(Failure::usage)
        })
    }
}

impl GridState for OneGpu<'_> {
    /// The condition is the one that it was compiled for.
    fn advance(&mut self, steps: u32, _: Option<&Until>) -> Result<Option<f64>, Failure> {
        let OneGpu { gpu, outcome: Outcome { steps: done, .. }, .. } = *self;
        let ms = gpu.attempt(|| {
            let record = |pass: &mut wgpu::ComputePass<'_>| match &self.steps {
                Steps::All(steppers) => steppers[done as usize % 2].encode_in_pass(pass, steps),
                Steps::Until(run) => run.encode_in_pass(pass, done..done.saturating_add(steps)),
            };
            gpu.timer.once(&record).map_err(Failure::usage)
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
        steps_of_submission(&self.config, unit, until, self.gpu.is_software())
    }

    fn end(&mut self) -> Result<(), Failure> {
        let Some(jacobi) = self.rounded.as_ref().filter(|_| self.outcome.steps > 0) else { return Ok(()) };
        let OneGpu { gpu, buffers, .. } = self;
        let check = gpu.attempt(|| {
            let check = jacobi.check_change(buffers.each_ref()).ok();
            if let Some((check, _)) = &check {
                let mut encoder =
                    gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
                check.iter().for_each(|part| part.encode(&mut encoder));
                gpu.queue.submit([encoder.finish()]);
            }
            Ok(check)
        })?;
        // Without 64-bit integers there is none of f64.
        let Some((_, found)) = check else { return Ok(()) };
        let change = Change::parse(&self.result(&found)?);
        self.outcome.l2 = change.map_or(self.outcome.l2, |change| change.l2());
        Ok(())
    }

    fn read(&self, range: Range<u64>, sink: Sink<'_>) -> Result<(), Failure> {
        let OneGpu { gpu, buffers, outcome, .. } = self;
        let grid = &buffers[outcome.steps as usize % 2];
        gpu.attempt(|| download(&gpu.device, &gpu.queue, grid, range, sink).map_err(Failure::usage))
    }

    fn kernel(&self) -> (&'static Variant, Tuning) {
        (self.config.variant, self.config.tuning)
    }
}

fn buffer(gpu: &Gpu, size: u64) -> wgpu::Buffer {
    gpu.device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("halofold grid"),
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}

#[cfg(test)]
mod tests {
    use halofold::Element;
    use halofold::stencil::{FIVE_POINT, Grid};

    use super::*;

    #[test]
    fn submissions_are_whole_units_of_bounded_bytes() {
        let steps = |side, unit, until: Option<&Until>| {
            let config =
                Config::new(&FIVE_POINT, FIVE_POINT.fastest_step(), Element::F32, Grid::plane(side, side));
            steps_of_submission(&config, unit, until, false)
        };
        assert_eq!([steps(16_384, 1, None), steps(16_384, 3, None), steps(16_384, 48, None)], [8, 6, 48]);
        assert_eq!([steps(8, 1, None), steps(8, 1000, None)], [MOST_STEPS, 16_000]);
        let until = |every| Until::new(1.0).with_every(every);
        assert_eq!([5, 1].map(|every| steps(16_384, 1, Some(&until(every)))), [5, 8]);
        assert_eq!(steps(8, 1, Some(&until(10))), 2560);
    }
}
