//! The passes that a run may take: their kernels, compiled when a pass first makes this many steps, and their dispatches.

use std::sync::{Arc, OnceLock};

use wgpu::{Buffer, Device};

use crate::gpu::error::Error;
use crate::gpu::launch::{Dispatch, Recorder};
use crate::stencil::config::Config;
use crate::stencil::cuts::Cuts;
use crate::stencil::halo::HaloExchange;
use crate::stencil::params::UniformBlocks;
use crate::stencil::plan::Plan;
use crate::stencil::steps::Binder;

/// Every pass that a run may take. A kernel of single steps has one.
#[derive(Debug)]
pub(super) struct Passes {
    /// In the order of [`Cuts::possible`].
    passes: Vec<Pass>,
    cuts: Cuts,
}

/// One pass.
#[derive(Debug)]
pub(super) struct Pass {
    pub(super) plan: Plan,
    pub(super) exchange: Option<HaloExchange>,
    /// The first of its parameter blocks.
    block: usize,
}

impl Passes {
    /// Plans all passes, and adds their numbers to the uniform blocks: of each those of the windows first, then those of the halo exchange.
    pub(super) fn new(device: &Device, config: &Config, blocks: &mut UniformBlocks) -> Result<Self, Error> {
        let limits = device.limits();
        let cuts = config.cuts(&limits);
        let mut passes = Vec::new();
        let mut block = 0;
        for &steps in cuts.possible() {
            let plan = config.pass(&limits, steps)?;
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

    /// The steps of the fullest pass, and that pass.
    pub(super) fn full(&self) -> (u32, &Pass) {
        (self.cuts.full(), self.passes.last().expect("a single step is a pass"))
    }
}

/// The dispatches of steps between two buffers.
#[derive(Debug)]
pub(super) struct Steps {
    passes: Arc<Passes>,
    bind: Binder,
    params: Buffer,
    /// Of each pass: the dispatches that read the first buffer, and those that read the second.
    bound: Vec<OnceLock<[Vec<Dispatch>; 2]>>,
}

impl Steps {
    /// Binds the fullest pass; the others are bound when a run first takes them.
    pub(super) fn new(passes: &Arc<Passes>, bind: Binder, params: &Buffer) -> Self {
        let bound = passes.passes.iter().map(|_| OnceLock::new()).collect();
        let steps = Steps { passes: passes.clone(), bind, params: params.clone(), bound };
        steps.bound(passes.full().0);
        steps
    }

    /// Records `count` steps, `done` having been recorded before: an even number of them leaves the grid in the first buffer.
    pub(super) fn record(&self, recorder: &mut Recorder<'_, '_>, done: u32, count: u32) {
        for (nth, steps) in self.passes.cuts.in_place(count).enumerate() {
            recorder.record(&self.bound(steps)[(done as usize + nth) % 2]);
        }
    }

    /// The dispatches of a pass of this many steps.
    fn bound(&self, steps: u32) -> &[Vec<Dispatch>; 2] {
        let index =
            self.passes.cuts.possible().binary_search(&steps).expect("runs are cut into possible passes");
        self.bound[index].get_or_init(|| {
            let Pass { plan, exchange, block } = &self.passes.passes[index];
            self.bind.pass(steps, &plan.windows, exchange.as_ref(), &self.params, *block)
        })
    }
}
