//! The kernels of selections.

use wgpu::{Features, Limits};

use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot};
use crate::gpu::limits::{self, needs, power_of_two_workgroup};
use crate::gpu::operation::Step;
use crate::select::Select;
use crate::shader::{self, Composer, Piece, rooms};

/// The bindings with marks, and with counts of tiles.
pub(super) const MARKS: u32 = 5;
pub(super) const COUNTS: u32 = 6;

pub(super) const MARK: Step = "select/mark";
pub(super) const JOIN: Step = "select/join";
pub(super) const AHEAD: Step = "select/ahead";
pub(super) const SELECT: Step = "select/select";

/// All kernels, in their order.
pub(super) const STEPS: &[Step] = &[MARK, JOIN, AHEAD, SELECT];

/// Elements of an invocation, and of the largest tile.
const OWN: u32 = 32;
const TILE: u32 = 4096;

/// The largest workgroup that joins counts, of four tiles for each invocation.
const JOINING: u32 = 256;

/// The workgroup memory of an invocation, at most.
const BYTES_PER_INVOCATION: u32 = 16;

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
        if self.as_indices { 4 } else { self.monoid.stride() }
    }

    /// The kernel of a step.
    pub(super) fn composed(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        let monoid = &self.monoid.on(features);
        let joins = [JOIN, AHEAD].contains(&step);
        let subgroups = features.contains(Features::SUBGROUP);
        let (ty, value) =
            if self.as_indices { ("u32", "params.index + i") } else { ("Elem", "input[params.first + i]") };
        let selected =
            format!("alias Selected = {ty};\n\nfn selected(i: u32) -> Selected {{\n    return {value};\n}}");
        let types = Piece::new("generated: what the buffers hold", monoid.elem.alias());
        let is_half = !joins && monoid.own_features().contains(Features::SHADER_F16);
        let wgsl = Composer::of(&[rooms::SELECT, rooms::SHARED])
            .define("vectors", monoid.elem.has_vectors())
            .define("subgroups", subgroups)
            .provide("operator", [vec![types], monoid.pieces.clone()].concat())
            .generate("selected", "what is kept of an element", selected)
            .choose("io", "select/shared/io")
            .choose("places", if subgroups { "select/places/subgroups" } else { "select/places/memory" })
            .compose(step, if is_half { &["f16"] } else { &[] });
        let workgroup = workgroup(if joins { JOINING } else { TILE / OWN }, limits);
        let mut overrides = vec![("WG", workgroup.into())];
        if joins {
            overrides.extend([("TILE", tile(limits).into()), ("BLOCK", block(limits).into())]);
        }
        if step == MARK {
            overrides.push(("PLACES", (workgroup + workgroup / 8).into()));
        }
        if subgroups {
            overrides.push(("SUBGROUPS", workgroup.div_ceil(4).into()));
        }
        Kernel::new(shader::label(&[step]), wgsl, self.slots(step), overrides)
    }

    /// The bindings of a kernel. The application's parameters are those of its function.
    fn slots(&self, step: Step) -> Vec<Slot> {
        use Access::{Read, Write};
        let own: &[Slot] = match step {
            MARK => &[(0, Read), (MARKS, Write)],
            SELECT => &[(0, Read), (1, Write), (MARKS, Write), (11, Write)],
            _ => &[],
        };
        let vectors = (step == MARK && self.monoid.elem.has_vectors()).then_some((3, Read));
        let parameters = self.monoid.parameters.filter(|_| step == MARK).map(|parameters| parameters.slot());
        let common = [(PARAMETERS, Access::Uniform), (COUNTS, Write)];
        own.iter().copied().chain(common).chain(vectors).chain(parameters).collect()
    }

    /// Checks that a device can run the kernels.
    pub(super) fn check(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        self.monoid.on(features).check_features(features)?;
        limits::check_all(STEPS.iter().map(|step| self.slots(step)), limits)?;
        limits::check_workgroup([workgroup(JOINING, limits), 1], limits)?;
        needs!(limits, max_compute_workgroup_storage_size, BYTES_PER_INVOCATION)?;
        for step in [MARK, SELECT] {
            WgslError::unless_valid(&self.composed(step, features, limits).wgsl)?;
        }
        Ok(())
    }
}
