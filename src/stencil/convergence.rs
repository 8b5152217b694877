//! Recording Jacobi steps that end by themselves; see `shaders/stencil/convergence.wgsl`.

use std::sync::atomic::{AtomicU32, Ordering};

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
use crate::dispatch::{self, Dispatch, Recorder};
use crate::element::Element;
use crate::pipeline::{self, Checks, Kernel};
use crate::reduce::{Position, Prepared};
use crate::shader::{Composer, Piece};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::grids::Grids;
use crate::stencil::jacobi::Jacobi;
use crate::stencil::residual;
use crate::stencil::steps::Steps;
use crate::stencil::uniforms::UniformBlocks;
use crate::stencil::until::{Norm, Outcome, Until};

/// Bytes of an outcome on the GPU: see `Outcome` in `shaders/stencil/convergence.wgsl`.
const OUTCOME_SIZE: u64 = 32;

impl Jacobi {
    /// Binds buffers as [`Jacobi::prepare`] does, for steps that end once a check finds the residual below epsilon.
    ///
    /// The residual and epsilon are 32-bit floats, for grids of `f64` 64-bit ones. A residual with a NaN is not
    /// below anything. Cost: three small compute pipelines, those of a reduction over two inputs, some small buffers. Nothing is
    /// submitted.
    ///
    /// # Errors
    ///
    /// As [`Jacobi::prepare`]; besides, an epsilon that is negative or not a number, checks after every zero steps, more cells than
    /// a reduction counts.
    pub fn prepare_until(
        &self,
        device: &Device,
        grids: Grids<'_>,
        until: Until,
    ) -> Result<Convergence, StencilError> {
        until.check()?;
        let mut blocks = self.blocks.clone();
        // A run that is over has nothing to reduce.
        let count = blocks.add(residual::cells(self.config()), 0u32);
        let params = blocks.buffer(device, BufferUsages::UNIFORM | BufferUsages::STORAGE);
        let steps = self.steps(device, grids, &params)?;
        let found = binding::scratch(device, "halofold::stencil::residual", 16);
        let count = Position { buffer: &params, offset: count };
        let check = residual::prepare(device, self.config(), grids, count, &found)?;
        Ok(Convergence {
            steps,
            check,
            kernels: Kernels::new(device, self.config(), until, &blocks, &params, &found),
            every: until.every,
            recorded: AtomicU32::new(0),
        })
    }
}

/// A stencil with its buffers and a condition to stop, ready to be recorded again and again.
///
/// All that it records is to be submitted in the order of recording. After an even number of steps done the result is
/// in the first buffer, after an odd one in the second: [`Outcome::in_first`] says which. Steps recorded past
/// the end leave both buffers alone.
#[derive(Debug)]
pub struct Convergence {
    steps: Steps,
    check: Prepared,
    kernels: Kernels,
    every: u32,
    /// Steps recorded in this run: the next one is odd or even, and the next check is due, accordingly.
    recorded: AtomicU32,
}

impl Convergence {
    /// Bytes of [`Convergence::outcome`].
    pub const OUTCOME_SIZE: u64 = OUTCOME_SIZE;

    /// Records a run from its start: count and flag are reset, then up to `steps` steps are taken, the first of which
    /// reads the first buffer, with a check after every [`Until::every`] of them and after the last.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        self.encode_in_pass(&mut dispatch::begin(encoder, "halofold::stencil::until"), steps);
    }

    /// The same in the caller's pass. halofold itself allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        self.recorded.store(0, Ordering::Relaxed);
        Recorder::new(pass).record(&self.kernels.begin);
        self.encode_more_in_pass(pass, steps);
    }

    /// Records more steps of the same run, with a check after the last of these, too: for progress bars. A run that
    /// has converged does nothing.
    pub fn encode_more_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        let mut at = self.recorded.load(Ordering::Relaxed);
        let end = at.saturating_add(steps);
        while at < end {
            let due = (at / self.every).saturating_add(1).saturating_mul(self.every).min(end);
            let mut recorder = Recorder::new(pass);
            // The residual is the change of the last step, which therefore is a pass of its own.
            self.steps.record(&mut recorder, at, due - at - 1);
            self.steps.record(&mut recorder, due - 1, 1);
            self.check.encode_in_pass(pass);
            self.kernels.record(&mut Recorder::new(pass), due - at, self.every);
            at = due;
        }
        self.recorded.store(end, Ordering::Relaxed);
    }

    /// How the run ended, on the GPU: `COPY_SRC | STORAGE`, [`Convergence::OUTCOME_SIZE`] bytes for [`Convergence::parse`].
    pub fn outcome(&self) -> &Buffer {
        &self.kernels.outcome
    }

    /// The bytes of [`Convergence::outcome`] as a value; too few of them say that no step was done.
    pub fn parse(bytes: &[u8]) -> Outcome {
        let Some(bytes) = bytes.get(..OUTCOME_SIZE as usize) else { return Outcome::NONE };
        let word = |at: usize| bytemuck::pod_read_unaligned::<u32>(&bytes[at..at + 4]);
        let wide = word(8) == 8;
        let real = |nth: usize| {
            if wide {
                bytemuck::pod_read_unaligned(&bytes[16 + 8 * nth..][..8])
            } else {
                f64::from(f32::from_bits(word(12 + 4 * nth)))
            }
        };
        let (max, squares) = (real(0), real(1));
        // Squares of tiny changes vanish before the changes do.
        let l2 = if squares.is_nan() { squares } else { squares.sqrt().max(max) };
        Outcome { steps: word(0), converged: word(4) == 1, max, l2 }
    }
}

