//! Ranks among as many elements as a count on the GPU says: a dispatch before the others finds them.

use crate::gpu::Pass;
use crate::gpu::operation::Memory;
use crate::rank::kernels::POSITIONS;
use crate::rank::method::Method;
use crate::rank::selection::{Params, Selection};

/// The bindings with the list of ranks, and with what the host says of them.
pub(super) const LIST: u32 = 5;
pub(super) const ASKED: u32 = 12;

/// Added to places: `BIAS` in `shaders/rank/positions.wgsl`.
const BIAS: f64 = 2.0;

/// The words for an element with a rank.
pub(super) fn rank(rank: u64) -> [u32; 8] {
    [u32::try_from(rank).unwrap_or(u32::MAX), 0, 0, 0, 0, 0, 0, 0]
}

/// The words for a quantile by a method: a fraction, its kind, and what is added to its product with a number of elements.
pub(super) fn quantile(q: f64, method: Method) -> [u32; 8] {
    let words = |fraction: f64| {
        let fraction = (fraction * 2f64.powi(64)) as u64;
        [fraction as u32, (fraction >> 32) as u32]
    };
    let (is_linear, added) = method.line(q);
    let kind = if q >= 1.0 { 3 } else { 1 + u32::from(is_linear) };
    let ([low, high], biased) = (words(q), added + BIAS);
    let [added_low, added_high] = words(biased.fract());
    [low, high, kind, 0, added_low, added_high, biased as u32, 0]
}

/// The number of a method in the kernel.
pub(super) fn number(method: Method) -> u32 {
    match method {
        Method::Lower => 1,
        Method::InvertedCdf | Method::Higher => 2,
        Method::Nearest => 3,
        Method::ClosestObservation => 4,
        Method::Midpoint => 5,
        Method::AveragedInvertedCdf => 6,
        _ => 0,
    }
}

/// The dispatch, for a selection in all elements.
pub(super) fn pass(selection: &Selection) -> Pass {
    let params =
        Params { count: selection.sample.len as u32, samples: selection.sample.size, ..Params::default() };
    Pass::new(POSITIONS, [1, 1], params)
}

/// The list that the dispatch writes, and what the host says of the ranks.
pub(super) fn memory(asked: &[[u32; 8]]) -> [Memory; 2] {
    let asked = if asked.is_empty() { &[[0; 8]] } else { asked };
    [Memory::scratch(LIST, 16 * asked.len() as u64), Memory::list(ASKED, asked.concat())]
}
