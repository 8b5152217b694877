//! The kernels of selections.

use std::borrow::Cow;

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits::{self, needs, power_of_two_workgroup};
use crate::gpu::operation::{Base, Step};
use crate::reduce::Monoid;
use crate::reduce::elem::Elem;
use crate::select::{Kept, Select};
use crate::shader::{self, Composer, Piece, rooms};

/// The bindings with marks, and with counts of tiles.
pub(super) const MARKS: u32 = 5;
pub(super) const COUNTS: u32 = 6;

pub(super) const MARK: Step = "select/mark";
pub(super) const JOIN: Step = "select/join";
pub(super) const AHEAD: Step = "select/ahead";
pub(super) const SELECT: Step = "select/select";

pub(super) const STEPS: &[Step] = &[MARK, JOIN, AHEAD, SELECT];

/// What is stored beside what is kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Beside {
    Nothing,
    /// The lengths of runs.
    Lengths,
}

/// Elements of an invocation, and of the largest tile.
const OWN: u32 = 32;
const TILE: u32 = 4096;

/// The largest workgroup that joins counts, of four tiles for each invocation.
const JOINING: u32 = 256;

/// Listed positions for each invocation.
const LISTED: u32 = 4;

/// The workgroup memory of an invocation, at most: of these positions, four words, and one for all.
const BYTES_PER_INVOCATION: u32 = 4 * LISTED + 16 + 4;

/// Returns the number of invocations of a workgroup: at most `most`, and no more than workgroup memory has room for.
fn workgroup(most: u32, limits: &Limits) -> u32 {
    let fitting = limits.max_compute_workgroup_storage_size / BYTES_PER_INVOCATION;
    power_of_two_workgroup(most.min(fitting), limits)
}

/// Elements of a tile, the work of a workgroup.
pub(super) fn tile(limits: &Limits) -> u32 {
    OWN * workgroup(TILE / OWN, limits)
}

/// Tiles of a block.
pub(super) fn block(limits: &Limits) -> u32 {
    4 * workgroup(JOINING, limits)
}

impl Select {
    /// Bytes of what is kept of an element.
    pub(super) fn kept_size(&self) -> u64 {
        if self.as_indices { 4 } else { self.item() }
    }

    /// The operator that decides, as it is on a device.
    fn monoid(&self, features: Features) -> Option<Cow<'_, Monoid>> {
        match &self.kept {
            Kept::Function(monoid) => Some(monoid.on(features)),
            Kept::Changes(_) => None,
        }
    }

    /// Elements as kernels read them.
    fn elem(&self, features: Features) -> Elem {
        match &self.kept {
            Kept::Function(monoid) => monoid.on(features).elem,
            Kept::Changes(element) => Elem::of_words(*element),
        }
    }

    pub(crate) fn composed(&self, step: Step, beside: Beside, features: Features, limits: &Limits) -> Kernel {
        let (monoid, elem) = (self.monoid(features), self.elem(features));
        let joins = [JOIN, AHEAD].contains(&step);
        let subgroups = features.contains(Features::SUBGROUP);
        let (ty, value) =
            if self.as_indices { ("u32", "params.index + i") } else { ("Elem", "input[params.first + i]") };
        let selected =
            format!("alias Selected = {ty};\n\nfn selected(i: u32) -> Selected {{\n    return {value};\n}}");
        let types = Piece::new("generated: what the buffers hold", elem.alias());
        let is_half =
            !joins && monoid.as_ref().is_some_and(|it| it.own_features().contains(Features::SHADER_F16));
        let pieces = monoid.as_ref().map_or(Vec::new(), |monoid| monoid.pieces.clone());
        let kept = if monoid.is_some() { "select/kept/function" } else { "select/kept/changes" };
        let is_alone = beside == Beside::Nothing;
        let wgsl = Composer::of(&[rooms::SELECT, rooms::SHARED])
            .define("vectors", elem.has_vectors())
            .define("float", self.element().is_some_and(Element::is_float))
            .define("bits_64", self.item() == 8)
            .define("subgroups", subgroups)
            .provide("operator", [vec![types], pieces].concat())
            .generate("selected", "what is kept of an element", selected)
            .choose("io", "select/shared/io")
            .choose("kept", kept)
            .choose("beside", if is_alone { "select/beside/nothing" } else { "select/beside/lengths" })
            .choose("places", if subgroups { "select/places/subgroups" } else { "select/places/memory" })
            .compose(step, if is_half { &["f16"] } else { &[] });
        let workgroup = workgroup(if joins { JOINING } else { TILE / OWN }, limits);
        let overrides = declared([
            ("WG", workgroup, true),
            ("TILE", tile(limits), joins || step == SELECT && !is_alone),
            ("BLOCK", block(limits), joins),
            ("LISTED", LISTED * workgroup, step == SELECT),
            ("PLACES", workgroup + workgroup / 8, step == MARK),
            ("SUBGROUPS", workgroup.div_ceil(4), subgroups),
        ]);
        Kernel::new(shader::label(&[step]), wgsl, self.slots(step, beside), overrides)
    }

    /// The bindings of a kernel. The application's parameters are those of its function.
    fn slots(&self, step: Step, beside: Beside) -> Vec<Slot> {
        use Access::{Read, Write};
        let own: &[Slot] = match step {
            MARK => &[(0, Read), (MARKS, Write)],
            SELECT => &[(0, Read), (1, Write), (MARKS, Write), (11, Write)],
            _ => &[],
        };
        let lengths = (step == SELECT && beside == Beside::Lengths).then_some((12, Write));
        let vectors = (step == MARK && self.elem(Features::empty()).has_vectors()).then_some((3, Read));
        let parameters = self.parameters().1.filter(|_| step == MARK).map(|parameters| parameters.slot());
        let common = [(PARAMETERS, Access::Uniform), (COUNTS, Write)];
        own.iter().copied().chain(lengths).chain(common).chain(vectors).chain(parameters).collect()
    }

    pub(crate) fn check(&self, beside: Beside, features: Features, limits: &Limits) -> Result<(), Error> {
        let monoid = self.monoid(features);
        if let Some(monoid) = &monoid {
            monoid.check_features(features)?;
        }
        limits::check_all(STEPS.iter().map(|step| self.slots(step, beside)), limits)?;
        limits::check_workgroup([workgroup(JOINING, limits), 1], limits)?;
        needs!(limits, max_compute_workgroup_storage_size, BYTES_PER_INVOCATION)?;
        if monoid.is_some() {
            for step in [MARK, SELECT] {
                WgslError::unless_valid(&self.composed(step, beside, features, limits).wgsl)?;
            }
        }
        Ok(())
    }
}
