//! The halo exchange of a periodic grid that is cut into windows: see `shaders/stencil/halo.wgsl`.

use wgpu::{Buffer, Device};

use crate::element::Element;
use crate::gpu::error::Error;
use crate::gpu::kernel::{PARAMETERS, Pipeline};
use crate::gpu::launch::Dispatch;
use crate::gpu::params::parameters;
use crate::gpu::{blocks, buffers, grid, limits};
use crate::stencil::aux_kernels::HALO_SLOTS;
use crate::stencil::grids::Parts;
use crate::stencil::kernels::Kernels;
use crate::stencil::uniforms::UniformBlocks;
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

/// Buffers with the last layers of a ring followed by its first ones: before a step, after it, and of the
/// right-hand side.
#[derive(Debug)]
pub(super) struct Layers {
    before: Buffer,
    after: Buffer,
    rhs: Option<Buffer>,
}

impl Layers {
    /// These buffers as the grids of a step.
    pub(super) fn parts(&self) -> Parts<'_> {
        Parts { source: &self.before, result: &self.after, rhs: self.rhs.as_ref() }
    }
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

    /// Allocates these buffers.
    pub(super) fn layers(&self, device: &Device) -> Layers {
        let layers = |name| buffers::scratch(device, &format!("halofold::stencil::halo_{name}"), self.size);
        let rhs = self.halo.rhs.then(|| layers("rhs"));
        Layers { before: layers("before"), after: layers("after"), rhs }
    }

    /// The dispatches that come before a step.
    pub(super) fn gather(
        &self,
        kernels: &Kernels,
        grids: Parts<'_>,
        layers: &Layers,
        params: &Buffer,
    ) -> Vec<Dispatch> {
        let device = kernels.device();
        let bind = |grid, before| {
            self.dispatch(device, &kernels.exchange("gather"), grid, [before, &layers.after], params)
        };
        // The buffer `after` first receives the layers of the right-hand side, then its own.
        let rhs = grids.rhs.zip(layers.rhs.as_ref()).map(|(grid, layers)| bind(grid, layers));
        rhs.into_iter().chain([bind(grids.source, &layers.before)]).collect()
    }

    /// The dispatch that comes after a step.
    pub(super) fn scatter(
        &self,
        kernels: &Kernels,
        grids: Parts<'_>,
        layers: &Layers,
        params: &Buffer,
    ) -> Dispatch {
        let both = [&layers.before, &layers.after];
        self.dispatch(kernels.device(), &kernels.exchange("scatter"), grids.result, both, params)
    }

    fn dispatch(
        &self,
        device: &Device,
        kernel: &Pipeline,
        grid: &Buffer,
        [before, after]: [&Buffer; 2],
        params: &Buffer,
    ) -> Dispatch {
        let layers = u64::from(self.halo.layers) * self.element.size();
        let tail = layers * 2 + u64::from(self.halo.skip) * self.element.size();
        kernel.dispatch(device, "halofold::stencil::halo", self.workgroups, |slot| match slot {
            1 => buffers::slice(grid, 0, (2 * layers).next_multiple_of(4)),
            PARAMETERS => blocks::bound::<Params>(params, self.params),
            4 => buffers::slice(grid, self.halo.tail, tail.next_multiple_of(4)),
            8 => before.as_entire_binding(),
            _ => after.as_entire_binding(),
        })
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
