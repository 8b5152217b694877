//! Ranks among `count` elements, a number in a GPU buffer: the dispatch `rank/positions` computes them first.

use crate::gpu::Pass;
use crate::gpu::operation::Memory;
use crate::rank::kernels::POSITIONS;
use crate::rank::method::Method;
use crate::rank::selection::{Params, Selection};

/// Bindings: `LIST` holds ranks and brackets, `ASKED` the encoded requests from which `rank/positions` computes `LIST`.
pub(super) const LIST: u32 = 5;
pub(super) const ASKED: u32 = 12;

/// Added to positions so that none is negative: `BIAS` in `shaders/rank/positions.wgsl`.
const BIAS: f64 = 2.0;

/// Encodes a request for the element with a rank.
pub(super) fn rank(rank: u64) -> [u32; 8] {
    [u32::try_from(rank).unwrap_or(u32::MAX), 0, 0, 0, 0, 0, 0, 0]
}

/// Encodes a quantile: `q` as a 64-bit fraction, the kind, and the biased addend to `q * n` or `q * (n - 1)`.
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

/// Returns the kernel's `METHOD` for a method; 0 interpolates.
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

/// Plans the dispatch that fills `LIST`. A prologue replaces `count`, here the maximum, by the count on the GPU.
pub(super) fn pass(selection: &Selection) -> Pass {
    let params =
        Params { count: selection.sample.len as u32, samples: selection.sample.size, ..Params::default() };
    Pass::new(POSITIONS, [1, 1], params)
}

/// Declares `LIST`, 16 bytes a rank, and `ASKED`, 32 bytes a rank.
pub(super) fn memory(asked: &[[u32; 8]]) -> [Memory; 2] {
    let asked = if asked.is_empty() { &[[0; 8]] } else { asked };
    [Memory::scratch(LIST, 16 * asked.len() as u64), Memory::list(ASKED, asked.concat())]
}
