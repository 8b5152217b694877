//! The text of a stencil's kernel, its bindings and its overrides.

use crate::element::Element;
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot};
use crate::gpu::pass::SECOND;
use crate::shader::{self, Composer, rooms};
use crate::stencil::blocked;
use crate::stencil::catalogue::Mapping;
use crate::stencil::config::Config;
use crate::stencil::formula;
use crate::stencil::stencils::Dims;
use crate::stencil::tuning::Tuning;

impl Config {
    /// Composes the kernel's WGSL: the kernel first, then everything that it imports. The block is in the overrides `ROWS` and `COLS`.
    pub fn compose(&self) -> String {
        let composer = Composer::of(&[rooms::STENCIL, rooms::SHARED]);
        let composer = if self.variant.is_blocked() { blocked::pieces(self, composer) } else { composer };
        let lanes = if self.lanes() == 4 { "four" } else { "one" };
        let weights = if self.one_weight { "one_weight" } else { "weights" };
        let tile = if self.variant.mapping == Mapping::Overlapped { "overlapped" } else { "direct" };
        formula::pieces(self, composer)
            .define("fixed_borders", self.is_for_fixed_borders())
            .define("rhs", self.rhs)
            .generate("element", "the element type", format!("alias Elem = {};", self.element))
            .number("STRIP", self.tuning.strip)
            .choose("stencil/star5", weights)
            .choose("stencil/star7", weights)
            .choose("stencil/tile2d", tile)
            .choose("stencil/tile3d", tile)
            .choose("stencil/outputs", if self.variant.shares_sums { "common_sums" } else { "each" })
            .choose("stencil/sums", if self.stencil.is_star() { "star7" } else { "box27" })
            .choose("stencil/cells", lanes)
            .choose("stencil/lanes", lanes)
            .choose("stencil/ends", lanes)
            .compose(self.variant.file, extensions(self.element))
    }

    /// Returns the label of the kernel's module and pipeline.
    pub fn label(&self) -> String {
        shader::label(&["stencil", self.variant.name])
    }

    /// The bindings of group 0 that the kernel declares.
    pub(super) fn slots(&self) -> &'static [Slot] {
        const SLOTS: [Slot; 5] = [
            (0, Access::Read),
            (1, Access::Write),
            (PARAMETERS, Access::Uniform),
            (3, Access::Read),
            (SECOND, Access::Read),
        ];
        if self.rhs { &SLOTS } else { &SLOTS[..4] }
    }

    /// The kernel of a step.
    pub(super) fn kernel(&self) -> Kernel {
        Kernel::new(self.label(), self.compose(), self.slots(), self.overrides())
    }

    /// The pipeline overrides of the kernel.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let Tuning { block, rows_per_invocation, .. } = self.tuning;
        let mut overrides = vec![("ROWS", f64::from(block.rows)), ("COLS", f64::from(block.cols))];
        if self.variant.has_tile() && self.variant.dims() == Dims::Three {
            overrides.push(("UNROLL", f64::from(self.variant.unroll)));
        }
        if self.variant.mapping == Mapping::Strips && self.variant.dims() == Dims::Two {
            overrides.push(("ROWS_PER_INVOCATION", f64::from(rows_per_invocation)));
        }
        overrides
    }
}

/// The extensions that a module over an element type must enable.
pub(super) fn extensions(element: Element) -> &'static [&'static str] {
    if element == Element::F16 { &["f16"] } else { &[] }
}
