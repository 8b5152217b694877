//! Recording Jacobi steps: a compiled kernel, two buffers that swap after each step, and dispatches on the
//! caller's encoder or pass.

use std::sync::Arc;

use wgpu::{Buffer, BufferUsages, Device};

use crate::gpu::error::Error;
use crate::gpu::launch::{self, Recorder};
use crate::gpu::{LimitError, Options, buffers};
use crate::stencil::config::Config;
use crate::stencil::grids::Grids;
use crate::stencil::kernels::Kernels;
use crate::stencil::passes::{Passes, Steps};
use crate::stencil::plan::Plan;
use crate::stencil::stencils::Weights;
use crate::stencil::steps::Binder;
use crate::stencil::uniforms::UniformBlocks;

/// A stencil for a device and a grid.
///
/// It keeps the device alive. It compiles each pipeline when [`Jacobi::prepare`] or [`Jacobi::prepare_until`]
/// first needs it, or ahead of time in [`Jacobi::compile`]. It is `Send` and `Sync`. A clone shares the
/// pipelines.
#[derive(Clone, Debug)]
pub struct Jacobi {
    config: Config,
    pub(super) kernels: Arc<Kernels>,
    passes: Arc<Passes>,
    pub(super) blocks: UniformBlocks,
    params: Buffer,
    pub(super) weights: Buffer,
}

impl Jacobi {
    /// Makes a stencil from a configuration and weights. This allocates two small buffers. Nothing is
    /// compiled or submitted yet.
    ///
    /// # Errors
    ///
    /// The device lacks a limit or a feature: see [`Config::plan`].
    pub fn new(device: &Device, config: Config, weights: Weights) -> Result<Self, Error> {
        Self::with_options(device, config, weights, Options::default())
    }

    /// Makes a stencil with options.
    ///
    /// # Errors
    ///
    /// See [`Jacobi::new`].
    pub fn with_options(
        device: &Device,
        config: Config,
        weights: Weights,
        options: Options<'_>,
    ) -> Result<Self, Error> {
        let config = config.on(device).weighed(weights);
        config.check(device.features(), &device.limits())?;
        let mut blocks = UniformBlocks::default();
        let passes = Arc::new(Passes::new(device, &config, &mut blocks)?);
        LimitError::unless("max_buffer_size", device.limits().max_buffer_size, blocks.size())?;
        let params = blocks.buffer(device, BufferUsages::UNIFORM);
        let weights = filled(device, &config, weights);
        let kernels = Arc::new(Kernels::new(device, config, options));
        Ok(Jacobi { config, kernels, passes, blocks, params, weights })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The dispatches of one step, or of one pass of a time-blocked kernel with its largest number of steps.
    pub fn plan(&self) -> &Plan {
        &self.passes.full().1.plan
    }

    /// Compiles the pipelines of [`Jacobi::prepare`] that are not compiled yet: one, or three for a grid that
    /// is larger than a binding and periodic in its outermost direction. It blocks; nothing is submitted.
    pub fn compile(&self) {
        let (steps, pass) = self.passes.full();
        self.kernels.pass(steps);
        if pass.exchange.is_some() {
            for entry_point in ["gather", "scatter"] {
                self.kernels.exchange(entry_point);
            }
        }
    }

    /// Returns this stencil with other weights. It shares the compiled kernel, unless [`Config::one_weight`]
    /// differs: then it takes another kernel.
    ///
    /// # Errors
    ///
    /// Only those of [`Jacobi::new`].
    pub fn reweighted(&self, weights: Weights) -> Result<Self, Error> {
        if self.config.weighed(weights).one_weight != self.config.one_weight {
            return Self::with_options(self.device(), self.config, weights, self.kernels.options());
        }
        Ok(Jacobi { weights: filled(self.device(), &self.config, weights), ..self.clone() })
    }

    /// Binds two buffers, once. Each step reads one and writes the other. The first step reads `first`.
    ///
    /// Fixed cells are never written, so both buffers must hold them from the start: copy `first` to `second`
    /// once. This call allocates bind groups. For a grid that is cut into windows and is a ring, it also
    /// allocates two or three buffers of four layers each. The first call [compiles](Jacobi::compile).
    ///
    /// # Errors
    ///
    /// - A buffer is too short or lacks [`BufferUsages::STORAGE`].
    /// - Two of the grids are one buffer.
    /// - A right-hand side is missing, or given although the configuration has none.
    pub fn prepare(&self, grids: Grids<'_>) -> Result<Stepper, Error> {
        Ok(Stepper { steps: self.steps(grids, &self.params)? })
    }

    pub(super) fn device(&self) -> &Device {
        self.kernels.device()
    }

    /// The dispatches of steps from `first` to `second` and back.
    pub(super) fn steps(&self, grids: Grids<'_>, params: &Buffer) -> Result<Steps, Error> {
        grids.check(self.config.bytes(), self.config.rhs, &self.device().limits())?;
        Ok(Steps::new(&self.passes, Binder::new(&self.kernels, &self.weights, grids), params))
    }
}

/// A stencil with its buffers, ready to be recorded any number of times.
#[derive(Debug)]
pub struct Stepper {
    steps: Steps,
}

impl Stepper {
    /// Records `steps` steps into the caller's pass, the first of which reads the first buffer. After an even
    /// number the result is in the first buffer, after an odd one in the second. halofold itself allocates
    /// nothing; but a time-blocked kernel is compiled and bound when a pass first takes a new number of
    /// steps.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        self.steps.record(&mut Recorder::new(pass), 0, steps);
    }

    /// Records `steps` steps into a new pass: see [`Stepper::encode_in_pass`].
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        self.encode_in_pass(&mut launch::begin(encoder, "halofold::stencil"), steps);
    }
}

/// Allocates a buffer with the coefficients of kernels: see `shaders/stencil/shared/params.wgsl`.
fn filled(device: &Device, config: &Config, weights: Weights) -> Buffer {
    let weights = weights.of_kernel(config.stencil);
    let bytes = config.element.encode(&[weights, weights, &[1.0], &config.constants()].concat());
    buffers::filled(device, "halofold::stencil::weights", &bytes, BufferUsages::STORAGE)
}
