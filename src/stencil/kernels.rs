//! The compiled kernels of a stencil. Each is compiled once, when it is first needed. Clones of a
//! [`Jacobi`](crate::stencil::Jacobi) share them.

use std::sync::OnceLock;

use wgpu::Device;

use crate::gpu::error::Error;
use crate::gpu::kernel::{Kernel, Pipeline, Pipelines};
use crate::gpu::{Compiled, Options};
use crate::reduce::Reduce;
use crate::stencil::aux_kernels;
use crate::stencil::config::Config;
use crate::stencil::residual::Residual;

/// The pipelines of a configuration.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) config: Config,
    pipelines: Pipelines<Key>,
    /// By [`Residual`].
    residuals: [OnceLock<Compiled<Reduce>>; 3],
}

/// The key of a kernel among those of a configuration.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The stencil's own kernel, by the levels and teams of a time-blocked one. Passes with the same levels and teams share one.
    Pass { levels: u32, teams: u32 },
    /// An auxiliary kernel, by its entry point.
    Auxiliary(&'static str),
}

impl Kernels {
    pub(super) fn new(device: &Device, config: Config, options: Options<'_>) -> Self {
        Kernels { config, pipelines: Pipelines::new(device, options), residuals: Default::default() }
    }

    /// The stencil's own kernel for passes of a number of steps.
    pub(super) fn pass(&self, steps: u32) -> Pipeline {
        let config = self.config.with_steps_per_pass(steps);
        let (levels, teams) = (config.tuning.levels_per_team, config.tuning.block.rows);
        self.pipelines.get(Key::Pass { levels, teams }, || {
            Kernel::new(config.label(), config.compose(), config.slots(), config.overrides())
        })
    }

    /// An auxiliary kernel.
    pub(super) fn auxiliary(&self, entry_point: &'static str) -> Pipeline {
        self.pipelines
            .get(Key::Auxiliary(entry_point), || aux_kernels::kernel(self.config.element, entry_point))
    }

    /// A reduction of a check. It compiles its own kernels when it is first prepared.
    pub(super) fn residual(&self, residual: Residual) -> Result<&Compiled<Reduce>, Error> {
        let kept = &self.residuals[residual as usize];
        if let Some(reducer) = kept.get() {
            return Ok(reducer);
        }
        let reducer = residual.reducer(self.device(), self.config.element, self.options())?;
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
