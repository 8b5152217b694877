//! Binds the dispatches of plans to the buffers of a grid.

use std::borrow::Borrow;
use std::sync::Arc;

use wgpu::Buffer;

use crate::gpu::blocks::{self, Blocks};
use crate::gpu::buffers;
use crate::gpu::kernel::PARAMETERS;
use crate::gpu::launch::Dispatch;
use crate::gpu::operation::Memory;
use crate::gpu::pass::{Binding, Pass};
use crate::gpu::range::ByteRange;
use crate::stencil::grids::Grids;
use crate::stencil::kernels::Kernels;

/// Collects the parameters of dispatches, one block for each.
pub(super) fn parameters(passes: impl IntoIterator<Item = impl Borrow<Pass>>) -> Blocks {
    let mut blocks = Blocks::default();
    for pass in passes {
        blocks.add_bytes(bytemuck::cast_slice(pass.borrow().words()));
    }
    blocks
}

/// Returns the dispatch with parameters that make it compute nothing: a grid of one fixed cell, no layers to write, or empty
/// halo layers. Every kernel reads at most one cell then.
pub(super) fn halted(pass: &Pass) -> Pass {
    let mut halted = pass.clone();
    for name in ["cols", "rows", "planes"] {
        halted.change(name, |_| 1);
    }
    for name in ["west", "east", "north", "south", "near", "far", "begin", "end", "layer"] {
        halted.change(name, |_| 0);
    }
    halted
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

    /// Binds dispatches that together make `steps` steps. List 0 reads the first buffer and writes the second; list 1 does the reverse.
    /// Dispatch `nth` takes block `first + nth` of `params`.
    pub(super) fn bind(
        &self,
        steps: u32,
        passes: &[Pass],
        memory: &[Memory],
        (params, first): (&Buffer, usize),
    ) -> [Vec<Dispatch>; 2] {
        let device = self.kernels.device();
        let scratch = |memory: &Memory| buffers::scratch(device, "halofold::stencil::halo", memory.size);
        let memory: Vec<_> = memory.iter().map(scratch).collect();
        [0, 1].map(|from| {
            let bind = |(nth, pass): (usize, &Pass)| {
                let part = |buffer, bytes: ByteRange| buffers::slice(buffer, bytes.offset, bytes.size);
                let resource = |slot| match pass.binding(slot) {
                    Some(Binding::Input(0, bytes)) => part(&self.grids[from], bytes),
                    Some(Binding::Input(_, bytes)) => {
                        part(self.rhs.as_ref().expect("grids were checked"), bytes)
                    }
                    Some(Binding::Output(bytes)) => part(&self.grids[1 - from], bytes),
                    Some(Binding::Memory(nth, bytes)) => part(&memory[nth], bytes),
                    _ if slot == PARAMETERS => {
                        buffers::slice(params, blocks::offset(first + nth), blocks::STRIDE)
                    }
                    _ => self.weights.as_entire_binding(),
                };
                let kernel = self.kernels.get(pass.step, steps);
                kernel.dispatch(device, "halofold::stencil::bindings", pass.grid, resource)
            };
            passes.iter().enumerate().map(bind).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use wgpu::{Features, Limits};

    use super::*;
    use crate::element::Element;
    use crate::stencil::config::Config;
    use crate::stencil::shape::{Border, Borders, Grid};
    use crate::stencil::stencils::FIVE_POINT;

    #[test]
    fn halted_dispatches_compute_nothing() {
        let config = Config::new(&FIVE_POINT, FIVE_POINT.general(), Element::F32, Grid::plane(64, 64));
        let config = config.with_borders(Borders::all(Border::Reflect));
        let plan = config.plan(Features::empty(), &Limits::default()).unwrap();
        let halted = halted(&plan.passes[0]);
        let param = |name| halted.param(name).unwrap();
        assert_eq!(["cols", "rows", "planes"].map(param), [1; 3]);
        let sides = ["west", "east", "north", "south", "near", "far"];
        assert_eq!(sides.map(param), [Border::Fixed.code(); 6]);
        assert!(["blocks_across", "blocks_down", "layers_per_group"].map(param).iter().all(|it| *it > 0));
    }
}
