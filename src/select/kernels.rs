//! The kernels of selections: those of a scan, with tiles of their own.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits;
use crate::gpu::operation::{Base, Step};
use crate::gpu::outputs;
use crate::reduce::elem::Elem;
use crate::reduce::layout::Layout as Words;
use crate::scan::kernels::LINKS;
use crate::select::{ADDED, Kept, Select};
use crate::shader::{self, Composer, Piece, rooms};

/// The binding with the positions where chunks of runs begin.
pub(super) const BEGINS: u32 = 5;

/// Selections of long inputs, and of short ones.
pub(super) const SELECT: Step = "select";
pub(super) const SHORT: Step = "select-short";
pub(super) const LENGTHS: Step = "select/lengths";

/// What is stored beside what is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Beside {
    Nothing,
    /// The lengths of runs.
    Lengths,
}

/// The bytes of the largest elements of which an invocation has 48, in registers. An AMD GPU has no room for 48 of 8 bytes.
pub(super) const WIDE: u64 = 4;

/// Elements of an invocation.
pub(super) fn own(step: Step) -> u32 {
    if step == SHORT { 16 } else { 48 }
}

impl Select {
    /// Bytes of what is kept of an element.
    pub(super) fn kept_size(&self) -> u64 {
        if self.as_indices { 4 } else { self.item() }
    }

    /// The kernels that its plans may launch.
    pub(crate) fn steps_beside(&self, beside: Beside) -> Vec<Step> {
        let long = (self.item() <= WIDE).then_some(SELECT);
        let lengths = (beside == Beside::Lengths).then_some(LENGTHS);
        long.into_iter().chain([SHORT]).chain(lengths).collect()
    }

    pub(crate) fn composed(&self, step: Step, beside: Beside, features: Features, limits: &Limits) -> Kernel {
        // Sixteen larger elements are too much for registers.
        let subgroups = features.contains(Features::SUBGROUP) && self.item() <= 16;
        let is_short = subgroups && step == SHORT;
        let is_alone = beside == Beside::Nothing;
        let (elem, pieces, is_half, kept) = match &self.kept {
            Kept::Function(monoid) => {
                let monoid = monoid.on(features);
                let is_half = monoid.own_features().contains(Features::SHADER_F16);
                (monoid.elem, monoid.pieces.clone(), is_half, "function")
            }
            Kept::Changes(element) => {
                let added = Piece::new("generated: a count", ADDED);
                (Elem::of_words(*element), vec![added], false, "changes")
            }
        };
        let types = Piece::new("generated: what the input holds", elem.alias());
        let (ty, value) = if self.as_indices { ("u32", "params.index + i") } else { ("Elem", "elem") };
        let selected = format!(
            "alias Selected = {ty};\n\nfn selected(elem: Elem, i: u32) -> Selected {{\n    return {value};\n}}"
        );
        let state = Words::of_words(&[""], "{0}", 4);
        let composer = Composer::of(&[rooms::SELECT, rooms::SCAN, rooms::SHARED]);
        let wgsl = state
            .described(composer)
            .define("float", self.element().is_some_and(Element::is_float))
            .define("bits_64", self.item() == 8)
            .define("subgroups", subgroups)
            .provide("operator", [vec![types], pieces].concat())
            .generate("map", "what is kept of an element", selected)
            .supply("io", "scan/shared/io")
            .choose("scan/columns", "even")
            .choose("scan/again", if is_short { "mark" } else { "load" })
            .choose("select/kept", kept)
            .choose("shared/run_keys", if self.item() == 8 { "two_words" } else { "word" })
            .choose("select/beside", if is_alone { "nothing" } else { "lengths" })
            .choose("scan/tile", if subgroups { "kept_rows" } else { "kept_lanes" })
            .choose("lib/workgroup/through", if subgroups { "subgroups" } else { "memory" })
            .choose("lib/subgroup/shuffle", "word")
            .compose(if step == LENGTHS { step } else { "scan/scan" }, if is_half { &["f16"] } else { &[] });
        let workgroup = self.workgroup(limits);
        let selects = step != LENGTHS;
        let overrides = declared([
            ("WG", workgroup, true),
            ("ITEMS_PER_LANE", own(step), selects),
            ("BLOCK", workgroup, selects),
            ("SUBGROUPS", workgroup.div_ceil(4), selects && subgroups),
            ("CHUNK", self.chunk(limits) as u32, !is_alone),
        ]);
        let of_chain = if selects { self.progress.overrides() } else { Vec::new() };
        Kernel::new(shader::label(&[step]), wgsl, self.slots(step, beside), [overrides, of_chain].concat())
    }

    /// The bindings of a kernel.
    fn slots(&self, step: Step, beside: Beside) -> Vec<Slot> {
        use Access::{Read, Uniform, Write};
        let with_lengths = beside == Beside::Lengths;
        let outputs = outputs::slots(if with_lengths { 3 } else { 2 });
        let begins = with_lengths.then_some((BEGINS, Write));
        let parameters = self.parameters().1.map(|parameters| parameters.slot());
        let own =
            [(0, Read), (1, Write), (LINKS, Write)].into_iter().chain(parameters).filter(|_| step != LENGTHS);
        own.chain([(PARAMETERS, Uniform)]).chain(begins).chain(outputs).collect()
    }

    /// Checks that a device can run the kernel.
    pub(crate) fn check(&self, beside: Beside, features: Features, limits: &Limits) -> Result<(), Error> {
        limits::check(&self.slots(SHORT, beside), limits)?;
        limits::check_workgroup([self.workgroup(limits), 1], limits)?;
        if let Kept::Function(monoid) = &self.kept {
            monoid.on(features).check_features(features)?;
            WgslError::unless_valid(&self.composed(SHORT, beside, features, limits).wgsl)?;
        }
        Ok(())
    }
}
