//! A stencil over grids that take turns, verified bit for bit.

use halofold::stencil::{Config, Jacobi, Stepper};
use halofold::{Compiled, Pass};
use wgpu::{ComputePass, Device, Queue};

use crate::{
    GridCheck, MeasureError, Meter, Peak, PingPong, Rejection, Rotation, Row, Sampler, StencilWork, Subject,
    Summary, Timer, Timing,
};

/// Grids to step, and the expected cells after a few steps.
#[derive(Debug)]
pub struct StepGrids {
    check: GridCheck,
    pairs: Vec<PingPong>,
    steps: u32,
}

/// A stencil to measure.
#[derive(Debug)]
pub struct GridRun<'g> {
    grids: &'g StepGrids,
    config: Config,
    /// With weights that are exact for a few steps, on each pair of grids.
    dyadic: Vec<Stepper>,
    /// With weights that average, so that values stay in range for any number of steps.
    usual: Rotation<Stepper>,
    /// Likewise by single steps, on the first pair, for a kernel of several steps.
    single: Option<Stepper>,
}

impl StepGrids {
    /// Makes the grid of a configuration in `copies` copies. Every variant of its stencil can use it. A repetition makes `steps` steps. After an
    /// odd number, the next repetition steps from the second buffer to the first.
    ///
    /// # Errors
    ///
    /// Those of [`GridCheck::new`].
    pub fn new(
        device: &Device,
        queue: &Queue,
        config: &Config,
        copies: u64,
        steps: u32,
    ) -> Result<Self, MeasureError> {
        let check = GridCheck::new(device, queue, config)?;
        let mut pairs = (0..copies).map(|_| check.pair(device)).collect::<Result<Vec<_>, _>>()?;
        if !steps.is_multiple_of(2) {
            pairs.extend(pairs.iter().map(PingPong::reversed).collect::<Vec<_>>());
        }
        Ok(StepGrids { check, pairs, steps })
    }
}

impl<'g> GridRun<'g> {
    /// Compiles a configuration and binds it to the grids.
    ///
    /// # Errors
    ///
    /// The device lacks a feature or a limit.
    pub fn new(device: &Device, config: Config, grids: &'g StepGrids) -> Result<Self, MeasureError> {
        let stencil = config.stencil;
        let exact = Compiled::new(device, Jacobi::new(config, stencil.dyadic), &Default::default())?;
        let averages = exact.reweighted(stencil.usual)?;
        let bound = |jacobi: &Compiled<Jacobi>| grids.pairs.iter().map(|pair| pair.stepper(jacobi)).collect();
        let dyadic: Result<Vec<_>, _> = bound(&exact);
        let usual: Result<Vec<_>, _> = bound(&averages);
        let single = (config.steps_per_pass() > 1).then(|| {
            let single = Compiled::new(
                device,
                Jacobi::new(config.with_steps_per_pass(1), stencil.usual),
                &Default::default(),
            )?;
            grids.pairs[0].stepper(&single)
        });
        let usual = Rotation::new(usual?).expect("there is a pair of grids");
        Ok(GridRun { grids, config, dyadic: dyadic?, usual, single: single.transpose()? })
    }

    /// Returns the kernel on the first pair of grids, with weights that average.
    pub fn stepper(&self) -> &Stepper {
        &self.usual.all()[0]
    }

    fn steps(&self) -> u32 {
        whole_passes(&self.config, self.grids.steps)
    }
}

/// Returns the fewest steps, at least `steps`, that are whole sweeps, an even number of them if a sweep makes several: they end where they began.
pub fn whole_passes(config: &Config, steps: u32) -> u32 {
    match config.steps_per_pass() {
        1 => steps,
        depth => steps.next_multiple_of(2 * depth),
    }
}

impl Subject for GridRun<'_> {
    type Work = StencilWork;

    fn encode_in_pass(&self, pass: &mut ComputePass<'_>) {
        self.usual.next().encode_in_pass(pass, self.steps());
    }

    /// Compares whole grids with the CPU's. Few steps are exact; many steps by full sweeps are compared with as many single steps.
    fn verify(&self, timer: &Timer) -> Result<(), MeasureError> {
        let (device, queue) = (timer.device(), timer.queue());
        let StepGrids { check, pairs, .. } = self.grids;
        let mut difference = None;
        for (pair, stepper) in pairs.iter().zip(&self.dyadic) {
            difference = difference.or(check.verify(device, queue, pair, stepper)?);
        }
        if let (None, Some(single)) = (difference, &self.single) {
            let steps = 2 * self.config.steps_per_pass();
            difference = check.agree(device, queue, &pairs[0], [self.stepper(), single], steps)?;
        }
        difference.map_or(Ok(()), |difference| Err(Rejection::Wrong(difference.to_string()).into()))
    }

    fn fill(&self, row: &mut Row<StencilWork>, ms: Summary, timing: Timing, peak: Peak) {
        let steps = f64::from(self.steps());
        let Summary { median, min, iqr, count } = ms;
        let one = Summary { median: median / steps, min: min / steps, iqr: iqr / steps, count };
        row.set_times(&self.config, one, timing, peak.copy_gb_per_s);
    }
}

impl Meter<'_> {
    /// Measures a stencil. If the device cannot run the configuration, the row has the reason and `grids` is not called.
    ///
    /// # Errors
    ///
    /// Those of [`Meter::measure`].
    pub fn stencil<'g>(
        &self,
        sampler: &mut impl Sampler,
        config: &Config,
        grids: impl FnOnce() -> &'g StepGrids,
    ) -> Result<(Row<StencilWork>, Option<GridRun<'g>>), MeasureError> {
        let device = self.timer.device();
        let config = config.on(device);
        let mut row = Row::<StencilWork>::blank(&config, &device.adapter_info());
        match config.plan(device.features(), &device.limits()) {
            Ok(plan) => {
                row.figures.workgroups = Some(plan.passes.iter().map(Pass::workgroups).sum());
                row.figures.dispatches = Some(plan.passes.len() as u64);
                let name = match config.steps_per_pass() {
                    1 => config.variant.name.to_owned(),
                    depth => format!("{} T={depth}", config.variant.name),
                };
                self.measure(sampler, &name, row, || GridRun::new(device, config, grids()))
            }
            Err(error) => {
                row.reason = Some(error.to_string());
                Ok((row, None))
            }
        }
    }
}
