//! The kernels that go with a stencil's own: shown, translated and tested like it.

use crate::stencil::config::Config;
use crate::stencil::{convergence, halo, residual};

/// A kernel with all that a pipeline is made of.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AuxKernel {
    /// The whole module.
    pub wgsl: String,
    /// Its entry point.
    pub entry_point: &'static str,
    /// The values of its overrides.
    pub overrides: Vec<(&'static str, f64)>,
}

impl Config {
    /// Every kernel that some step of this stencil may take besides [`Config::compose`]: those of the halo exchange
    /// of a cut ring, of the residual, and of the convergence check that stops a run.
    pub fn aux_kernels(&self) -> Vec<AuxKernel> {
        let kernel = |wgsl: String, overrides: Vec<_>, entry_points: &[&'static str]| {
            let with =
                |&entry_point| AuxKernel { wgsl: wgsl.clone(), entry_point, overrides: overrides.clone() };
            entry_points.iter().map(with).collect::<Vec<_>>()
        };
        [
            kernel(halo::compose(self.element), vec![], &["gather", "scatter"]),
            kernel(residual::compose(self, true), residual::overrides().to_vec(), &["main"]),
            kernel(residual::compose(self, false), residual::overrides().to_vec(), &["main"]),
            kernel(convergence::compose(self.element), vec![], &["open", "count", "close"]),
        ]
        .concat()
    }
}
