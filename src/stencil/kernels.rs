//! The compiled kernels of a stencil. Each is compiled once, when it is first needed. Clones of a
//! [`Jacobi`](crate::stencil::Jacobi) share them.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use wgpu::Device;

use crate::pipeline::{self, Checks, Compiled, Kernel, Options};
use crate::reduce::Reducer;
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::{convergence, halo, residual};

/// The binding of the right-hand side.
pub(super) const RHS: u32 = 5;

/// The pipelines of a configuration.
#[derive(Debug)]
pub(super) struct Kernels {
    pub(super) device: Device,
    config: Config,
    pub(super) checks: Checks,
    cache: Option<wgpu::PipelineCache>,
    step: OnceLock<Compiled>,
    /// The pipelines of a time-blocked kernel, by levels and teams. Passes with the same levels and teams
    /// share one.
    passes: Mutex<HashMap<(u32, u32), Compiled>>,
    gather: OnceLock<Compiled>,
    scatter: OnceLock<Compiled>,
    /// The pipelines of the convergence check, by their entry points.
    convergence: [(&'static str, OnceLock<Compiled>); 4],
    residual: OnceLock<Reducer>,
}

impl Kernels {
    pub(super) fn new(device: &Device, config: Config, options: Options<'_>, checks: Checks) -> Self {
        Kernels {
            device: device.clone(),
            config,
            checks,
            cache: options.cache.cloned(),
            step: OnceLock::new(),
            passes: Mutex::default(),
            gather: OnceLock::new(),
            scatter: OnceLock::new(),
            convergence: convergence::ENTRY_POINTS.map(|entry_point| (entry_point, OnceLock::new())),
            residual: OnceLock::new(),
        }
    }

    /// The stencil's own kernel.
    pub(super) fn step(&self) -> &Compiled {
        self.step.get_or_init(|| self.own(&self.config))
    }

    /// The pipeline of a time-blocked kernel for passes of a number of steps.
    pub(super) fn pass(&self, steps: u32) -> Compiled {
        let config = self.config.with_steps(steps);
        let key = (config.tuning.levels_per_team, config.tuning.block.rows);
        let mut passes = self.passes.lock().unwrap_or_else(PoisonError::into_inner);
        passes.entry(key).or_insert_with(|| self.own(&config)).clone()
    }

    fn own(&self, config: &Config) -> Compiled {
        let label = format!("halofold::stencil::{}", config.variant.name);
        self.compile(Kernel {
            label: &label,
            wgsl: config.compose(),
            entry_point: "main",
            slots: config.slots(),
            overrides: &config.overrides(),
            cache: self.cache.as_ref(),
            checks: self.checks,
        })
    }

    /// The kernel that gathers the layers of the halo exchange.
    pub(super) fn gather(&self) -> &Compiled {
        self.gather.get_or_init(|| self.exchange("gather"))
    }

    /// The kernel that scatters them.
    pub(super) fn scatter(&self) -> &Compiled {
        self.scatter.get_or_init(|| self.exchange("scatter"))
    }

    /// A kernel of the convergence check.
    pub(super) fn convergence(&self, entry_point: &str) -> &Compiled {
        let found = self.convergence.iter().find(|(name, _)| *name == entry_point);
        let (name, compiled) = found.expect("there are no other entry points");
        compiled.get_or_init(|| {
            let wgsl = convergence::compose(self.config.element);
            self.small("halofold::stencil::convergence", wgsl, name, &convergence::SLOTS)
        })
    }

    /// The reduction of the convergence check. It compiles its own kernels when it is first prepared.
    pub(super) fn residual(&self) -> Result<&Reducer, StencilError> {
        if let Some(reducer) = self.residual.get() {
            return Ok(reducer);
        }
        let reducer = residual::reducer(&self.device, self.config.element, self.options())?;
        Ok(self.residual.get_or_init(|| reducer))
    }

    /// The options with which they are compiled.
    pub(super) fn options(&self) -> Options<'_> {
        self.cache.as_ref().map_or(Options::default(), |cache| Options::default().with_cache(cache))
    }

    fn exchange(&self, entry_point: &str) -> Compiled {
        let label = format!("halofold::stencil::{entry_point}");
        self.small(&label, halo::compose(self.config.element), entry_point, &halo::SLOTS)
    }

    /// Compiles an auxiliary kernel, always with wgpu's checks: they cost nothing there.
    fn small(&self, label: &str, wgsl: String, entry_point: &str, slots: &[u32]) -> Compiled {
        let (overrides, cache, checks) = (&[][..], self.cache.as_ref(), Checks::On);
        self.compile(Kernel { label, wgsl, entry_point, slots, overrides, cache, checks })
    }

    fn compile(&self, kernel: Kernel<'_>) -> Compiled {
        pipeline::compile(&self.device, kernel)
    }
}
