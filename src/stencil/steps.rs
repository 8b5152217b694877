//! Binds a stencil's kernel to the buffers of a step.

use std::ops::Range;
use std::sync::Arc;

use wgpu::Buffer;

use crate::gpu::kernel::{PARAMETERS, Pipeline};
use crate::gpu::launch::Dispatch;
use crate::gpu::{blocks, buffers};
use crate::stencil::compose::RHS;
use crate::stencil::grids::{Grids, Parts};
use crate::stencil::halo::HaloExchange;
use crate::stencil::kernels::Kernels;
use crate::stencil::params::Params;
use crate::stencil::window::Window;

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
