//! The compiled kernels of a stencil. Each is compiled once, when it is first needed. Clones of a [`Jacobi`](crate::stencil::Jacobi) share them.

use std::sync::OnceLock;

use wgpu::Device;

use crate::gpu::error::Error;
use crate::gpu::kernel::{Pipeline, Pipelines};
use crate::gpu::operation::{Plan, Step};
use crate::gpu::pass::Pass;
use crate::gpu::{Compiled, Launches, Options};
use crate::reduce::Reduce;
use crate::stencil::aux_kernels;
use crate::stencil::config::Config;
use crate::stencil::cuts::Cuts;
use crate::stencil::plan::STEP;
use crate::stencil::residual::Residual;

/// The sweeps that a configuration may take, and their pipelines. A kernel of single steps has one.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) config: Config,
    pub(super) cuts: Cuts,
    /// The plans of sweeps, in the order of [`Cuts::possible`].
    pub(super) plans: Vec<Plan>,
    /// By the name, and the levels and teams of a time-blocked kernel. Passes with the same levels and teams share one.
    pipelines: Pipelines<(Step, [u32; 2])>,
    /// By [`Residual`].
    residuals: [OnceLock<Compiled<Reduce>>; 3],
}

impl Kernels {
    pub(super) fn new(device: &Device, config: Config, options: Options<'_>) -> Result<Self, Error> {
        let limits = device.limits();
        let cuts = config.cuts(&limits);
        let plans = cuts.possible().iter().map(|steps| config.pass(&limits, *steps));
        let plans = plans.collect::<Result<_, _>>()?;
        let pipelines = Pipelines::new(device, options);
        Ok(Kernels { config, cuts, plans, pipelines, residuals: Default::default() })
    }

    /// The dispatches of all plans.
    pub(super) fn passes(&self) -> impl Iterator<Item = &Pass> {
        self.plans.iter().flat_map(|plan| &plan.passes)
    }

    /// A kernel by its name: the stencil's own for sweeps of a number of steps, or an auxiliary one.
    pub(super) fn get(&self, name: Step, steps: u32) -> Pipeline {
        if name != STEP {
            return self.auxiliary(name);
        }
        let config = self.config.with_steps_per_pass(steps);
        let key = (name, [config.tuning.levels_per_team, config.tuning.block.rows]);
        self.pipelines.get(key, || config.kernel())
    }

    /// An auxiliary kernel by its entry point.
    pub(super) fn auxiliary(&self, entry_point: Step) -> Pipeline {
        self.pipelines.get((entry_point, [0; 2]), || aux_kernels::kernel(self.config.element, entry_point))
    }

    /// A reduction of a check. It compiles its own kernels when it is first prepared.
    pub(super) fn residual(&self, residual: Residual) -> Result<&Compiled<Reduce>, Error> {
        let kept = &self.residuals[residual as usize];
        if let Some(reducer) = kept.get() {
            return Ok(reducer);
        }
        let options = Options { is_checked: true, launches: Launches::One, ..self.options() };
        let reducer = Compiled::new(self.device(), residual.of(self.config.element), &options)?;
        Ok(kept.get_or_init(|| reducer))
    }

    /// The options with which they are compiled.
    pub(super) fn options(&self) -> Options<'_> {
        self.pipelines.options()
    }

    pub(super) fn device(&self) -> &Device {
        &self.pipelines.device
    }
}
