//! Recording Jacobi steps: a compiled kernel, two buffers that swap after each step, and dispatches on the
//! caller's encoder or pass.

use std::ops::Range;
use std::sync::Arc;

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
use crate::dispatch::{self, Dispatch, Recorder};
use crate::element::Element;
use crate::pipeline::{Checks, LimitError, Options};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::grids::{Grids, Parts};
use crate::stencil::halo::HaloExchange;
use crate::stencil::kernels::{Kernels, RHS};
use crate::stencil::plan::{Params, Plan};
use crate::stencil::stencils::Weights;
use crate::stencil::uniforms::UniformBlocks;

/// A stencil for a device and a grid.
///
/// It keeps the device alive. It compiles each pipeline when [`Jacobi::prepare`] or [`Jacobi::prepare_until`]
/// first needs it, or ahead of time in [`Jacobi::compile`]. It is `Send` and `Sync`. A clone shares the
/// pipelines.
#[derive(Clone, Debug)]
pub struct Jacobi {
    config: Config,
    plan: Plan,
    pub(super) kernels: Arc<Kernels>,
    exchange: Option<HaloExchange>,
    pub(super) blocks: UniformBlocks,
    params: Buffer,
    weights: Buffer,
}

impl Jacobi {
    /// Makes a stencil from a configuration and weights. This allocates two small buffers. Nothing is
    /// compiled or submitted yet.
    ///
    /// # Errors
    ///
    /// The device lacks a limit or a feature: see [`Config::plan`].
    pub fn new(device: &Device, config: Config, weights: Weights) -> Result<Self, StencilError> {
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
    ) -> Result<Self, StencilError> {
        Self::make(device, config, weights, options, Checks::On)
    }

    /// Makes a stencil whose shaders lack the checks that wgpu adds: no clamping of indices, no bounds on
    /// loops.
    ///
    /// # Safety
    ///
    /// The caller relies on halofold's kernels, as the driver compiles them, to stay inside the grid and to
    /// terminate. Nothing else checks this.
    ///
    /// # Errors
    ///
    /// See [`Jacobi::new`].
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
        let config = Config { one_weight: config.stencil.is_one_weight(weights), ..config };
        let plan = config.plan(device.features(), &device.limits())?;
        let mut blocks = UniformBlocks::default();
        // The blocks of the windows come first, then that of the halo exchange.
        for params in
            plan.windows.iter().map(|window| window.params).chain(plan.halo.iter().map(|halo| halo.params))
        {
            blocks.add(params, params.halted());
        }
        let exchange = match &plan.halo {
            Some(halo) => Some(HaloExchange::new(device, config.element, halo, &mut blocks)?),
            None => None,
        };
        LimitError::unless("max_buffer_size", device.limits().max_buffer_size, blocks.size())?;
        let params = blocks.buffer(device, BufferUsages::UNIFORM);
        let weights = filled(device, config.element, weights);
        let kernels = Arc::new(Kernels::new(device, config, options, checks));
        Ok(Jacobi { config, plan, kernels, exchange, blocks, params, weights })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The dispatches of one step.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Compiles the pipelines of [`Jacobi::prepare`] that are not compiled yet: one, or three for a grid that
    /// is larger than a binding and periodic in its outermost direction. It blocks; nothing is submitted.
    pub fn compile(&self) {
        self.kernels.step();
        if self.exchange.is_some() {
            self.kernels.gather();
            self.kernels.scatter();
        }
    }

    /// Returns this stencil with other weights. It shares the compiled kernel, unless [`Config::one_weight`]
    /// differs: then it takes another kernel.
    ///
    /// # Errors
    ///
    /// Only those of [`Jacobi::new`].
    pub fn reweighted(&self, weights: Weights) -> Result<Self, StencilError> {
        if self.config.stencil.is_one_weight(weights) != self.config.one_weight {
            let (options, checks) = (self.kernels.options(), self.kernels.checks);
            return Self::make(self.device(), self.config, weights, options, checks);
        }
        Ok(Jacobi { weights: filled(self.device(), self.config.element, weights), ..self.clone() })
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
    pub fn prepare(&self, grids: Grids<'_>) -> Result<Stepper, StencilError> {
        Ok(Stepper { steps: self.steps(grids, &self.params)? })
    }

    pub(super) fn device(&self) -> &Device {
        &self.kernels.device
    }

    /// The dispatches of a step that reads `first`, and of one that reads `second`.
    pub(super) fn steps(
        &self,
        grids: Grids<'_>,
        params: &Buffer,
    ) -> Result<[Vec<Dispatch>; 2], StencilError> {
        grids.check(self.config.bytes(), self.config.rhs)?;
        let layers = self.exchange.as_ref().map(|exchange| exchange.layers(self.device()));
        Ok(grids.steps().map(|grids| {
            let mut dispatches = self.windows(grids, params);
            if let Some((exchange, layers)) = self.exchange.as_ref().zip(layers.as_ref()) {
                let block = self.plan.windows.len();
                let groups = exchange.halo.workgroups;
                dispatches.extend(exchange.gather(&self.kernels, grids, layers, params));
                dispatches.push(self.dispatch(layers.parts(), 0..exchange.size, (params, block), groups));
                dispatches.push(exchange.scatter(&self.kernels, grids, layers, params));
            }
            dispatches
        }))
    }

    fn windows(&self, grids: Parts<'_>, params: &Buffer) -> Vec<Dispatch> {
        let windows = self.plan.windows.iter().enumerate();
        windows
            .map(|(block, window)| {
                // Only the part of the buffers that holds the grid, in whole words.
                let range = window.offset..window.offset + window.size.next_multiple_of(4);
                self.dispatch(grids, range, (params, block), window.workgroups)
            })
            .collect()
    }

    /// The dispatch with the parameters of a block, over the same bytes of each buffer.
    fn dispatch(
        &self,
        Parts { source, result, rhs }: Parts<'_>,
        bytes: Range<u64>,
        (params, block): (&Buffer, usize),
        grid: [u32; 2],
    ) -> Dispatch {
        let part = |buffer| binding::slice(buffer, bytes.start, bytes.end - bytes.start);
        let params = binding::block::<Params>(params, binding::block_offset(block));
        let resources =
            [(0, part(source)), (1, part(result)), (2, params), (3, self.weights.as_entire_binding())];
        let resources = resources.into_iter().chain(rhs.map(|rhs| (RHS, part(rhs))));
        let (pipeline, layout) = self.kernels.step();
        let bindings = binding::bind(self.device(), "halofold::stencil::bindings", layout, resources);
        Dispatch { pipeline: pipeline.clone(), bindings, grid }
    }
}

/// A stencil with its buffers, ready to be recorded any number of times.
#[derive(Debug)]
pub struct Stepper {
    steps: [Vec<Dispatch>; 2],
}

impl Stepper {
    /// Records `steps` steps into the caller's pass. The first of them reads the first buffer. After an even
    /// number of steps the result is in the first buffer, after an odd number in the second. halofold itself
    /// allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        let mut recorder = Recorder::new(pass);
        for step in 0..steps {
            recorder.record(&self.steps[step as usize % 2]);
        }
    }

    /// Records `steps` steps into a new pass: see [`Stepper::encode_in_pass`].
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        self.encode_in_pass(&mut dispatch::begin(encoder, "halofold::stencil"), steps);
    }
}

/// Allocates a buffer with the weights.
fn filled(device: &Device, element: Element, Weights(weights): Weights) -> Buffer {
    let bytes = element.encode(&weights);
    binding::filled(device, "halofold::stencil::weights", &bytes, BufferUsages::STORAGE)
}
