//! Recording Jacobi steps: a compiled kernel, two buffers that swap, dispatches on the caller's encoder or pass.

use std::sync::Arc;

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
use crate::dispatch::{self, Recorder};
use crate::element::Element;
use crate::pipeline::Checks;
use crate::stencil::blocked::{Passes, Prepared};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::grids::Grids;
use crate::stencil::halo::HaloExchange;
use crate::stencil::plan::Plan;
use crate::stencil::stencils::Weights;
use crate::stencil::steps::{Binder, Compiled, Steps, compile};
use crate::stencil::uniforms::UniformBlocks;

/// A stencil compiled for a device and a grid.
#[derive(Clone, Debug)]
pub struct Jacobi {
    config: Config,
    plan: Plan,
    checks: Checks,
    kernel: Compiled,
    exchange: Option<HaloExchange>,
    /// Of a time-blocked kernel.
    passes: Option<Arc<Passes>>,
    pub(super) blocks: UniformBlocks,
    params: Buffer,
    weights: Buffer,
}

impl Jacobi {
    /// Compiles the kernel of a configuration for some weights. Cost: one compute pipeline and two small buffers; two pipelines more for a grid
    /// past one binding that is periodic in its outermost direction. Nothing is submitted.
    ///
    /// # Errors
    ///
    /// A limit or a feature that the device lacks; see [`Config::plan`].
    pub fn new(device: &Device, config: Config, weights: Weights) -> Result<Self, StencilError> {
        Self::compile(device, config, weights, Checks::On)
    }

    /// The same without the checks that wgpu adds to shaders: no clamping of indices, no bounds on loops.
    ///
    /// # Safety
    ///
    /// halofold's own kernels stay inside of the grid and end; the drivers' compilers have to keep it so without a net.
    ///
    /// # Errors
    ///
    /// As [`Jacobi::new`].
    pub unsafe fn unchecked(device: &Device, config: Config, weights: Weights) -> Result<Self, StencilError> {
        Self::compile(device, config, weights, Checks::Off)
    }

    fn compile(
        device: &Device,
        config: Config,
        weights: Weights,
        checks: Checks,
    ) -> Result<Self, StencilError> {
        let config = config.on(device).weighed(weights);
        let plan = config.plan(device.features(), &device.limits())?;
        let mut blocks = UniformBlocks::default();
        if config.variant.is_blocked() {
            let passes = Passes::new(device, config, checks, &mut blocks)?;
            let params = blocks.buffer(device, BufferUsages::UNIFORM);
            let weights = filled(device, config.element, weights);
            let kernel = passes.kernel(config.deepest(&device.limits()));
            let passes = Some(Arc::new(passes));
            return Ok(Jacobi {
                config,
                plan,
                checks,
                kernel,
                exchange: None,
                passes,
                blocks,
                params,
                weights,
            });
        }
        let kernel = compile(device, &config, checks);
        // Those of the windows come first, then that of the halo exchange.
        for params in
            plan.windows.iter().map(|window| window.params).chain(plan.halo.iter().map(|halo| halo.params))
        {
            blocks.add(params, params.halted());
        }
        let exchange = match &plan.halo {
            Some(halo) => Some(HaloExchange::new(device, config.element, halo, &mut blocks)?),
            None => None,
        };
        let params = blocks.buffer(device, BufferUsages::UNIFORM);
        let weights = filled(device, config.element, weights);
        Ok(Jacobi { config, plan, checks, kernel, exchange, passes: None, blocks, params, weights })
    }

    /// What was compiled.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The dispatches of one step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The same kernel with other weights, without compiling it again; but where a stencil multiplies once, as
    /// [`Config::one_weight`] has it, and then does not, or the other way round, that is another kernel.
    ///
    /// # Errors
    ///
    /// None that [`Jacobi::new`] would not have had.
    pub fn reweighted(&self, device: &Device, weights: Weights) -> Result<Self, StencilError> {
        if self.config.weighed(weights).one_weight != self.config.one_weight {
            return Self::compile(device, self.config, weights, self.checks);
        }
        Ok(Jacobi { weights: filled(device, self.config.element, weights), ..self.clone() })
    }

    /// Binds two buffers, once: step after step reads one and writes the other, `first` being read first.
    ///
    /// Fixed cells are never written, so both buffers must hold them from the start: copy `first` to `second` once.
    /// Allocates bind groups; for a grid that was cut and is a ring, also two or three buffers of four of its layers.
    ///
    /// # Errors
    ///
    /// A buffer that is too short or lacks [`BufferUsages::STORAGE`], one buffer for two, a right-hand side that is missing or
    /// not asked for.
    pub fn prepare(&self, device: &Device, grids: Grids<'_>) -> Result<Stepper, StencilError> {
        Ok(Stepper { steps: self.steps(device, grids, &self.params)? })
    }

    /// The dispatches of steps from `first` to `second` and back.
    pub(super) fn steps(
        &self,
        device: &Device,
        grids: Grids<'_>,
        params: &Buffer,
    ) -> Result<Steps, StencilError> {
        grids.check(self.config.bytes(), self.config.rhs)?;
        if let Some(passes) = &self.passes {
            return Ok(Steps::Passes(Prepared::new(passes, grids, params, &self.weights)));
        }
        let layers = self.exchange.as_ref().map(|exchange| exchange.layers(device));
        let bound = grids.steps().map(|grids| {
            let bind = Binder { device, kernel: &self.kernel, weights: &self.weights, params };
            bind.step(grids, &self.plan, 0, self.exchange.as_ref().zip(layers.as_ref()))
        });
        Ok(Steps::Single(bound))
    }
}

/// A stencil with its buffers, ready to be recorded again and again.
#[derive(Debug)]
pub struct Stepper {
    steps: Steps,
}

impl Stepper {
    /// Records `steps` steps into the caller's pass, the first of which reads the first buffer. After an even
    /// number the result is in the first buffer, after an odd one in the second. halofold itself allocates nothing; but a
    /// time-blocked kernel is compiled and bound the first time that a pass takes so many steps.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        self.steps.record(&mut Recorder::new(pass), 0, steps);
    }

    /// The same in a pass of its own.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        self.encode_in_pass(&mut dispatch::begin(encoder, "halofold::stencil"), steps);
    }
}

/// The weights on the GPU, twice.
fn filled(device: &Device, element: Element, Weights(weights): Weights) -> Buffer {
    let bytes = element.encode(&[weights, weights].concat());
    binding::filled(device, "halofold::stencil::weights", &bytes, BufferUsages::STORAGE)
}
