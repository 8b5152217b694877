//! The compiled kernels of a stencil. Each is compiled once, when it is first needed. Clones of a
//! [`Jacobi`](crate::stencil::Jacobi) share them.

use std::sync::OnceLock;

use wgpu::Device;

use crate::element::Element;
use crate::operation::Options;
use crate::operation::kernel::{Checks, Compiled, Kernel, Pipelines, Slot};
use crate::reduce::{ReduceError, Reducer};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::{aux_kernels, convergence, halo, residual};

/// The binding of the right-hand side.
pub(super) const RHS: u32 = 5;

/// The pipelines of a configuration.
#[derive(Debug)]
pub(super) struct Kernels {
    config: Config,
    pipelines: Pipelines<Key>,
    residual: OnceLock<Reducer>,
    exact_residual: OnceLock<Reducer>,
    state_residual: OnceLock<Reducer>,
}

/// The key of a kernel among those of a configuration.
#[derive(Debug, PartialEq, Eq, Hash)]
enum Key {
    /// The stencil's own kernel that makes single steps.
    Step,
    /// A time-blocked kernel, by its levels and teams. Passes with the same levels and teams share one.
    Pass { levels: u32, teams: u32 },
    /// An auxiliary kernel, by its entry point.
    Auxiliary(&'static str),
}

impl Kernels {
    pub(super) fn new(device: &Device, config: Config, options: Options<'_>) -> Self {
        Kernels {
            config,
            pipelines: Pipelines::new(device, options),
            residual: OnceLock::new(),
            exact_residual: OnceLock::new(),
            state_residual: OnceLock::new(),
        }
    }

    /// The stencil's own kernel.
    pub(super) fn step(&self) -> Compiled {
        self.own(Key::Step, &self.config)
    }

    /// The pipeline of a time-blocked kernel for passes of a number of steps.
    pub(super) fn pass(&self, steps: u32) -> Compiled {
        let config = self.config.with_steps_per_pass(steps);
        let (levels, teams) = (config.tuning.levels_per_team, config.tuning.block.rows);
        self.own(Key::Pass { levels, teams }, &config)
    }

    fn own(&self, key: Key, config: &Config) -> Compiled {
        self.pipelines.get(key, || Kernel {
            label: config.label(),
            wgsl: config.compose(),
            entry_point: "main",
            slots: config.slots().into(),
            overrides: config.overrides(),
            checks: self.pipelines.checks,
        })
    }

    /// The kernel that gathers the layers of the halo exchange.
    pub(super) fn gather(&self) -> Compiled {
        self.exchange("gather")
    }

    /// The kernel that scatters them.
    pub(super) fn scatter(&self) -> Compiled {
        self.exchange("scatter")
    }

    fn exchange(&self, entry_point: &'static str) -> Compiled {
        self.auxiliary(|| halo::compose(self.config.element), entry_point, halo::SLOTS)
    }

    /// A kernel of the convergence check.
    pub(super) fn convergence(&self, entry_point: &'static str) -> Compiled {
        let wgsl = || convergence::compose(self.config.element);
        self.auxiliary(wgsl, entry_point, convergence::SLOTS)
    }

    /// An auxiliary kernel, which always has wgpu's checks: they cost nothing there.
    fn auxiliary(
        &self,
        wgsl: impl FnOnce() -> String,
        entry_point: &'static str,
        slots: &'static [Slot],
    ) -> Compiled {
        self.pipelines.get(Key::Auxiliary(entry_point), || Kernel {
            label: aux_kernels::label(entry_point),
            wgsl: wgsl(),
            entry_point,
            slots: slots.into(),
            overrides: Vec::new(),
            checks: Checks::On,
        })
    }

    /// The reduction of the convergence check. It compiles its own kernels when it is first prepared.
    pub(super) fn residual(&self) -> Result<&Reducer, StencilError> {
        self.reducer(&self.residual, residual::reducer)
    }

    /// The reduction that adds up the squares of an exact check.
    pub(super) fn exact_residual(&self) -> Result<&Reducer, StencilError> {
        self.reducer(&self.exact_residual, |device, element, options| {
            residual::exact_reducer(device, element, options, false)
        })
    }

    /// The same for a slab, which leaves a state.
    pub(super) fn state_residual(&self) -> Result<&Reducer, StencilError> {
        self.reducer(&self.state_residual, |device, element, options| {
            residual::exact_reducer(device, element, options, true)
        })
    }

    /// A reduction that is kept, or the one that `make` makes.
    fn reducer<'a>(
        &'a self,
        kept: &'a OnceLock<Reducer>,
        make: impl Fn(&Device, Element, Options<'_>) -> Result<Reducer, ReduceError>,
    ) -> Result<&'a Reducer, StencilError> {
        if let Some(reducer) = kept.get() {
            return Ok(reducer);
        }
        let reducer = make(self.device(), self.config.element, self.options())?;
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
