//! A grid on the GPU, or on several.
//!
//! Here is the grid on one: two buffers, and the steps between them. `team_state` has it on several.

use std::ops::Range;
use std::time::Duration;

use halofold::read::Readback;
use halofold::reduce::Accuracy;
use halofold::stencil::slab::Change;
use halofold::stencil::{Config, Convergence, Grids, Jacobi, Outcome, Stepper, Until, Weights};
use halofold::wgpu;

use super::report::Together;
use crate::failure::Failure;
use crate::gpu::Gpu;

/// Bytes that are read back at once: each piece passes through a buffer that the host can map.
const PIECE: u64 = 64 << 20;

/// The same at least: the result of a check fits.
const SMALLEST_READ: u64 = 4096;

/// The commands that are recorded.
enum Steps {
    /// As many as are asked for: from the first buffer on, and from the second one on.
    All(Box<[Stepper; 2]>),
    /// No more than it takes.
    Until(Box<Convergence>),
}

/// A grid that is stepped.
pub trait GridState {
    /// Makes some steps, or fewer if a check after every [`Until::every`] ends the run, and waits for them. Returns milliseconds on the
    /// GPU, if it has timestamps. The condition is the same every time.
    fn advance(&mut self, steps: u32, until: Option<&Until>) -> Result<Option<f64>, Failure>;

    /// The steps done, and the result of the last check.
    fn outcome(&self) -> Outcome;

    /// The steps from one exchange of faces to the next, or those that the kernel makes at once.
    fn depth(&self) -> u32;

    /// Ends a run with a condition: the root of the sum of all squared changes becomes that of the exact sum.
    fn end(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Reads some bytes of the grid, or of the layers that are this process's.
    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Failure>;

    /// The cut of a grid that several may share.
    fn together(&self) -> Option<Together> {
        None
    }

    /// The time that the last steps took, the same for all processes; `took` is this process's.
    fn took(&self, took: Duration) -> Duration {
        took
    }
}

/// The grid on one GPU, and the kernel that steps it.
pub struct OneGpu<'a> {
    gpu: &'a Gpu,
    buffers: [wgpu::Buffer; 2],
    steps: Steps,
    /// The steps of a pass.
    depth: u32,
    /// The stencil of a run whose checks add up squares by floats: the last one is made again without rounding.
    rounded: Option<Jacobi>,
    /// After an even number of steps the first buffer holds the grid.
    outcome: Outcome,
    readback: Readback,
}

impl<'a> OneGpu<'a> {
    /// Compiles a stencil and uploads its grid and its right-hand side.
    pub fn new(
        gpu: &'a Gpu,
        config: Config,
        weights: Weights,
        until: Option<Until>,
        cells: &[u8],
        rhs: Option<&[u8]>,
    ) -> Result<Self, Failure> {
        gpu.attempt(|| {
            let jacobi = Jacobi::new(&gpu.device, config, weights).map_err(Failure::usage)?;
            let depth = jacobi.config().steps_per_pass();
            let size = (cells.len() as u64).next_multiple_of(4);
            let buffers = [buffer(gpu, size), buffer(gpu, size)];
            gpu.write(&buffers[0], cells);
            // Fixed cells are never written: the second buffer needs them too.
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            encoder.copy_buffer_to_buffer(&buffers[0], 0, &buffers[1], 0, size);
            gpu.queue.submit([encoder.finish()]);
            let rhs = rhs.map(|cells| {
                let buffer = buffer(gpu, size);
                gpu.write(&buffer, cells);
                buffer
            });
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
            let readback = Readback::new(&gpu.device, size.clamp(SMALLEST_READ, PIECE));
            Ok(OneGpu { gpu, buffers, steps, depth, rounded, outcome: Outcome::NONE, readback })
        })
    }

    fn copy(&self, source: &wgpu::Buffer, offset: u64, size: u64) -> Result<Vec<u8>, Failure> {
        let OneGpu { gpu, readback, .. } = self;
        gpu.attempt(|| {
            let mut encoder = gpu.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            readback.encode(&mut encoder, source, offset, size).map_err(Failure::usage)?;
            gpu.queue.submit([encoder.finish()]);
            readback.wait(size).map_err(Failure::usage)
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
            Steps::Until(run) => {
                self.outcome = Convergence::parse(&self.copy(run.outcome(), 0, Convergence::OUTCOME_SIZE)?);
            }
        }
        Ok(ms)
    }

    fn outcome(&self) -> Outcome {
        self.outcome
    }

    fn depth(&self) -> u32 {
        self.depth
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
        let found = self.copy(&found, 0, found.size())?;
        self.outcome.l2 = Change::parse(&found).map_or(self.outcome.l2, |change| change.l2());
        Ok(())
    }

    fn read(&self, range: Range<u64>) -> Result<Vec<u8>, Failure> {
        // Copies are of whole words; a plane of 16-bit floats may begin or end inside one.
        let (start, end) = (range.start / 4 * 4, range.end.next_multiple_of(4));
        let mut bytes = Vec::with_capacity((end - start) as usize);
        let grid = &self.buffers[self.outcome.steps as usize % 2];
        for offset in (start..end).step_by(PIECE as usize) {
            bytes.extend(self.copy(grid, offset, PIECE.min(end - offset))?);
        }
        bytes.truncate((range.end - start) as usize);
        bytes.drain(..(range.start - start) as usize);
        Ok(bytes)
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
