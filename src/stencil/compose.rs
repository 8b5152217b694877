//! The text of a stencil's kernel, its bindings and its overrides.

use crate::element::Element;
use crate::gpu::kernel::{Access, PARAMETERS, Slot};
use crate::gpu::pass::SECOND;
use crate::shader::{self, Composer, rooms};
use crate::stencil::blocked;
use crate::stencil::catalogue::Mapping;
use crate::stencil::config::Config;
use crate::stencil::formula;
use crate::stencil::stencils::Dims;
use crate::stencil::strip;
use crate::stencil::tuning::Tuning;

impl Config {
    /// Composes the kernel's WGSL: the kernel first, then everything that it imports. The block is in the
    /// overrides `ROWS` and `COLS`.
    pub fn compose(&self) -> String {
        let composer = Composer::of(&[rooms::STENCIL, rooms::SHARED]);
        let composer = if self.variant.is_blocked() { blocked::pieces(self, composer) } else { composer };
        let (four, equal) = (self.lanes() == 4, self.one_weight);
        formula::pieces(self, composer)
            .define("fixed_borders", self.is_for_fixed_borders())
            .define("rhs", self.rhs)
            .generate("element", "the element type", format!("alias Elem = {};", self.element))
            .provide("strip", strip::strip(self.tuning.strip))
            .choose("star5", if equal { "stencil/stars/five_one_weight" } else { "stencil/stars/five" })
            .choose("star7", if equal { "stencil/stars/seven_one_weight" } else { "stencil/stars/seven" })
            .choose("tile", self.tile_file())
            .choose(
                "outputs",
                if self.variant.shares_sums { "stencil/outputs/common_sums" } else { "stencil/outputs/each" },
            )
            .choose("sums", if self.stencil.is_star() { "stencil/sums/star7" } else { "stencil/sums/box27" })
            .choose("cells", if four { "stencil/lanes/four" } else { "stencil/shared/cells" })
            .choose("lanes", if four { "stencil/lanes/four" } else { "stencil/lanes/one" })
            .choose("ends", if four { "stencil/lanes/four_ends" } else { "stencil/lanes/one_ends" })
            .compose(self.variant.file, extensions(self.element))
    }

    /// The file with the kernel's tile in workgroup memory.
    fn tile_file(&self) -> &'static str {
        match (self.variant.mapping, self.variant.dims()) {
            (Mapping::Overlapped, Dims::Two) => "stencil/shared/overlapped2d",
            (Mapping::Overlapped, Dims::Three) => "stencil/shared/overlapped3d",
            (_, Dims::Two) => "stencil/shared/direct2d",
            (_, Dims::Three) => "stencil/shared/direct3d",
        }
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