/// The kernels that begin a run, count its steps, and end it.
#[derive(Debug)]
struct Kernels {
    outcome: Buffer,
    begin: [Dispatch; 1],
    /// Behind a check that was due.
    decide: [Dispatch; 1],
    /// Behind one that comes earlier, after steps that were counted before.
    decide_early: [Dispatch; 1],
    /// Counting 1, 2, 4, 8 … steps.
    count: Vec<Dispatch>,
}

impl Kernels {
    fn new(
        device: &Device,
        config: &Config,
        until: Until,
        blocks: &UniformBlocks,
        params: &Buffer,
        residual: &Buffer,
    ) -> Self {
        let compile = |entry_point| {
            let kernel = Kernel {
                label: "halofold::stencil::convergence",
                wgsl: compose(config.element),
                entry_point,
                slots: &[0, 1, 2, 3, 4],
                overrides: &[],
                cache: None,
                checks: Checks::On,
            };
            pipeline::compile(device, kernel)
        };
        let (begin, layout) = compile("begin");
        let (count, count_layout) = compile("count");
        let (decide, decide_layout) = compile("decide");
        let mut numbers = UniformBlocks::default();
        let mut add = |steps| {
            let check = Check::new(config.element, until, steps);
            numbers.add(check, check)
        };
        let due = add(until.every);
        let early = add(0);
        let bits = u32::BITS - (until.every - 1).leading_zeros();
        let powers: Vec<_> = (0..bits).map(|bit| add(1 << bit)).collect();
        let numbers = numbers.buffer(device, BufferUsages::UNIFORM);
        let both = blocks.both(device, BufferUsages::STORAGE);
        let outcome = binding::filled(
            device,
            "halofold::stencil::outcome",
            &fresh(config.element),
            BufferUsages::STORAGE | BufferUsages::COPY_SRC,
        );
        let dispatch = |pipeline: &wgpu::ComputePipeline, layout, block| Dispatch {
            pipeline: pipeline.clone(),
            bindings: binding::bind(
                device,
                "halofold::stencil::convergence",
                layout,
                [
                    (0, residual.as_entire_binding()),
                    (1, outcome.as_entire_binding()),
                    (2, binding::block::<Check>(&numbers, block)),
                    (3, both.as_entire_binding()),
                    (4, params.as_entire_binding()),
                ],
            ),
            grid: [1, 1],
        };
        Kernels {
            begin: [dispatch(&begin, &layout, due)],
            decide: [dispatch(&decide, &decide_layout, due)],
            decide_early: [dispatch(&decide, &decide_layout, early)],
            count: powers.into_iter().map(|block| dispatch(&count, &count_layout, block)).collect(),
            outcome,
        }
    }

    /// Records what follows a check, `steps` after the one before.
    fn record(&self, recorder: &mut Recorder<'_, '_>, steps: u32, every: u32) {
        if steps == every {
            return recorder.record(&self.decide);
        }
        // Nothing may be allocated now, so there is no dispatch that counts just so many: it takes one for each bit.
        for (bit, count) in self.count.iter().enumerate() {
            if steps >> bit & 1 == 1 {
                recorder.record(std::slice::from_ref(count));
            }
        }
        recorder.record(&self.decide_early);
    }
}

/// `Check` of `shaders/stencil/convergence.wgsl`: its reals have the width of the grid's.
#[repr(C)]
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
struct Check {
    steps: u32,
    squares: u32,
    /// Epsilon, then infinity: two `f64`, or two `f32` and nothing.
    reals: [u32; 4],
}

impl Check {
    fn new(element: Element, until: Until, steps: u32) -> Self {
        let reals = reals(element, [until.epsilon, f64::INFINITY]);
        Check { steps, squares: u32::from(until.norm == Norm::L2), reals }
    }
}

/// Two numbers as the words of a `Real` each.
fn reals(element: Element, values: [f64; 2]) -> [u32; 4] {
    if residual::width(element) == 8 {
        bytemuck::cast(values)
    } else {
        let [a, b] = values.map(|value| (value as f32).to_bits());
        [a, b, 0, 0]
    }
}

/// The outcome before a run.
fn fresh(element: Element) -> Vec<u8> {
    let width = residual::width(element);
    let words = reals(element, [f64::INFINITY; 2]);
    let mut outcome = vec![0, 0, width];
    // 64-bit numbers start at a multiple of eight bytes.
    outcome.extend((width == 8).then_some(0));
    outcome.extend(words);
    outcome.resize((OUTCOME_SIZE / 4) as usize, 0);
    bytemuck::cast_slice(&outcome).to_vec()
}

/// The module with the kernels.
pub(super) fn compose(element: Element) -> String {
    let real =
        Piece::new("generated: the residual's type", format!("alias Real = {};", residual::real(element)));
    Composer::default().provide("real", vec![real]).compose("stencil/convergence", &[])
}
