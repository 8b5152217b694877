//! The passes that a run may take: their kernels, compiled when a pass first makes this many steps, and their dispatches.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use wgpu::{Buffer, Device};

use crate::gpu::error::Error;
use crate::gpu::kernel::{PARAMETERS, Pipeline};
use crate::gpu::launch::{Dispatch, Recorder};
use crate::gpu::{blocks, buffers};
use crate::stencil::compose::RHS;
use crate::stencil::config::Config;
use crate::stencil::cuts::Cuts;
use crate::stencil::grids::{Grids, Parts};
use crate::stencil::halo::HaloExchange;
use crate::stencil::kernels::Kernels;
use crate::stencil::params::{Params, UniformBlocks};
use crate::stencil::plan::Plan;
use crate::stencil::window::Window;

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

/// Binds kernels, with their weights, to the buffers of a grid.
#[derive(Debug)]
pub(super) struct Binder {
    pub(super) kernels: Arc<Kernels>,
    weights: Buffer,
    pub(super) grids: [Buffer; 2],
    rhs: Option<Buffer>,
}

impl Binder {
    pub(super) fn new(kernels: &Arc<Kernels>, weights: &Buffer, grids: Grids<'_>) -> Self {
        let Grids { first, second, rhs } = grids;
        let (kernels, weights) = (kernels.clone(), weights.clone());
        Binder { kernels, weights, grids: [first.clone(), second.clone()], rhs: rhs.cloned() }
    }

    /// The dispatches of a pass that reads the first buffer, and of one that reads the second. The parameters of its windows are the
    /// blocks of `params` starting at `first`; those of the halo exchange follow.
    pub(super) fn pass(
        &self,
        steps: u32,
        windows: &[Window],
        exchange: Option<&HaloExchange>,
        params: &Buffer,
        first: usize,
    ) -> [Vec<Dispatch>; 2] {
        let kernel = &self.kernels.pass(steps);
        let exchange = exchange.map(|exchange| (exchange, exchange.layers(self.kernels.device())));
        [0, 1].map(|from| {
            let [source, result] = [from, 1 - from].map(|nth| self.grids[nth].clone());
            let grids = Parts { source, result, rhs: self.rhs.clone() };
            let windows = windows.iter().enumerate().map(|(nth, window)| {
                // Only the part of the buffers that holds the grid, in whole words.
                let range = window.offset..window.offset + window.size.next_multiple_of(4);
                self.dispatch(kernel, &grids, range, (params, first + nth), window.workgroups)
            });
            let mut dispatches: Vec<_> = windows.collect();
            if let Some((exchange, layers)) = &exchange {
                let block = (params, first + dispatches.len());
                let step = self.dispatch(kernel, layers, 0..exchange.size, block, exchange.halo.workgroups);
                dispatches.extend(exchange.around(step, &self.kernels, &grids, layers, params));
            }
            dispatches
        })
    }

    /// The dispatch with the parameters of a block, over the same bytes of each buffer.
    fn dispatch(
        &self,
        kernel: &Pipeline,
        Parts { source, result, rhs }: &Parts,
        bytes: Range<u64>,
        (params, block): (&Buffer, usize),
        grid: [u32; 2],
    ) -> Dispatch {
        let part = |buffer| buffers::slice(buffer, bytes.start, bytes.end - bytes.start);
        let resource = |slot| match slot {
            0 => part(source),
            1 => part(result),
            PARAMETERS => blocks::bound::<Params>(params, blocks::offset(block)),
            RHS => part(rhs.as_ref().expect("grids were checked")),
            _ => self.weights.as_entire_binding(),
        };
        kernel.dispatch(self.kernels.device(), "halofold::stencil::bindings", grid, resource)
    }
}
