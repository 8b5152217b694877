//! The numbers that a check of the convergence kernels takes.

use crate::element::Element;
use crate::reduce::Accuracy;
use crate::stencil::residual;
use crate::stencil::until::{Norm, Until};

/// The parameters of a check: the words of `Check` of `shaders/stencil/convergence.wgsl`, with reals as wide as those of the grid.
pub(super) fn params(element: Element, until: Until, steps: u32) -> Vec<u32> {
    let flags = u32::from(until.norm == Norm::L2) + 2 * u32::from(until.accuracy == Accuracy::Exact);
    let numbers = [until.epsilon, f64::INFINITY, bound(element, until.epsilon)];
    [vec![steps, flags], reals(element, &numbers)].concat()
}

/// The bound below which a sum of squares has a root below epsilon: roots differ from GPU to GPU. It is at least
/// the smallest normal number, as smaller squares may be lost.
fn bound(element: Element, epsilon: f64) -> f64 {
    if residual::width(element) == 8 {
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
pub(super) fn meets(until: &Until, is_double: bool, max: f64, squares: f64) -> bool {
    let element = if is_double { Element::F64 } else { Element::F32 };
    let epsilon = if is_double { until.epsilon } else { f64::from(until.epsilon as f32) };
    let squares_met = until.norm == Norm::Max || squares < bound(element, until.epsilon);
    !squares.is_nan() && max < epsilon && squares_met
}

/// Converts numbers to the words of `Real`s.
pub(super) fn reals(element: Element, values: &[f64]) -> Vec<u32> {
    if residual::width(element) == 8 {
        bytemuck::pod_collect_to_vec(values)
    } else {
        values.iter().map(|value| (*value as f32).to_bits()).collect()
    }
}
