//! The auxiliary kernels of a stencil. They are translated and tested like its main kernel.

use crate::element::Element;
use crate::gpu::kernel::{Access, PARAMETERS, Slot};
use crate::reduce::Monoid;
use crate::shader::{self, Composer, Piece, rooms};
use crate::stencil::compose;
use crate::stencil::config::Config;
use crate::stencil::residual;

/// The bindings of the kernels of the halo exchange.
pub(super) const HALO_SLOTS: &[Slot] = &[
    (1, Access::Write),
    (PARAMETERS, Access::Uniform),
    (4, Access::Write),
    (8, Access::Write),
    (9, Access::Write),
];

/// The kernels of `shaders/stencil/convergence.wgsl`, and their bindings.
pub(super) const ENTRY_POINTS: [&str; 4] = ["begin", "resume", "count", "decide"];
pub(super) const CONVERGENCE_SLOTS: &[Slot] = &[
    (0, Access::Read),
    (1, Access::Write),
    (PARAMETERS, Access::Uniform),
    (3, Access::Read),
    (4, Access::Write),
];

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
        [kernel(halo(self.element), &["gather", "scatter"]), kernel(convergence(self.element), &ENTRY_POINTS)]
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

/// The module with the kernels of the halo exchange.
pub(super) fn halo(element: Element) -> String {
    let composer =
        Composer::of(&[rooms::STENCIL, rooms::SHARED]).provide("element", compose::element(element));
    composer.compose("stencil/halo", compose::extensions(element))
}

/// The module with the kernels of the convergence check.
pub(super) fn convergence(element: Element) -> String {
    let real =
        Piece::new("generated: the residual's type", format!("alias Real = {};", residual::real(element)));
    Composer::of(&[rooms::STENCIL, rooms::SHARED])
        .provide("real", vec![real])
        .compose("stencil/convergence", &[])
}
