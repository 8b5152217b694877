//! Recording Jacobi steps that stop at convergence: see `shaders/stencil/convergence.wgsl`.

use std::ops::Range;
use std::slice::from_ref;

use wgpu::{Buffer, BufferUsages};

use crate::element::Element;
use crate::gpu::blocks::Blocks;
use crate::gpu::error::Error;
use crate::gpu::kernel::PARAMETERS;
use crate::gpu::launch::{self, Dispatch, Recorder};
use crate::gpu::limits::{self, needs};
use crate::gpu::slice::Slice;
use crate::gpu::{Compiled, blocks, buffers};
use crate::reduce::{Accuracy, Bound, BufferRange, Shape};
use crate::stencil::aux_kernels::{self, CONVERGENCE_SLOTS};
use crate::stencil::check;
use crate::stencil::grids::Grids;
use crate::stencil::jacobi::{Jacobi, Stepper};
use crate::stencil::kernels::Kernels;
use crate::stencil::passes::{halted, parameters};
use crate::stencil::residual::{self, Residual};
use crate::stencil::until::{Outcome, Until};

impl Compiled<Jacobi> {
    /// Binds buffers as [`Compiled::bind`] does, for steps that stop once a check finds the residual below epsilon.
    ///
    /// The residual and epsilon are 32-bit floats, and 64-bit floats for grids of `f64`. A residual that is
    /// NaN stops the run as well: see [`Outcome::is_nan`]. This call allocates some small buffers. The first call also compiles: see
    /// [`Compiled::compile_until`]. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// - The errors of [`Compiled::bind`].
    /// - Epsilon is negative or not a number, or checks come after every zero steps.
    /// - The grid has more cells than a reduction can count.
    /// - The additional kernels exceed a limit of the device.
    pub fn bind_until(&self, grids: Grids<'_>, until: Until) -> Result<Convergence, Error> {
        until.check()?;
        let device = self.device();
        let limits = device.limits();
        limits::check(CONVERGENCE_SLOTS, &limits)?;
        let kernels = &self.own.kernels;
        let mut running = parameters(kernels.passes());
        let cells = self.config().grid.cells();
        let count = running.add(u32::try_from(cells).unwrap_or(u32::MAX));
        let mut both = running.clone();
        both.append(&parameters(kernels.passes().map(halted)));
        // A run that has stopped has nothing to reduce.
        both.add(0u32);
        needs!(limits, max_storage_buffer_binding_size, both.size())?;
        // One block for each bit of the number of steps between two checks, and two others.
        let numbers = blocks::offset(u32::BITS as usize + 2);
        needs!(limits, max_buffer_size, both.size().max(numbers))?;
        let usage = BufferUsages::UNIFORM | BufferUsages::STORAGE;
        let params = running.buffer(device, "halofold::stencil::params", usage);
        let steps = self.stepper(grids, &params)?;
        let size = residual::exact_at(self.config().element) + 16;
        let found = buffers::scratch(device, "halofold::stencil::residual", size);
        let count = Slice::at(&params, count);
        let reductions = match until.accuracy {
            Accuracy::Exact => &[Residual::Changes, Residual::Squares][..],
            _ => &[Residual::Changes],
        };
        let prepare = |reduction: &Residual| reduction.prepare(kernels, grids, count, &found);
        let check = reductions.iter().map(prepare).collect::<Result<_, _>>()?;
        let control = Control::new(kernels, until, &both, &params, &found);
        Ok(Convergence { steps, check, control, until })
    }

    /// Compiles the pipelines of [`Compiled::bind_until`] that are not compiled yet: those of [`Compiled::compile`], four small ones, and those of a
    /// reduction over two inputs. Exact checks compile another reduction when they are first prepared.
    ///
    /// # Errors
    ///
    /// The additional kernels exceed a limit of the device.
    pub fn compile_until(&self) -> Result<(), Error> {
        limits::check(CONVERGENCE_SLOTS, &self.device().limits())?;
        self.compile();
        let changes = self.own.kernels.residual(Residual::Changes)?;
        let grid = BufferRange { offset: 0, len: self.config().grid.cells() };
        changes.compile(&changes.plan(Shape::Whole, &[grid], Some(grid))?)?;
        for entry_point in aux_kernels::CONVERGENCE {
            self.own.kernels.auxiliary(entry_point);
        }
        Ok(())
    }
}

