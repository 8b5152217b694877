//! The numbers that a check of the convergence kernels takes.

use crate::element::Element;
use crate::reduce::Accuracy;
use crate::stencil::residual::real;
use crate::stencil::until::{Norm, Until};

/// The parameters of a check: `Check` of `shaders/stencil/convergence.wgsl`, with reals as wide as those of the grid.
pub(super) fn params(element: Element, until: Until, steps: u32) -> Vec<u8> {
    let flags = u32::from(until.norm == Norm::L2) + 2 * u32::from(until.accuracy == Accuracy::Exact);
    let reals = [until.epsilon, f64::INFINITY, bound(element, until.epsilon)];
    [bytemuck::bytes_of(&[steps, flags]), &real(element).encode(&reals)].concat()
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
    use crate::gpu::params::fields_of;
    use crate::stencil::aux_kernels;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        for (element, size) in [(Element::F32, 4), (Element::F64, 8)] {
            let expected =
                [("steps", 0), ("flags", 4), ("epsilon", 8), ("unknown", 8 + size), ("bound", 8 + 2 * size)];
            let kernel = aux_kernels::kernel(element, "decide");
            assert_eq!(
                fields_of("Check", &kernel.label, &kernel.wgsl),
                expected.map(|(name, at)| (name.to_owned(), at))
            );
            assert_eq!(params(element, Until::new(0.5), 1).len(), 8 + 3 * size);
        }
    }
}
