//! The kernels that go with a stencil's own: shown, translated and tested like it.

use crate::stencil::config::Config;
use crate::stencil::{convergence, halo};

/// A kernel with all that a pipeline is made of; it has no overrides.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuxKernel {
    /// The whole module.
    pub wgsl: String,
    /// Its entry point.
    pub entry_point: &'static str,
}

impl Config {
    /// Every kernel that some step of this stencil may take besides [`Config::compose`]: those of the halo exchange
    /// of a cut ring and of the convergence check that stops a run. The residual is computed by
    /// [`reducer`](crate::reduce)'s.
    pub fn aux_kernels(&self) -> Vec<AuxKernel> {
        let kernel = |wgsl: String, entry_points: &[&'static str]| {
            let with = |&entry_point| AuxKernel { wgsl: wgsl.clone(), entry_point };
            entry_points.iter().map(with).collect::<Vec<_>>()
        };
        [
            kernel(halo::compose(self.element), &["gather", "scatter"]),
            kernel(convergence::compose(self.element), &convergence::ENTRY_POINTS),
        ]
        .concat()
    }
}
