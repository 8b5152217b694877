//! Recording Jacobi steps: a compiled kernel, two buffers that swap, dispatches on the caller's encoder or pass.

use std::ops::Range;

use wgpu::{Buffer, BufferUsages, Device};

use crate::binding;
use crate::dispatch::{self, Dispatch, Recorder};
use crate::element::Element;
use crate::pipeline::{self, Checks, Kernel};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::grids::{Grids, Parts};
use crate::stencil::halo::HaloExchange;
use crate::stencil::plan::{Params, Plan};
use crate::stencil::stencils::Weights;
use crate::stencil::uniforms::UniformBlocks;

/// Where kernels find the right-hand side.
const RHS: u32 = 5;

/// A stencil compiled for a device and a grid.
#[derive(Clone, Debug)]
pub struct Jacobi {
    config: Config,
    plan: Plan,
    checks: Checks,
    pipeline: wgpu::ComputePipeline,
    layout: wgpu::BindGroupLayout,
    exchange: Option<HaloExchange>,
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
        let config = Config { one_weight: config.stencil.is_one_weight(weights), ..config };
        let plan = config.plan(device.features(), &device.limits())?;
        let label = format!("halofold::stencil::{}", config.variant.name);
        let (pipeline, layout) = pipeline::compile(
            device,
            Kernel {
                label: &label,
                wgsl: config.compose(),
                entry_point: "main",
                slots: &[0, 1, 2, 3, RHS][..if config.rhs { 5 } else { 4 }],
                overrides: &config.overrides(),
                cache: None,
                checks,
            },
        );
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
        let params = blocks.buffer(device, BufferUsages::UNIFORM);
        let weights = filled(device, config.element, weights);
        Ok(Jacobi { config, plan, checks, pipeline, layout, exchange, blocks, params, weights })
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
        if self.config.stencil.is_one_weight(weights) != self.config.one_weight {
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

    /// The dispatches of a step that reads `first`, and of one that reads `second`.
    pub(super) fn steps(
        &self,
        device: &Device,
        grids: Grids<'_>,
        params: &Buffer,
    ) -> Result<[Vec<Dispatch>; 2], StencilError> {
        grids.check(self.config.bytes(), self.config.rhs)?;
        let layers = self.exchange.as_ref().map(|exchange| exchange.layers(device));
        Ok(grids.steps().map(|grids| {
            let mut dispatches = self.windows(device, grids, params);
            if let Some((exchange, layers)) = self.exchange.as_ref().zip(layers.as_ref()) {
                let block = self.plan.windows.len();
                let groups = exchange.halo.workgroups;
                dispatches.extend(exchange.gather(device, grids, layers, params));
                dispatches.push(self.dispatch(
                    device,
                    layers.parts(),
                    0..exchange.size,
                    (params, block),
                    groups,
                ));
                dispatches.push(exchange.scatter(device, grids, layers, params));
            }
            dispatches
        }))
    }

    fn windows(&self, device: &Device, grids: Parts<'_>, params: &Buffer) -> Vec<Dispatch> {
        let windows = self.plan.windows.iter().enumerate();
        windows
            .map(|(block, window)| {
                // No more of the buffers than the grid, in whole words.
                let range = window.offset..window.offset + window.size.next_multiple_of(4);
                self.dispatch(device, grids, range, (params, block), window.workgroups)
            })
            .collect()
    }

    /// The dispatch with the numbers of a block, over the same bytes of each buffer.
    fn dispatch(
        &self,
        device: &Device,
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
        let bindings = binding::bind(device, "halofold::stencil::bindings", &self.layout, resources);
        Dispatch { pipeline: self.pipeline.clone(), bindings, grid }
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
