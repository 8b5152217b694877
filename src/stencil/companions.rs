//! The kernels that go with a stencil's own: shown, translated and tested like it.

use crate::stencil::plan::Job;
use crate::stencil::{convergence, residual, seam};

/// A kernel with all that a pipeline is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// The whole module.
    pub wgsl: String,
    /// Its entry point.
    pub entry_point: &'static str,
    /// The values of its overrides.
    pub overrides: Vec<(&'static str, f64)>,
}

impl Job {
    /// Every kernel that some step of this job may take besides [`Job::compose`]: those of the seam where a cut ring
    /// meets, of the residual, and of the gate that stops a run.
    pub fn companions(&self) -> Vec<Companion> {
        let kernel = |wgsl: String, overrides: Vec<_>, entry_points: &[&'static str]| {
            let with =
                |&entry_point| Companion { wgsl: wgsl.clone(), entry_point, overrides: overrides.clone() };
            entry_points.iter().map(with).collect::<Vec<_>>()
        };
        [
            kernel(seam::compose(self.element), vec![], &["gather", "scatter"]),
            kernel(residual::compose(self, true), residual::overrides().to_vec(), &["main"]),
            kernel(residual::compose(self, false), residual::overrides().to_vec(), &["main"]),
            kernel(convergence::compose(self.element), vec![], &["open", "count", "close"]),
        ]
        .concat()
    }
}
