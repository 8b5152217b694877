//! Recording Jacobi steps: a compiled kernel, two buffers that swap, dispatches on the caller's encoder or pass.

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
/// It keeps the device, and compiles a pipeline when one is first needed: by [`Jacobi::prepare`] and [`Jacobi::prepare_until`], or ahead by
/// [`Jacobi::compile`]. `Send` and `Sync`; a clone shares the pipelines.
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
        let config = Config { one_weight: config.stencil.is_one_weight(weights), ..config };
        let plan = config.plan(device.features(), &device.limits())?;
        let mut blocks = UniformBlocks::default();
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
        LimitError::unless("max_buffer_size", device.limits().max_buffer_size, blocks.size())?;
        let params = blocks.buffer(device, BufferUsages::UNIFORM);
        let weights = filled(device, config.element, weights);
        let kernels = Arc::new(Kernels::new(device, config, options, checks));
        Ok(Jacobi { config, plan, kernels, exchange, blocks, params, weights })
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
        self.kernels.step();
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
        if self.config.stencil.is_one_weight(weights) != self.config.one_weight {
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
                // No more of the buffers than the grid, in whole words.
                let range = window.offset..window.offset + window.size.next_multiple_of(4);
                self.dispatch(grids, range, (params, block), window.workgroups)
            })
            .collect()
    }

    /// The dispatch with the numbers of a block, over the same bytes of each buffer.
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

/// A stencil with its buffers, ready to be recorded again and again.
#[derive(Debug)]
pub struct Stepper {
    steps: [Vec<Dispatch>; 2],
}

impl Stepper {
    /// Records `steps` steps into the caller's pass, the first of which reads the first buffer. After an even
    /// number the result is in the first buffer, after an odd one in the second. halofold itself allocates nothing.
    pub fn encode_in_pass(&self, pass: &mut wgpu::ComputePass<'_>, steps: u32) {
        let mut recorder = Recorder::new(pass);
        for step in 0..steps {
            recorder.record(&self.steps[step as usize % 2]);
        }
    }

    /// The same in a pass of its own.
    pub fn encode(&self, encoder: &mut wgpu::CommandEncoder, steps: u32) {
        self.encode_in_pass(&mut dispatch::begin(encoder, "halofold::stencil"), steps);
    }
}

/// The weights on the GPU.
fn filled(device: &Device, element: Element, Weights(weights): Weights) -> Buffer {
    let bytes = element.encode(&weights);
    binding::filled(device, "halofold::stencil::weights", &bytes, BufferUsages::STORAGE)
}
