//! The speed of a GPU, which says how deep passes may be.

use halofold::stencil::slab::Slab;
use halofold::stencil::{Borders, Config, Jacobi, Weights};

use super::StreamError;
use crate::worker::{Member, Worker};

/// Bytes of the layers that are stepped: enough to occupy a large GPU, and soon done by a small one.
const SAMPLE: u64 = 128 << 20;

/// Timed steps, at least.
const STEPS: u32 = 8;

/// Seconds that a GPU takes for a step of one layer of a grid, among many: for [`Bounds::with_speed`](super::Bounds::with_speed).
///
/// # Errors
///
/// The device lacks a limit or a feature or has no memory, or is lost.
pub fn layer_seconds(gpu: &Member, config: Config, weights: Weights) -> Result<f64, StreamError> {
    let layers = (SAMPLE / config.layer_bytes().max(1)).clamp(1, config.layers().max(1).into()) as u32;
    let mut config = config.with_layers(layers);
    // Few layers are no ring.
    (config.rhs, config.borders) = (false, Borders::default());
    let slab = Slab::new(config, 0..layers, 1)?;
    let jacobi = Jacobi::new(&gpu.device, config, weights)?;
    let worker = Worker::new(gpu, &jacobi, &slab, &[], &[])?;
    let steps = STEPS.next_multiple_of(2 * config.steps_per_pass());
    // The clock of a GPU that has idled is low, and memory is slow the first time.
    worker.warm(&jacobi, steps)?;
    worker.passes_seconds(&jacobi, steps)?;
    Ok(worker.passes_seconds(&jacobi, steps)? / f64::from(steps) / f64::from(layers))
}
