//! The numbers that a check of the convergence kernels takes.

use crate::element::Element;
use crate::reduce::Accuracy;
use crate::stencil::residual::real;
use crate::stencil::until::{Norm, Until};

/// `Check` of `shaders/stencil/convergence.wgsl`, over reals of 32 bits.
mod single {
    crate::gpu::params::parameters! {
        pub(super) struct Check {
            steps: u32,
            flags: u32,
            epsilon: f32,
            unknown: f32,
            bound: f32,
        }
    }
}

/// The same over reals of 64 bits.
mod double {
    crate::gpu::params::parameters! {
        pub(super) struct Check {
            steps: u32,
            flags: u32,
            epsilon: f64,
            unknown: f64,
            bound: f64,
        }
    }
}

/// The parameters of a check, with reals as wide as those of the grid.
pub(super) fn params(element: Element, until: Until, steps: u32) -> Vec<u8> {
    let flags = u32::from(until.norm == Norm::L2) + 2 * u32::from(until.accuracy == Accuracy::Exact);
    let (epsilon, bound) = (until.epsilon, bound(element, until.epsilon));
    if real(element) == Element::F64 {
        let check = double::Check { steps, flags, epsilon, unknown: f64::INFINITY, bound };
        return bytemuck::bytes_of(&check).to_vec();
    }
    let (epsilon, bound) = (epsilon as f32, bound as f32);
    let check = single::Check { steps, flags, epsilon, unknown: f32::INFINITY, bound };
    bytemuck::bytes_of(&check).to_vec()
}

/// The bound below which a sum of squares has a root below epsilon: roots differ from GPU to GPU. It is at least
/// the smallest normal number, as smaller squares may be lost.
fn bound(element: Element, epsilon: f64) -> f64 {
    if element == Element::F64 {
        let square = epsilon * epsilon;
        let is_more = epsilon.mul_add(epsilon, -square) > 0.0;
        return if is_more { square.next_up() } else { square }.max(f64::MIN_POSITIVE);
    }
    // A product of two 32-bit floats is exact here.
    let square = f64::from(epsilon as f32) * f64::from(epsilon as f32);
    let nearest = square as f32;
    let bound = if f64::from(nearest) < square { nearest.next_up() } else { nearest };
    f64::from(bound.max(f32::MIN_POSITIVE))
}

/// Decides on the host as the kernel `decide` does on the GPU.
pub(super) fn meets(until: &Until, element: Element, max: f64, squares: f64) -> bool {
    let epsilon = if element == Element::F64 { until.epsilon } else { f64::from(until.epsilon as f32) };
    let squares_met = until.norm == Norm::Max || squares < bound(element, until.epsilon);
    !squares.is_nan() && max < epsilon && squares_met
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::params::assert_alike;
    use crate::stencil::aux_kernels;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        let [narrow, wide] = [Element::F32, Element::F64].map(|of| aux_kernels::kernel(of, "decide"));
        assert_alike::<single::Check>(&narrow.label, &narrow.wgsl);
        assert_alike::<double::Check>(&wide.label, &wide.wgsl);
    }
}
