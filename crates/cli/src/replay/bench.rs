//! Measures stencil rows on a GPU, and the long runs of selected ones.

use std::time::{Duration, Instant};

use halofold::stencil::{Config, Stepper};
use halofold::wgpu;
use halofold_measure::{Budget, GridRun, Meter, Peak, PeakMeter, StepGrids, Summary, significant};

use crate::failure::{self, Failure};
use crate::gpu::Gpu;
use crate::row::{Row, StencilWork};

/// Samples per row on a GPU. There are hundreds of rows.
const SAMPLES: u32 = 15;

const SOFTWARE_SAMPLES: u32 = 3;

/// Steps per repetition: even, so that each repetition begins with the same buffer.
const STEPS: u32 = 20;

const SOFTWARE_STEPS: u32 = 2;

/// Longest submission of a long run, in milliseconds, so that no watchdog stops it.
const SUBMISSION_MS: f64 = 200.0;

/// Runs shorter than this are repeated, this many times.
const REPEATED: (Duration, usize) = (Duration::from_millis(400), 3);

/// Factor by which a spreading row gets more samples.
const SPREAD: u32 = 4;

pub struct Bench<'a> {
    gpu: &'a Gpu,
    grids: StepGrids,
    budget: Budget,
    peak: PeakMeter,
}

impl<'a> Bench<'a> {
    /// Allocates the grid of a configuration. Every variant of its stencil can use it.
    pub fn new(gpu: &'a Gpu, config: Config, samples: Option<u32>) -> Result<Self, Failure> {
        let software = gpu.is_software();
        let steps = if software { SOFTWARE_STEPS } else { STEPS };
        let make = || StepGrids::new(&gpu.device, &gpu.queue, &config, 1, steps).map_err(Failure::usage);
        let grids = gpu.attempt(make).map_err(hint)?;
        let few = if software { SOFTWARE_SAMPLES } else { SAMPLES };
        let usual = gpu.budget(samples);
        let budget = match samples {
            Some(_) => usual,
            None => Budget { samples: few, most_samples: SPREAD * few, ..usual },
        };
        Ok(Bench { gpu, grids, budget, peak: gpu.peak_meter(samples)? })
    }

    pub fn peak(&self) -> Peak {
        self.peak.peak()
    }

    /// Measures a configuration: a row that passed, failed or was skipped.
    pub fn row(&self, config: &Config) -> Result<Row<StencilWork>, Failure> {
        let (gpu, mut budget) = (self.gpu, self.budget);
        let meter = Meter { timer: &gpu.timer, peak: &self.peak };
        let measure = || meter.stencil(&mut budget, config, || &self.grids).map_err(Failure::usage);
        let (mut row, _) = gpu.attempt(measure)?;
        row.reason = row.reason.as_ref().map(failure::explain);
        Ok(row)
    }

    /// Runs a configuration for many steps at once, and writes the time into its row.
    pub fn run_through(
        &self,
        config: &Config,
        steps: u32,
        row: &mut Row<StencilWork>,
    ) -> Result<(), Failure> {
        let device = &self.gpu.device;
        let config = config.on(device);
        let run = self.gpu.attempt(|| GridRun::new(device, config, &self.grids).map_err(Failure::usage))?;
        let step = row.times.median.unwrap_or(SUBMISSION_MS);
        let piece = ((SUBMISSION_MS / step) as u32).max(2).next_multiple_of(2 * config.steps_per_pass());
        let mut ms = Vec::new();
        let start = Instant::now();
        while ms.is_empty() || (ms.len() < REPEATED.1 && start.elapsed() < REPEATED.0) {
            let start = Instant::now();
            self.gpu.attempt(|| self.run_once(run.stepper(), steps, piece))?;
            ms.push(start.elapsed().as_secs_f64() * 1e3);
        }
        row.figures.steps = Some(steps);
        row.figures.wall_ms_median = Summary::of(&ms).map(|summary| significant(summary.median));
        Ok(())
    }

    /// Submits steps in successive pieces, and waits for the last.
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

/// Adds options that help if a grid does not fit.
fn hint(failure: Failure) -> Failure {
    match failure {
        Failure::Usage(message) => refusal!("{message} (see --grid and --type)"),
        other => other,
    }
}