/// A stencil with its buffers and a stopping condition, ready to be recorded any number of times.
///
/// You record a run in one piece or in several, and submit the pieces in order. Each piece names its range of steps; the first piece starts at step
/// 0. Recording keeps no count, so a piece that is recorded but never submitted has no effect. A piece that does not continue the steps that the GPU
/// has done takes no step, and sets [`Outcome::interrupted`].
///
/// After an even number of steps the result is in the first buffer, after an odd number in the second: see
/// [`Outcome::in_first`]. Steps after the run has stopped leave both buffers unchanged.
#[derive(Debug)]
pub struct Convergence {
    steps: Stepper,
    /// The reductions that find the residual, in order.
    check: Vec<Bound>,
    control: Control,
    until: Until,
}

impl Convergence {
    /// Bytes of [`Convergence::outcome`]: see `Outcome` in `shaders/stencil/convergence.wgsl`.
    pub const OUTCOME_SIZE: u64 = 32;

    /// Records a range of steps of a run into a new compute pass: `0..1000` is its first thousand. A check
    /// comes after every [`Until::every`] steps of the run, and after the last step of the range.
    ///
    /// A range that starts at 0 begins the run: it resets the count and the flag, and the first step reads
    /// the first buffer. Any other range continues the run, for instance to show progress:
    /// `run.encode(encoder, done..done + 100)`. A run that has converged does nothing.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: Range<u32>) {
        self.encode_in_pass(&mut launch::begin(encoder, "halofold::stencil::until"), steps);
    }

    /// Records a range of steps into the caller's pass: see [`Convergence::encode`]. halofold itself allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: Range<u32>) {
        if steps.start == 0 {
            Recorder::new(pass).record(from_ref(&self.control.begin));
        } else if !steps.is_empty() {
            let parity = steps.start as usize % 2;
            Recorder::new(pass).record(from_ref(&self.control.resume[parity]));
        }
        let mut at = steps.start;
        while at < steps.end {
            let due = self.until.next_check(at, steps.end);
            let mut recorder = Recorder::new(pass);
            // The residual is the change of the last step, so that step is a separate sweep.
            self.steps.record(&mut recorder, at, due - at - 1);
            self.steps.record(&mut recorder, due - 1, 1);
            self.check.iter().for_each(|check| check.encode_in_pass(pass));
            self.control.record(&mut Recorder::new(pass), due - at, self.until.every);
            at = due;
        }
    }

    /// The buffer with the outcome of the run: [`Convergence::OUTCOME_SIZE`] bytes for [`Convergence::parse`]. Its usages are `COPY_SRC | STORAGE`.
    pub fn outcome(&self) -> &Buffer {
        &self.control.outcome
    }

    /// Converts the bytes of [`Convergence::outcome`] to a value. Too few bytes give [`Outcome::NONE`].
    pub fn parse(bytes: &[u8]) -> Outcome {
        let Some(bytes) = bytes.get(..Self::OUTCOME_SIZE as usize) else { return Outcome::NONE };
        let word = |at: usize| bytemuck::pod_read_unaligned::<u32>(&bytes[at..at + 4]);
        let real = |nth: usize| match word(8) {
            8 => bytemuck::pod_read_unaligned(&bytes[16 + 8 * nth..][..8]),
            _ => f64::from(f32::from_bits(word(12 + 4 * nth))),
        };
        let (max, squares) = (real(0), real(1));
        // Squares of tiny changes underflow before the changes do.
        let l2 = if squares.is_nan() { squares } else { squares.sqrt().max(max) };
        let (converged, interrupted) = (word(4) == CONVERGED, word(4) == INTERRUPTED);
        Outcome { steps: word(0), converged, interrupted, max, l2 }
    }
}

