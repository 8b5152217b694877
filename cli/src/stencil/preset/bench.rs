//! One row of a stencil: compile, verify, time, verify again; and the long run of those that were picked.

use std::time::{Duration, Instant};

use halofold::stencil::{Config, Jacobi, Stepper};
use halofold::wgpu;
use halofold_measure::{Budget, Field, Pair, Peak, Summary};

use crate::failure::Failure;
use crate::gpu::{self, Gpu};
use crate::row::{Row, Status, StencilWork};

/// Samples of a row on a GPU: there are hundreds of rows.
const SAMPLES: u32 = 15;

/// The same on a processor that plays a GPU.
const SOFTWARE_SAMPLES: u32 = 3;

/// Steps of one repetition, which a sample has as many of as it takes: always an even number, so that each begins with the same buffer.
const STEPS: u32 = 20;

/// The same on a processor that plays a GPU.
const SOFTWARE_STEPS: u32 = 2;

/// How long one submission of a long run may be, so that no watchdog ends it.
const SUBMISSION_MS: f64 = 200.0;

/// How long a run is short enough to be repeated, and how often.
const REPEATED: (Duration, usize) = (Duration::from_millis(400), 3);

/// How many times as many samples a row has where they spread.
const SPREAD: u32 = 4;

/// A GPU with a grid on it.
pub struct Bench<'a> {
    gpu: &'a Gpu,
    field: Field,
    pair: Pair,
    budget: Budget,
    steps: u32,
    /// What its memory can do.
    pub peak: Peak,
}

/// A kernel bound to the grid, with two kinds of weights.
struct Ready {
    /// Exact for a few steps.
    dyadic: Stepper,
    /// Averages: values stay what they are, however many steps.
    usual: Stepper,
    /// Of a time-blocked kernel: the same by single steps.
    single: Option<Stepper>,
}

impl<'a> Bench<'a> {
    /// Makes the grid of a configuration, whose variant can be any of the stencil.
    pub fn new(gpu: &'a Gpu, config: Config, samples: Option<u32>) -> Result<Self, Failure> {
        let field = gpu
            .attempt(|| Field::new(&gpu.device, &gpu.queue, &config).map_err(Failure::usage))
            .map_err(hint)?;
        let pair = gpu.attempt(|| field.pair(&gpu.device).map_err(Failure::usage)).map_err(hint)?;
        let software = gpu.is_software();
        let few = if software { SOFTWARE_SAMPLES } else { SAMPLES };
        let usual = gpu.budget(samples);
        let budget = match samples {
            Some(_) => usual,
            None => Budget { samples: few, most_samples: SPREAD * few, ..usual },
        };
        let steps = if software { SOFTWARE_STEPS } else { STEPS };
        Ok(Bench { gpu, field, pair, budget, steps, peak: gpu.peak_meter(samples)?.peak() })
    }

    /// Compiles a configuration and binds it to the grid.
    fn ready(&self, config: &Config) -> Result<Ready, Failure> {
        let device = &self.gpu.device;
        let stencil = config.stencil;
        self.gpu.attempt(|| {
            let exact = Jacobi::new(device, *config, stencil.dyadic).map_err(Failure::usage)?;
            let usual = exact.reweighted(stencil.usual).map_err(Failure::usage)?;
            let bind = |jacobi: &Jacobi| self.pair.stepper(jacobi).map_err(Failure::usage);
            let single = (config.steps_per_pass() > 1).then(|| {
                let config = config.with_steps_per_pass(1);
                bind(&Jacobi::new(device, config, stencil.usual).map_err(Failure::usage)?)
            });
            Ok(Ready { dyadic: bind(&exact)?, usual: bind(&usual)?, single: single.transpose()? })
        })
    }

