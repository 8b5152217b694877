//! The halo exchange of a periodic grid that is cut into windows: see `shaders/stencil/halo.wgsl`.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::operation::{Memory, Step};
use crate::gpu::params::parameters;
use crate::gpu::pass::{Binding, Pass};
use crate::gpu::range::ByteRange;
use crate::gpu::{grid, limits};
use crate::stencil::aux_kernels::HALO_SLOTS;
use crate::stencil::config::Config;
use crate::stencil::window::Cut;

/// Invocations of a workgroup, as in the kernel.
const WORKGROUP: u64 = 256;

parameters! {
    /// `Params` of `shaders/stencil/halo.wgsl`.
    struct Params {
        layer: u32,
        skip: u32,
        grid_row: u32,
    }
}

impl Config {
    /// The dispatches that step the ends of a ring: they gather its last layers followed by its first ones, twice as many of each as a
    /// sweep reaches, step them, and scatter them. The memory holds these layers before the step, after it, and of the right-hand side.
    pub(super) fn exchange(
        &self,
        limits: &Limits,
        steps: u32,
        cut: Cut,
    ) -> Result<(Vec<Pass>, Vec<Memory>), Error> {
        limits::check(HALO_SLOTS, limits)?;
        let Cut { layers, reach, .. } = cut;
        // Cells of as many layers as a sweep reaches, and those from the start of `tail` to the first that is gathered.
        let layer = u64::from(reach) * self.layer();
        let skip = u64::from(layers - 2 * reach - cut.tail()) * self.layer();
        let part = |offset: u64, cells: u64| {
            let size = (cells * self.element.size()).next_multiple_of(4);
            ByteRange { offset, size }
        };
        let all = part(0, 4 * layer);
        let (head, tail) =
            (part(0, 2 * layer), part(u64::from(cut.tail()) * self.layer_bytes(), skip + 2 * layer));
        let [before, after, rhs] = [0, 1, 2].map(|nth| Some(Binding::Memory(nth, all)));
        let rhs = rhs.filter(|_| self.rhs);

        let workgroups = grid::of((4 * layer).div_ceil(WORKGROUP), limits, "")?;
        let params = Params { layer: layer as u32, skip: skip as u32, grid_row: workgroups[0] };
        let copy = |step: Step, [head, tail]: [Binding; 2], layers| {
            let copy = Pass::new(step, workgroups, params).bind(1, Some(head)).bind(4, Some(tail));
            copy.bind(8, layers).bind(9, after)
        };
        let gather =
            |input, layers| copy("gather", [head, tail].map(|bytes| Binding::Input(input, bytes)), layers);
        let step = self.dispatch(limits, steps, 4 * reach, reach..3 * reach, [None; 2])?;
        // The buffer of the result first receives the layers of the right-hand side, then its own.
        let mut passes: Vec<_> = rhs.map(|_| gather(1, rhs)).into_iter().collect();
        passes.extend([
            gather(0, before),
            step.between([before, rhs], after),
            copy("scatter", [head, tail].map(Binding::Output), before),
        ]);
        let memory = vec![Memory::parts(all.size); 2 + usize::from(self.rhs)];
        Ok((passes, memory))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::element::Element;
    use crate::gpu::params::assert_alike;
    use crate::stencil::aux_kernels;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        assert_alike::<Params>("halo", &aux_kernels::kernel(Element::F32, "gather").wgsl);
    }
}
