//! The auxiliary kernels of a stencil. They are translated and tested like its main kernel.

use crate::element::Element;
use crate::gpu::kernel::Access::{Read, Uniform, Write};
use crate::gpu::kernel::{Kernel, PARAMETERS, Slot};
use crate::reduce::Monoid;
use crate::shader::{self, Composer, rooms};
use crate::stencil::compose;
use crate::stencil::config::Config;
use crate::stencil::residual;

/// The kernels of the halo exchange, which collect the layers and put them back, and their bindings.
pub(super) const HALO: [&str; 2] = ["gather", "scatter"];
pub(super) const HALO_SLOTS: &[Slot] =
    &[(1, Write), (PARAMETERS, Uniform), (4, Write), (8, Write), (9, Write)];

/// The kernels of `shaders/stencil/convergence.wgsl`, and their bindings.
pub(super) const CONVERGENCE: [&str; 4] = ["begin", "resume", "count", "decide"];
pub(super) const CONVERGENCE_SLOTS: &[Slot] =
    &[(0, Read), (1, Write), (PARAMETERS, Uniform), (3, Read), (4, Write)];

/// An auxiliary kernel by its entry point. It always has wgpu's checks: they cost nothing there.
pub(super) fn kernel(element: Element, entry_point: &'static str) -> Kernel {
    let composer = Composer::of(&[rooms::STENCIL, rooms::SHARED]);
    let (wgsl, slots) = if HALO.contains(&entry_point) {
        let composer = composer.generate("element", "the element type", format!("alias Elem = {element};"));
        (composer.compose("stencil/halo", compose::extensions(element)), HALO_SLOTS)
    } else {
        let real = format!("alias Real = {};", residual::real(element));
        let composer = composer.generate("element", "the residual's type", real);
        (composer.compose("stencil/convergence", &[]), CONVERGENCE_SLOTS)
    };
    let label = shader::label(&["stencil", entry_point]);
    Kernel { entry_point, keeps_checks: true, ..Kernel::new(label, wgsl, slots, Vec::new()) }
}

impl Config {
    /// All kernels that a step of this stencil may dispatch in addition to [`Config::compose`]: those of the
    /// halo exchange and of the convergence check. The residual is computed by the kernels of
    /// [`reduce`](crate::reduce). Each is a label, an entry point and a module, which has no overrides.
    pub fn aux_kernels(&self) -> Vec<(String, &'static str, String)> {
        let kernels =
            HALO.into_iter().chain(CONVERGENCE).map(|entry_point| kernel(self.element, entry_point));
        kernels.map(|kernel| (kernel.label, kernel.entry_point, kernel.wgsl)).collect()
    }

    /// The operator over two grids that adds up the squared changes of an exact check.
    pub fn exact_residual(&self) -> Monoid {
        residual::exact_operator(self.element)
    }
}
