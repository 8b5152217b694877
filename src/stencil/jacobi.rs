//! Recording Jacobi steps: a compiled kernel, two buffers that swap, dispatches on the caller's encoder or pass.

use std::sync::Arc;

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
use crate::dispatch::{self, Recorder};
use crate::element::Element;
use crate::pipeline::{Checks, LimitError, Options};
use crate::stencil::blocked::{Passes, Prepared};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::grids::Grids;
use crate::stencil::halo::HaloExchange;
use crate::stencil::kernels::Kernels;
use crate::stencil::plan::Plan;
use crate::stencil::stencils::Weights;
use crate::stencil::steps::{Binder, Steps};
use crate::stencil::uniforms::UniformBlocks;

/// A stencil for a device and a grid.
///
/// It keeps the device, and compiles a pipeline when one is first needed: by [`Jacobi::prepare`] and [`Jacobi::prepare_until`], or ahead by
/// [`Jacobi::compile`]. `Send` and `Sync`; a clone shares the pipelines.
#[derive(Clone, Debug)]
pub struct Jacobi {
    config: Config,
    plan: Plan,
    pub(super) kernels: Arc<Kernels>,
    exchange: Option<HaloExchange>,
    /// Of a time-blocked kernel.
    passes: Option<Arc<Passes>>,
    pub(super) blocks: UniformBlocks,
    params: Buffer,
    weights: Buffer,
}

impl Jacobi {
    /// A configuration with some weights. Cost: two small buffers. Nothing is compiled yet, and nothing submitted.
    ///
    /// # Errors
    ///
    /// A limit or a feature that the device lacks; see [`Config::plan`].
    pub fn new(device: &Device, config: Config, weights: Weights) -> Result<Self, StencilError> {
        Self::with_options(device, config, weights, Options::default())
    }

    /// The same with options.
    ///
    /// # Errors
    ///
    /// As [`Jacobi::new`].
    pub fn with_options(
        device: &Device,
        config: Config,
        weights: Weights,
        options: Options<'_>,
    ) -> Result<Self, StencilError> {
        Self::make(device, config, weights, options, Checks::On)
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
    pub unsafe fn unchecked(
        device: &Device,
        config: Config,
        weights: Weights,
        options: Options<'_>,
    ) -> Result<Self, StencilError> {
        Self::make(device, config, weights, options, Checks::Off)
    }

    fn make(
        device: &Device,
        config: Config,
        weights: Weights,
        options: Options<'_>,
        checks: Checks,
    ) -> Result<Self, StencilError> {
        let config = config.on(device).weighed(weights);
        let plan = config.plan(device.features(), &device.limits())?;
        let mut blocks = UniformBlocks::default();
        let (exchange, passes) = if config.variant.is_blocked() {
            (None, Some(Arc::new(Passes::new(device, &config, &mut blocks)?)))
        } else {
            (single_step(device, &config, &plan, &mut blocks)?, None)
        };
        LimitError::unless("max_buffer_size", device.limits().max_buffer_size, blocks.size())?;
        let params = blocks.buffer(device, BufferUsages::UNIFORM);
        let weights = filled(device, config.element, weights);
        let kernels = Arc::new(Kernels::new(device, config, options, checks));
        Ok(Jacobi { config, plan, kernels, exchange, passes, blocks, params, weights })
    }

    /// What is stepped, and how.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The dispatches of one step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Compiles what [`Jacobi::prepare`] needs, as far as it is not compiled yet: one compute pipeline, for which it blocks; two more for a grid
    /// past one binding that is periodic in its outermost direction. Nothing is submitted.
    pub fn compile(&self) {
        match &self.passes {
            Some(passes) => drop(self.kernels.pass(passes.deepest())),
            None => drop(self.kernels.step()),
        }
        if self.exchange.is_some() {
            self.kernels.gather();
            self.kernels.scatter();
        }
    }

    /// The same kernel with other weights, without compiling it again; but where a stencil multiplies once, as
    /// [`Config::one_weight`] has it, and then does not, or the other way round, that is another kernel.
    ///
    /// # Errors
    ///
    /// None that [`Jacobi::new`] would not have had.
    pub fn reweighted(&self, weights: Weights) -> Result<Self, StencilError> {
        if self.config.weighed(weights).one_weight != self.config.one_weight {
            let (options, checks) = (self.kernels.options(), self.kernels.checks);
            return Self::make(self.device(), self.config, weights, options, checks);
        }
        Ok(Jacobi { weights: filled(self.device(), self.config.element, weights), ..self.clone() })
    }

    /// Binds two buffers, once: step after step reads one and writes the other, `first` being read first.
    ///
    /// Fixed cells are never written, so both buffers must hold them from the start: copy `first` to `second` once.
    /// Allocates bind groups; for a grid that was cut and is a ring, also two or three buffers of four of its layers. The first time it
    /// [compiles](Jacobi::compile).
    ///
    /// # Errors
    ///
    /// A buffer that is too short or lacks [`BufferUsages::STORAGE`], one buffer for two, a right-hand side that is missing or
    /// not asked for.
    pub fn prepare(&self, grids: Grids<'_>) -> Result<Stepper, StencilError> {
        Ok(Stepper { steps: self.steps(grids, &self.params)? })
    }

    pub(super) fn device(&self) -> &Device {
        &self.kernels.device
    }

    /// The dispatches of steps from `first` to `second` and back.
    pub(super) fn steps(&self, grids: Grids<'_>, params: &Buffer) -> Result<Steps, StencilError> {
        grids.check(self.config.bytes(), self.config.rhs)?;
        if let Some(passes) = &self.passes {
            return Ok(Steps::Passes(Prepared::new(passes, &self.kernels, grids, params, &self.weights)));
        }
        let layers = self.exchange.as_ref().map(|exchange| exchange.layers(self.device()));
        let exchange = self.exchange.as_ref().zip(layers.as_ref());
        let (kernels, kernel, weights) = (&*self.kernels, self.kernels.step(), &self.weights);
        let bind = Binder { kernels, kernel, weights, params };
        Ok(Steps::Single(grids.steps().map(|grids| bind.step(grids, &self.plan, 0, exchange))))
    }
}

/// Adds the numbers of a step to the uniform blocks: those of the windows first, then that of the halo exchange.
fn single_step(
    device: &Device,
    config: &Config,
    plan: &Plan,
    blocks: &mut UniformBlocks,
) -> Result<Option<HaloExchange>, StencilError> {
    let windows = plan.windows.iter().map(|window| window.params);
    for params in windows.chain(plan.halo.iter().map(|halo| halo.params)) {
        blocks.add(params, params.halted());
    }
    plan.halo.as_ref().map(|halo| HaloExchange::new(device, config.element, halo, blocks)).transpose()
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
