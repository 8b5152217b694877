//! The kernels of a time-blocked run, compiled when a pass first makes this many steps, and their dispatches.

use std::sync::{Arc, OnceLock};

use wgpu::{Buffer, Device};

use crate::operation::launch::{Dispatch, Recorder};
use crate::stencil::blocked::{Cuts, plan};
use crate::stencil::config::Config;
use crate::stencil::error::StencilError;
use crate::stencil::grids::{Grids, Parts};
use crate::stencil::halo::HaloExchange;
use crate::stencil::kernels::Kernels;
use crate::stencil::plan::Plan;
use crate::stencil::steps::Binder;
use crate::stencil::uniforms::UniformBlocks;

/// Every pass that a run may take.
#[derive(Debug)]
pub(in crate::stencil) struct Passes {
    /// In the order of [`Cuts::possible`].
    passes: Vec<Pass>,
    cuts: Cuts,
}

/// One pass.
#[derive(Debug)]
struct Pass {
    plan: Plan,
    exchange: Option<HaloExchange>,
    /// The first of its parameter blocks.
    block: usize,
}

impl Passes {
    /// Plans all passes, and adds their numbers to the uniform blocks.
    pub(in crate::stencil) fn new(
        device: &Device,
        config: &Config,
        blocks: &mut UniformBlocks,
    ) -> Result<Self, StencilError> {
        let limits = device.limits();
        let cuts = config.cuts(&limits);
        let mut passes = Vec::new();
        let mut block = 0;
        for &steps in cuts.possible() {
            let plan = plan(config, &limits, steps)?;
            let numbers = plan.windows.iter().map(|window| window.params);
            let numbers: Vec<_> = numbers.chain(plan.halo.iter().map(|halo| halo.params)).collect();
            for params in &numbers {
                blocks.add(*params, params.halted());
            }
            let exchange = plan.halo.as_ref();
            let exchange = exchange.map(|halo| HaloExchange::new(device, config.element, halo, blocks));
            let exchange = exchange.transpose()?;
            let begin = block;
            block += numbers.len() + usize::from(exchange.is_some());
            passes.push(Pass { plan, exchange, block: begin });
        }
        Ok(Passes { passes, cuts })
    }

    /// The steps of the fullest pass.
    pub(in crate::stencil) fn full(&self) -> u32 {
        self.cuts.full()
    }
}

/// Passes between the buffers of a run.
#[derive(Debug)]
pub(in crate::stencil) struct Prepared {
    passes: Arc<Passes>,
    kernels: Arc<Kernels>,
    first: Buffer,
    second: Buffer,
    rhs: Option<Buffer>,
    params: Buffer,
    weights: Buffer,
    /// Of each pass: the dispatches that read the first buffer, and those that read the second.
    bound: Vec<OnceLock<[Vec<Dispatch>; 2]>>,
}

impl Prepared {
    /// Binds the fullest pass; the others are bound when a run first takes them.
    pub(in crate::stencil) fn new(
        passes: &Arc<Passes>,
        kernels: &Arc<Kernels>,
        grids: Grids<'_>,
        params: &Buffer,
        weights: &Buffer,
    ) -> Self {
        let [Parts { source, result, rhs }, _] = grids.steps();
        let prepared = Prepared {
            passes: passes.clone(),
            kernels: kernels.clone(),
            first: source.clone(),
            second: result.clone(),
            rhs: rhs.cloned(),
            params: params.clone(),
            weights: weights.clone(),
            bound: passes.passes.iter().map(|_| OnceLock::new()).collect(),
        };
        prepared.bound(passes.full());
        prepared
    }

    /// Records `count` steps, `done` having been recorded before: an even number of them leaves the grid in the first buffer.
    pub(in crate::stencil) fn record(&self, recorder: &mut Recorder<'_, '_>, done: u32, count: u32) {
        for (nth, steps) in self.passes.cuts.in_place(count).enumerate() {
            recorder.record(&self.bound(steps)[(done as usize + nth) % 2]);
        }
    }

    /// The dispatches of a pass of this many steps.
    fn bound(&self, steps: u32) -> &[Vec<Dispatch>; 2] {
        let index =
            self.passes.cuts.possible().binary_search(&steps).expect("runs are cut into possible passes");
        self.bound[index].get_or_init(|| {
            let pass = &self.passes.passes[index];
            let kernels = &*self.kernels;
            let kernel = &kernels.pass(steps);
            let bind = Binder { kernels, kernel, weights: &self.weights, params: &self.params };
            let layers = pass.exchange.as_ref().map(|exchange| exchange.layers(kernels.device()));
            let exchange = pass.exchange.as_ref().zip(layers.as_ref());
            let grids = Grids::new(&self.first, &self.second);
            let grids = self.rhs.as_ref().map_or(grids, |rhs| grids.with_rhs(rhs));
            grids.steps().map(|parts| bind.step(parts, &pass.plan, pass.block, exchange))
        })
    }
}
