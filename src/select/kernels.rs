//! The kernels of selections: those of a scan, with tiles of their own.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::operation::{Base, Step};
use crate::gpu::outputs;
use crate::reduce::elem::Elem;
use crate::reduce::layout::Layout as Words;
use crate::scan::Progress;
use crate::scan::kernels::LINKS;
use crate::select::{ADDED, ADDED_WITH_LAST, Kept, Select};
use crate::shader::{self, Composer, Piece, rooms};

/// Selections of long, medium and short inputs.
pub(super) const LONG: Step = "select";
pub(super) const MEDIUM: Step = "select-medium";
pub(super) const SHORT: Step = "select-short";

/// What is stored beside what is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Beside {
    Nothing,
    /// The lengths of runs.
    Lengths,
}

impl Beside {
    /// The state of the chain: the number of kept elements, and beside lengths the position behind the last.
    pub(super) fn state(self) -> Words {
        match self {
            Beside::Nothing => Words::of_words("Acc", &[""], "{0}", 4),
            Beside::Lengths => Words::of_words("Acc", &[".x", ".y"], "Acc({0}, {1})", 8),
        }
    }
}

/// The size in bytes of the largest element that `MEDIUM` and `LONG` select. 48 elements of 8 bytes need more registers than an AMD GPU has.
pub(super) const WIDE: u64 = 4;

/// Elements of an invocation.
pub(super) fn own(step: Step) -> u32 {
    match step {
        SHORT => 16,
        MEDIUM => 32,
        _ => 48,
    }
}

impl Select {
    /// Bytes of what is kept of an element.
    pub(super) fn kept_size(&self) -> u64 {
        if self.as_indices { 4 } else { self.item() }
    }

    pub(super) fn composed(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        // Sixteen larger elements are too much for registers.
        let subgroups = features.contains(Features::SUBGROUP) && self.item() <= 16;
        let is_short = subgroups && step == SHORT;
        let is_alone = self.beside == Beside::Nothing;
        let (elem, pieces, is_half, kept) = match &self.kept {
            Kept::Function(monoid) => {
                let monoid = monoid.on(features);
                let is_half = monoid.own_features().contains(Features::SHADER_F16);
                (monoid.elem, monoid.pieces.clone(), is_half, "function")
            }
            Kept::Changes(element) => {
                let added = if is_alone { ADDED } else { ADDED_WITH_LAST };
                (Elem::of_words(*element), vec![Piece::new("generated: a state", added)], false, "changes")
            }
        };
        let types = Piece::new("generated: what the input holds", elem.alias());
        let (ty, value) = if self.as_indices { ("u32", "params.index + i") } else { ("Elem", "elem") };
        let selected = format!(
            "alias Selected = {ty};\n\nfn selected(elem: Elem, i: u32) -> Selected {{\n    return {value};\n}}"
        );
        let composer = Composer::of(&[rooms::SELECT, rooms::SCAN, rooms::SHARED]);
        let composer = self.beside.state().described(composer);
        let wgsl = composer
            .define("float", self.element().is_some_and(Element::is_float))
            .define("bits_64", self.item() == 8)
            .define("subgroups", subgroups)
            .define("tested", self.progress != Progress::Usual)
            .provide("operator", [vec![types], pieces].concat())
            .generate("map", "what is kept of an element", selected)
            .supply("io", "scan/shared/io")
            .choose("scan/columns", "even")
            .choose("scan/again", if is_short { "mark" } else { "load" })
            .choose("select/kept", kept)
            .choose("shared/run_keys", if self.item() == 8 { "two_words" } else { "word" })
            .choose("select/beside", if is_alone { "nothing" } else { "lengths" })
            .choose("scan/tile", if subgroups { "kept_rows" } else { "kept_lanes" })
            .choose("lib/state", "acc")
            .choose("lib/workgroup/through", if subgroups { "subgroups" } else { "memory" })
            .choose("lib/subgroup/shuffle", if is_alone { "word" } else { "words" })
            .compose("scan/scan", if is_half { &["f16"] } else { &[] });
        let workgroup = self.workgroup(step, limits);
        let overrides = declared([
            ("WG", workgroup, true),
            ("ITEMS_PER_LANE", own(step), true),
            ("BLOCK", workgroup, true),
            ("SUBGROUPS", workgroup.div_ceil(4), subgroups),
            ("POSITIONS", 16 * workgroup, subgroups && !is_alone),
        ]);
        let overrides = [overrides, self.progress.overrides()].concat();
        Kernel::new(shader::label(&[step]), wgsl, self.slots(), overrides)
    }

    /// The bindings of a kernel.
    pub(super) fn slots(&self) -> Vec<Slot> {
        use Access::{Read, Uniform, Write};
        let outputs = outputs::slots(if self.beside == Beside::Lengths { 3 } else { 2 });
        let parameters = self.parameters().1.map(|parameters| parameters.slot());
        let own = [(0, Read), (1, Write), (LINKS, Write), (PARAMETERS, Uniform)];
        own.into_iter().chain(parameters).chain(outputs).collect()
    }
}
