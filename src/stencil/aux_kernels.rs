//! The auxiliary kernels of a stencil. They are translated and tested like its main kernel.

use crate::reduce::Monoid;
use crate::shader;
use crate::stencil::config::Config;
use crate::stencil::{convergence, halo, residual};

/// Returns the label of an auxiliary kernel.
pub(super) fn label(entry_point: &str) -> String {
    shader::label(&["stencil", entry_point])
}

impl Config {
    /// All kernels that a step of this stencil may launch in addition to [`Config::compose`]: those of the
    /// halo exchange and of the convergence check. The residual is computed by the kernels of
    /// [`reduce`](crate::reduce). Each is a label, an entry point and a module, which has no overrides.
    pub fn aux_kernels(&self) -> Vec<(String, &'static str, String)> {
        let kernel = |wgsl: String, entry_points: &[&'static str]| {
            let with = |&entry_point| (label(entry_point), entry_point, wgsl.clone());
            entry_points.iter().map(with).collect::<Vec<_>>()
        };
        [
            kernel(halo::compose(self.element), &["gather", "scatter"]),
            kernel(convergence::compose(self.element), &convergence::ENTRY_POINTS),
        ]
        .concat()
    }

    /// The operator over two grids that finds the largest change and the sum of all squared changes.
    pub fn residual(&self) -> Monoid {
        residual::operator(self.element)
    }

    /// The operator over two grids that adds up the squared changes of an exact check.
    pub fn exact_residual(&self) -> Monoid {
        residual::exact_operator(self.element)
    }
}
