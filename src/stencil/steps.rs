//! Binds a stencil's kernel to the buffers of a step, and records the dispatches of many steps.

use std::ops::Range;

use wgpu::Buffer;

use crate::operation::kernel::{Compiled, PARAMETERS};
use crate::operation::launch::{Dispatch, Recorder};
use crate::operation::{blocks, buffers};
use crate::stencil::blocked::Prepared;
use crate::stencil::grids::Parts;
use crate::stencil::halo::{HaloExchange, Layers};
use crate::stencil::kernels::{Kernels, RHS};
use crate::stencil::plan::{Params, Plan};

/// Binds a kernel, with its weights and its parameters, to buffers.
pub(super) struct Binder<'a> {
    pub(super) kernels: &'a Kernels,
    pub(super) kernel: &'a Compiled,
    pub(super) weights: &'a Buffer,
    pub(super) params: &'a Buffer,
}

impl Binder<'_> {
    /// The dispatches of one step or pass from one buffer to the other. The parameters of its windows are the
    /// blocks starting at `first`; those of the halo exchange follow.
    pub(super) fn step(
        &self,
        grids: Parts<'_>,
        plan: &Plan,
        first: usize,
        exchange: Option<(&HaloExchange, &Layers)>,
    ) -> Vec<Dispatch> {
        let windows = plan.windows.iter().enumerate().map(|(nth, window)| {
            // Only the part of the buffers that holds the grid, in whole words.
            let range = window.offset..window.offset + window.size.next_multiple_of(4);
            self.dispatch(grids, range, first + nth, window.workgroups)
        });
        let mut dispatches: Vec<_> = windows.collect();
        if let Some((exchange, layers)) = exchange {
            let block = first + plan.windows.len();
            dispatches.extend(exchange.gather(self.kernels, grids, layers, self.params));
            let stepped = self.dispatch(layers.parts(), 0..exchange.size, block, exchange.halo.workgroups);
            dispatches.push(stepped);
            dispatches.push(exchange.scatter(self.kernels, grids, layers, self.params));
        }
        dispatches
    }

    /// The dispatch with the parameters of a block, over the same bytes of each buffer.
    fn dispatch(
        &self,
        Parts { source, result, rhs }: Parts<'_>,
        bytes: Range<u64>,
        block: usize,
        grid: [u32; 2],
    ) -> Dispatch {
        let part = |buffer| buffers::slice(buffer, bytes.start, bytes.end - bytes.start);
        let resource = |slot| match slot {
            0 => part(source),
            1 => part(result),
            PARAMETERS => blocks::bound::<Params>(self.params, blocks::offset(block)),
            RHS => part(rhs.expect("grids were checked")),
            _ => self.weights.as_entire_binding(),
        };
        self.kernel.dispatch(self.kernels.device(), "halofold::stencil::bindings", grid, resource)
    }
}

/// The dispatches of steps between two buffers.
#[derive(Debug)]
pub(super) enum Steps {
    /// The dispatches of a step that reads the first buffer, and of one that reads the second.
    Single([Vec<Dispatch>; 2]),
    /// The dispatches of a time-blocked kernel.
    Passes(Prepared),
}

impl Steps {
    /// Records `count` steps, after `done` steps that are already recorded.
    pub(super) fn record(&self, recorder: &mut Recorder<'_, '_>, done: u32, count: u32) {
        match self {
            Steps::Single(steps) => {
                for step in done..done + count {
                    recorder.record(&steps[step as usize % 2]);
                }
            }
            Steps::Passes(passes) => passes.record(recorder, done, count),
        }
    }
}
