//! The halo exchange of a periodic grid that is cut into windows: see `shaders/stencil/halo.wgsl`.

use wgpu::{Buffer, Device};

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::kernel::PARAMETERS;
use crate::gpu::launch::Dispatch;
use crate::gpu::params::parameters;
use crate::gpu::{blocks, buffers, grid, limits};
use crate::stencil::aux_kernels::HALO_SLOTS;
use crate::stencil::grids::Parts;
use crate::stencil::kernels::Kernels;
use crate::stencil::params::UniformBlocks;
use crate::stencil::window::Halo;

/// Invocations of a workgroup, as in the kernel.
const WORKGROUP: u64 = 256;

parameters! {
    /// `Params` of `shaders/stencil/halo.wgsl`.
    struct Params {
        layer: u32,
        skip: u32,
        row: u32,
    }
}

/// The parameters and the launches of the two copying kernels.
#[derive(Clone, Debug)]
pub(super) struct HaloExchange {
    pub(super) halo: Halo,
    /// Bytes of the layers that are stepped.
    pub(super) size: u64,
    element: Element,
    workgroups: [u32; 2],
    params: u64,
}

impl HaloExchange {
    /// Adds the kernels' parameters to the uniform blocks.
    pub(super) fn new(
        device: &Device,
        element: Element,
        halo: &Halo,
        blocks: &mut UniformBlocks,
    ) -> Result<Self, Error> {
        limits::check(HALO_SLOTS, &device.limits())?;
        let cells = 4 * u64::from(halo.layers);
        let groups = cells.div_ceil(WORKGROUP);
        let workgroups = grid::of(groups, &device.limits(), "")?;
        let running = Params { layer: halo.layers, skip: halo.skip, row: workgroups[0] };
        Ok(HaloExchange {
            halo: halo.clone(),
            size: (cells * element.size()).next_multiple_of(4),
            element,
            workgroups,
            params: blocks.add(running, Params { layer: 0, ..running }),
        })
    }

    /// Allocates buffers with the last layers of a ring followed by its first ones: before a step, after it, and of the right-hand side.
    pub(super) fn layers(&self, device: &Device) -> Parts {
        let layers = |name| buffers::scratch(device, &format!("halofold::stencil::halo_{name}"), self.size);
        let rhs = self.halo.rhs.then(|| layers("rhs"));
        Parts { source: layers("before"), result: layers("after"), rhs }
    }

    /// The dispatches of a step of these layers: they are gathered before it, and put back after it.
    pub(super) fn around(
        &self,
        step: Dispatch,
        kernels: &Kernels,
        grids: &Parts,
        layers: &Parts,
        params: &Buffer,
    ) -> Vec<Dispatch> {
        let size = u64::from(self.halo.layers) * self.element.size();
        let tail = size * 2 + u64::from(self.halo.skip) * self.element.size();
        let dispatch = |entry_point, grid: &Buffer, before: &Buffer| {
            let kernel = kernels.auxiliary(entry_point);
            kernel.dispatch(kernels.device(), "halofold::stencil::halo", self.workgroups, |slot| match slot {
                1 => buffers::slice(grid, 0, (2 * size).next_multiple_of(4)),
                PARAMETERS => blocks::bound::<Params>(params, self.params),
                4 => buffers::slice(grid, self.halo.tail, tail.next_multiple_of(4)),
                8 => before.as_entire_binding(),
                _ => layers.result.as_entire_binding(),
            })
        };
        // The buffer of the result first receives the layers of the right-hand side, then its own.
        let rhs = grids.rhs.as_ref().zip(layers.rhs.as_ref());
        let rhs = rhs.map(|(grid, layers)| dispatch("gather", grid, layers));
        let source = dispatch("gather", &grids.source, &layers.source);
        let result = dispatch("scatter", &grids.result, &layers.source);
        rhs.into_iter().chain([source, step, result]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::params::assert_alike;
    use crate::stencil::aux_kernels::halo;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        assert_alike::<Params>("halo", &halo(Element::F32));
    }
}