    /// Runs a configuration: a row that passed, failed or was skipped.
    ///
    /// # Errors
    ///
    /// Only what ends the whole command: a lost device, memory that ran out.
    pub fn row(&self, config: &Config) -> Result<Row<StencilWork>, Failure> {
        let gpu = self.gpu;
        let config = &config.on(&gpu.device);
        let steps = self.steps.next_multiple_of(2 * config.steps_per_pass());
        let mut row = Row::<StencilWork>::blank(config, &gpu.info);
        let plan = match config.plan(gpu.device.features(), &gpu.device.limits()) {
            Ok(plan) => plan,
            Err(error) => {
                row.reason = Some(gpu::explain(&error));
                return Ok(row);
            }
        };
        row.figures.workgroups = Some(plan.workgroups());
        row.figures.dispatches = Some(plan.dispatches());
        let ready = self.ready(config)?;
        if !self.verify(&ready, &mut row)? {
            return Ok(row);
        }
        let measured = gpu.attempt(|| {
            let record = |pass: &mut wgpu::ComputePass<'_>| ready.usual.encode_in_pass(pass, steps);
            gpu.timer.measure(self.budget, &record).map_err(Failure::usage)
        })?;
        let steps = f64::from(steps);
        let Summary { median, min, iqr, count } = measured.summary();
        let one = Summary { median: median / steps, min: min / steps, iqr: iqr / steps, count };
        row.set_times(config, one, measured.timing, self.peak.copy_gb_per_s);
        self.verify(&ready, &mut row)?;
        Ok(row)
    }

    /// Holds the whole grid against the CPU's and writes what came of it into the row.
    fn verify(&self, ready: &Ready, row: &mut Row<StencilWork>) -> Result<bool, Failure> {
        let gpu = self.gpu;
        let (device, queue) = (&gpu.device, &gpu.queue);
        let difference = gpu.attempt(|| {
            let found = self.field.verify(device, queue, &self.pair, &ready.dyadic);
            found.map_err(Failure::usage)
        })?;
        // Few steps are exact. Many of them by full passes are what as many single ones make.
        let difference = match (difference, &ready.single, row.figures.steps_per_pass) {
            (None, Some(single), Some(depth)) => gpu.attempt(|| {
                let steppers = [&ready.usual, single];
                let found = self.field.agree(device, queue, &self.pair, steppers, 2 * depth);
                found.map_err(Failure::usage)
            })?,
            (difference, ..) => difference,
        };
        row.status = if difference.is_none() { Status::Pass } else { Status::Fail };
        row.reason = difference.map(|difference| difference.to_string());
        Ok(difference.is_none())
    }

    /// Runs a configuration for many steps in one go, and writes how long that took into its row.
    pub fn run_through(
        &self,
        config: &Config,
        steps: u32,
        row: &mut Row<StencilWork>,
    ) -> Result<(), Failure> {
        let config = &config.on(&self.gpu.device);
        let ready = self.ready(config)?;
        let step = row.times.median.unwrap_or(SUBMISSION_MS);
        let piece = ((SUBMISSION_MS / step) as u32).max(2).next_multiple_of(2 * config.steps_per_pass());
        let mut ms = Vec::new();
        let start = Instant::now();
        while ms.is_empty() || (ms.len() < REPEATED.1 && start.elapsed() < REPEATED.0) {
            let start = Instant::now();
            self.gpu.attempt(|| self.run_once(&ready.usual, steps, piece))?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        row.figures.steps = Some(steps);
        row.figures.wall_ms_median = Summary::of(&ms).map(|summary| summary.median);
        Ok(())
    }

    /// Submits steps in pieces one behind the other, and waits for the last.
    fn run_once(&self, stepper: &Stepper, steps: u32, piece: u32) -> Result<(), Failure> {
        let device = &self.gpu.device;
        let mut left = steps;
        while left > 0 {
            let now = left.min(piece);
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("halofold::stencil::run"),
            });
            stepper.encode(&mut encoder, now);
            self.gpu.queue.submit([encoder.finish()]);
            left -= now;
        }
        device.poll(wgpu::PollType::wait_indefinitely()).map(|_| ()).map_err(Failure::usage)
    }
}

/// What helps against a grid that does not fit.
fn hint(failure: Failure) -> Failure {
    match failure {
        Failure::Usage(message) => Failure::Usage(format!("{message} (see --grid and --type)")),
        other => other,
    }
}
