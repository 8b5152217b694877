//! The kernels of selections.

use wgpu::{Features, Limits};

use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot};
use crate::gpu::limits::{self, largest_workgroup, needs};
use crate::gpu::operation::{Base, Step};
use crate::select::Select;
use crate::shader::{self, Composer, Piece, rooms};

/// The bindings with marks, with counts of tiles, and with their sums.
pub(super) const MARKS: u32 = 5;
pub(super) const COUNTS: u32 = 6;
pub(super) const ENDS: u32 = 8;

pub(super) const MARK: Step = "mark";
pub(super) const SELECT: Step = "select";

/// Elements of an invocation.
pub(super) const OWN: u32 = 32;

/// The largest workgroup, and the workgroup memory that every device has.
const WORKGROUP: u32 = 256;
const MEMORY: u32 = 16 << 10;

impl Select {
    /// Places in workgroup memory for the elements of two rows, and one for those that are not kept.
    fn room(workgroup: u32) -> u32 {
        8 * workgroup + 1
    }

    /// Bytes of workgroup memory: these places, and the numbers of invocations.
    fn workgroup_memory(&self, workgroup: u32) -> u64 {
        u64::from(Select::room(workgroup)) * self.kept_size() + 16 * u64::from(workgroup)
    }

    /// Invocations of a workgroup.
    pub(super) fn workgroup(&self, limits: &Limits) -> u32 {
        let most = MEMORY.min(limits.max_compute_workgroup_storage_size);
        let largest = 1 << largest_workgroup(limits).clamp(1, WORKGROUP).ilog2();
        let smaller = std::iter::successors(Some(largest), |size| Some(size / 2));
        let fits = |size: &u32| self.workgroup_memory(*size) <= most.into();
        smaller.take_while(|size| *size > 0).find(fits).unwrap_or(1)
    }

    /// Bytes of what is kept of an element.
    pub(super) fn kept_size(&self) -> u64 {
        if self.as_indices { 4 } else { self.monoid.stride() }
    }

    /// The kernel of a step of its own.
    pub(super) fn own_kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        let monoid = &self.monoid.on(features);
        let workgroup = self.workgroup(limits);
        let subgroups = step == SELECT && features.contains(Features::SUBGROUP);
        let (ty, value) = if self.as_indices { ("u32", "index") } else { ("Elem", "elem") };
        let selected = format!(
            "alias Selected = {ty};\n\nfn selected(elem: Elem, index: u32) -> Selected {{\n    return {value};\n}}"
        );
        let types = Piece::new("generated: what the buffers hold", monoid.elem.alias());
        let is_half = monoid.own_features().contains(Features::SHADER_F16);
        let wgsl = Composer::of(&[rooms::SELECT, rooms::SHARED])
            .define("vectors", monoid.elem.has_vectors())
            .define("subgroups", subgroups)
            .provide("operator", [vec![types], monoid.pieces.clone()].concat())
            .generate("selected", "what is kept of an element", selected)
            .choose("io", "select/shared/io")
            .choose("places", if subgroups { "select/places/subgroups" } else { "select/places/memory" })
            .compose(
                if step == MARK { "select/mark" } else { "select/select" },
                if is_half { &["f16"] } else { &[] },
            );
        let mut overrides = vec![("WG", workgroup.into())];
        if step == SELECT {
            overrides.push(("ROOM", Select::room(workgroup).into()));
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
            MARK => &[(0, Read), (MARKS, Write), (COUNTS, Write)],
            _ => &[(0, Read), (1, Write), (MARKS, Write), (ENDS, Read), (11, Write)],
        };
        let parameters = self.monoid.parameters.filter(|_| step == MARK).map(|parameters| parameters.slot());
        let vectors = self.monoid.elem.has_vectors().then_some((3, Read));
        let others = [(PARAMETERS, Access::Uniform)].into_iter().chain(vectors).chain(parameters);
        own.iter().copied().chain(others).collect()
    }

    /// Checks that a device can run the kernels.
    pub(super) fn check(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        self.monoid.on(features).check_features(features)?;
        self.sums.check_on(features, limits)?;
        limits::check_all([MARK, SELECT].into_iter().map(|step| self.slots(step)), limits)?;
        let workgroup = self.workgroup(limits);
        limits::check_workgroup([workgroup, 1], limits)?;
        needs!(limits, max_compute_workgroup_storage_size, self.workgroup_memory(workgroup))?;
        for step in [MARK, SELECT] {
            WgslError::unless_valid(&self.own_kernel(step, features, limits).wgsl)?;
        }
        Ok(())
    }
}