/// The state of a run that has stopped: see `Outcome` in the kernel's file.
const CONVERGED: u32 = 1;
const INTERRUPTED: u32 = 2;

/// The dispatches that begin a run, continue it, count its steps, and stop it.
#[derive(Debug)]
struct Control {
    outcome: Buffer,
    begin: Dispatch,
    /// Before a piece whose first step reads the first buffer, and before one whose first step reads the second.
    resume: [Dispatch; 2],
    /// After a check that was due, and after one that comes earlier, because the piece ends.
    decide: [Dispatch; 2],
    /// Counting 1, 2, 4, 8 … steps.
    count: Vec<Dispatch>,
}

impl Control {
    /// Binds the kernels to the parameters of all dispatches while the run continues and when it has stopped, the buffer from which they
    /// read them, and the residual.
    fn new(kernels: &Kernels, until: Until, both: &Blocks, params: &Buffer, residual: &Buffer) -> Self {
        let (device, element) = (kernels.device(), kernels.config.element);
        // `decide` takes the steps between two checks or 0, `resume` takes 0 or 1, and `count` powers of two.
        let bits = u32::BITS as usize - (until.every - 1).leading_zeros() as usize;
        let powers = (0..bits.max(1)).map(|bit| 1 << bit);
        let steps = [until.every, 0].into_iter().chain(powers);
        let checks: Vec<_> = steps.map(|steps| check::params(element, until, steps)).collect();
        let size = checks[0].len() as u64;
        let mut numbers = Blocks::default();
        for check in &checks {
            numbers.add_bytes(check);
        }
        let numbers = numbers.buffer(device, "halofold::stencil::checks", BufferUsages::UNIFORM);
        let both = both.buffer(device, "halofold::stencil::blocks", BufferUsages::STORAGE);
        let outcome = buffers::filled(
            device,
            "halofold::stencil::outcome",
            &fresh(element),
            BufferUsages::STORAGE | BufferUsages::COPY_SRC,
        );
        let dispatch = |entry_point, nth: usize| {
            let resource = |slot| match slot {
                0 => residual.as_entire_binding(),
                1 => outcome.as_entire_binding(),
                PARAMETERS => buffers::slice(&numbers, blocks::offset(nth), size),
                3 => both.as_entire_binding(),
                _ => params.as_entire_binding(),
            };
            let label = "halofold::stencil::convergence";
            kernels.auxiliary(entry_point).dispatch(device, label, [1, 1], resource)
        };
        Control {
            begin: dispatch("begin", 0),
            resume: [1, 2].map(|nth| dispatch("resume", nth)),
            decide: [0, 1].map(|nth| dispatch("decide", nth)),
            count: (0..bits).map(|bit| dispatch("count", 2 + bit)).collect(),
            outcome,
        }
    }

    /// Records the dispatches that follow a check, `steps` steps after the previous one.
    fn record(&self, recorder: &mut Recorder<'_, '_>, steps: u32, every: u32) {
        if steps == every {
            return recorder.record(from_ref(&self.decide[0]));
        }
        // Recording allocates nothing, so there is no dispatch that counts exactly `steps`: it takes one for each bit.
        for (bit, count) in self.count.iter().enumerate() {
            if steps >> bit & 1 == 1 {
                recorder.record(from_ref(count));
            }
        }
        recorder.record(from_ref(&self.decide[1]));
    }
}

/// The bytes of the outcome before a run.
fn fresh(element: Element) -> Vec<u8> {
    let real = residual::real(element);
    let mut outcome = [0u32, 0, real.size() as u32].map(u32::to_ne_bytes).concat();
    // Numbers start at a multiple of their size.
    outcome.resize(outcome.len().next_multiple_of(real.size() as usize), 0);
    outcome.extend(real.encode(&[f64::INFINITY; 2]));
    outcome.resize(Convergence::OUTCOME_SIZE as usize, 0);
    outcome
}
