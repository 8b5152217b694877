//! The kernels of prefixes, and of selections, which are prefixes of counts: over elements and over states.

use wgpu::{Features, Limits};

use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot};
use crate::gpu::limits::{self, LimitError, largest_workgroup, needs};
use crate::gpu::operation::{Memory, Step};
use crate::gpu::outputs;
use crate::gpu::range::Cut;
use crate::reduce::Monoid;
use crate::scan::plan::Layout;
use crate::shader::{self, Composer, Piece, rooms};

/// The binding with the states, and that with the offsets of rows.
const STATES: u32 = 4;
pub(super) const OFFSETS: u32 = 7;

pub(super) const REDUCE: Step = "reduce";
pub(super) const REDUCE_STATES: Step = "reduce-states";
pub(super) const SCAN: Step = "scan";
pub(super) const SCAN_LAST: Step = "scan-last";
pub(super) const SCAN_STATES: Step = "scan-states";
pub(super) const CARRY: Step = "carry";

/// All kernels, the last of which only inputs that continue others need.
const ALL: &[Step] = &[REDUCE, REDUCE_STATES, SCAN, SCAN_LAST, SCAN_STATES, CARRY];
pub(crate) const STEPS: &[Step] = ALL.split_at(ALL.len() - 1).0;

/// Items of an invocation.
const OWN: u32 = 16;

/// The largest workgroup, and the workgroup memory that every device has.
const WORKGROUP: u32 = 256;
const MEMORY: u32 = 16 << 10;

/// The places for totals, of which some are not used.
fn totals(workgroup: u32) -> u32 {
    4 * workgroup + workgroup.div_ceil(8)
}

/// Bytes of workgroup memory.
fn memory(workgroup: u32, acc: u64) -> u64 {
    u64::from(totals(workgroup) + workgroup) * acc
}

/// Invocations of a workgroup.
fn workgroup(acc: u64, limits: &Limits) -> u32 {
    let most = MEMORY.min(limits.max_compute_workgroup_storage_size);
    let largest = 1 << largest_workgroup(limits).clamp(1, WORKGROUP).ilog2();
    let smaller = std::iter::successors(Some(largest), |size| Some(size / 2));
    smaller.take_while(|size| *size > 0).find(|size| memory(*size, acc) <= most.into()).unwrap_or(1)
}

/// The elements that are put side by side in workgroup memory at a time: a power of two.
fn staged(workgroup: u32, acc: u64, item: u64) -> u32 {
    // One place is for elements that are not kept.
    let room = (u64::from(MEMORY).saturating_sub(memory(workgroup, acc)) / item).saturating_sub(1);
    1 << room.clamp(1, (OWN * workgroup).into()).ilog2()
}

/// The results that kernels write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Delivers {
    /// Prefixes, with the element itself or without.
    Prefixes { is_exclusive: bool, continues: bool },
    /// The elements that are kept, or their indices, and their number.
    Selected { as_indices: bool },
}

/// The case that kernels are made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Made<'a> {
    pub(crate) monoid: &'a Monoid,
    pub(crate) rows: &'a Cut,
    pub(crate) delivers: Delivers,
}

impl<'a> Made<'a> {
    /// True if an input goes on where another one has ended.
    fn continues(&self) -> bool {
        matches!(self.delivers, Delivers::Prefixes { continues: true, .. })
    }

    /// Its kernels.
    pub(crate) fn steps(&self) -> &'static [Step] {
        if self.continues() { ALL } else { STEPS }
    }

    /// The sizes of a plan on a device with these limits.
    pub(crate) fn layout(&self, limits: &Limits) -> Layout<'a> {
        let Made { monoid, rows, delivers } = *self;
        Layout {
            item: monoid.stride(),
            result: matches!(delivers, Delivers::Prefixes { .. }).then(|| monoid.out_size()),
            tile: (OWN * workgroup(monoid.acc_size(), limits)).into(),
            // Elements that a device reads as pairs of words have a second kernel, too.
            has_last: monoid.elem.has_vectors(),
            rows,
            continues: self.continues(),
        }
    }

    /// The memory for the states over so many elements.
    pub(crate) fn memory(&self, len: u64, limits: &Limits) -> Result<Vec<Memory>, LimitError> {
        let size = self.layout(limits).states(len) * self.monoid.acc_size();
        Ok(vec![Memory::scratch(STATES, size).checked(limits, "the memory for states", "")?])
    }

    /// The kernel of a step, on a device with these features and limits.
    pub(crate) fn kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        let monoid = &self.monoid.on(features);
        let of_states = [REDUCE_STATES, SCAN_STATES].contains(&step);
        let vectors = !of_states && step != SCAN_LAST && monoid.elem.has_vectors();
        let put = match step {
            SCAN_STATES => "scan/put/states",
            SCAN if vectors && monoid.out.is_scalar() => "scan/put/vectors",
            _ => "scan/put/singles",
        };
        let file = match (step, self.delivers) {
            (REDUCE | REDUCE_STATES, _) => "scan/reduce",
            (CARRY, _) => "scan/carry",
            (SCAN | SCAN_LAST, Delivers::Selected { .. }) => "scan/select",
            _ => "scan/scan",
        };
        let mapped = match self.delivers {
            Delivers::Selected { .. } => "scan/mapped/ended",
            Delivers::Prefixes { .. } => "scan/mapped/all",
        };
        let buffers = format!("{}alias Stored = {};", monoid.elem.alias(), monoid.out.wgsl);
        let types = Piece::new("generated: what the buffers hold", buffers);
        let is_half = monoid.own_features().contains(Features::SHADER_F16);
        let wgsl = Composer::of(&[rooms::SCAN, rooms::SHARED, rooms::OPERATORS, rooms::EXACT])
            .define("reads_partials", of_states)
            .define("vectors", vectors)
            .provide("operator", [vec![types], monoid.pieces.clone()].concat())
            .generate("selected", "what is kept of an element", self.selected())
            .choose("io", "scan/shared/io")
            .choose("columns", if self.is_between() { "scan/columns/between" } else { "scan/columns/even" })
            .choose("put", put)
            .choose("mapped", mapped)
            .compose(file, if is_half { &["f16"] } else { &[] });
        let workgroup = workgroup(monoid.acc_size(), limits);
        let mut overrides = vec![("WG", workgroup.into())];
        if step != CARRY {
            overrides.extend([
                ("TOTALS", totals(workgroup).into()),
                ("ROWS", (*self.rows != Cut::All).into()),
                ("CONTINUES", self.continues().into()),
            ]);
        }
        match self.delivers {
            _ if [REDUCE, REDUCE_STATES, SCAN_STATES, CARRY].contains(&step) => {}
            Delivers::Prefixes { is_exclusive, .. } => overrides.push(("EXCLUSIVE", is_exclusive.into())),
            Delivers::Selected { .. } => {
                let staged = staged(workgroup, monoid.acc_size(), self.kept_size());
                overrides.extend([("STAGED", staged.into()), ("PLACES", (staged + 1).into())]);
            }
        }
        let label = shader::label(&["scan", monoid.name(), step]);
        Kernel::new(label, wgsl, self.slots(step, vectors), overrides)
    }

    /// Bytes of what is kept of an element.
    pub(crate) fn kept_size(&self) -> u64 {
        if self.delivers == (Delivers::Selected { as_indices: true }) { 4 } else { self.monoid.stride() }
    }

    /// The type of what is kept of an element, and the function that makes it.
    fn selected(&self) -> String {
        let (ty, value) = match self.delivers {
            Delivers::Selected { as_indices: true } => ("u32", "index"),
            _ => ("Elem", "elem"),
        };
        format!(
            "alias Selected = {ty};\n\nfn selected(elem: Elem, index: u32) -> Selected {{\n    return {value};\n}}"
        )
    }

    /// True if rows lie between offsets.
    fn is_between(&self) -> bool {
        matches!(self.rows, Cut::Segments(_))
    }

    /// The bindings of a kernel.
    fn slots(&self, step: Step, vectors: bool) -> Vec<Slot> {
        let of_elements = [REDUCE, SCAN, SCAN_LAST].contains(&step);
        let writes = of_elements && step != REDUCE;
        let needs = [
            ((0, Access::Read), of_elements),
            ((1, Access::Write), writes),
            ((PARAMETERS, Access::Uniform), true),
            ((3, Access::Read), vectors),
            ((STATES, Access::Write), true),
            ((OFFSETS, Access::Read), self.is_between()),
        ];
        let arrays = match self.delivers {
            Delivers::Selected { .. } if writes => 2,
            _ if step == CARRY => 2,
            _ => 1,
        };
        let needed = needs.into_iter().filter_map(|(slot, needed)| needed.then_some(slot));
        let parameters = self.monoid.parameters.map(|parameters| parameters.slot());
        needed.chain(parameters).chain(outputs::slots(arrays)).collect()
    }

    /// Checks that a device can run the kernels.
    pub(crate) fn check(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        let monoid = self.monoid.on(features);
        monoid.check_features(features)?;
        limits::check(&self.slots(SCAN, monoid.elem.has_vectors()), limits)?;
        let (workgroup, acc) = (workgroup(monoid.acc_size(), limits), monoid.acc_size());
        limits::check_workgroup([workgroup, 1], limits)?;
        let needed = match self.delivers {
            Delivers::Prefixes { .. } => 0,
            Delivers::Selected { .. } => {
                u64::from(staged(workgroup, acc, self.kept_size()) + 1) * self.kept_size()
            }
        };
        needs!(limits, max_compute_workgroup_storage_size, memory(workgroup, acc) + needed)?;
        if monoid.op().is_none() {
            for step in self.steps() {
                WgslError::unless_valid(&self.kernel(step, features, limits).wgsl)?;
            }
        }
        Ok(())
    }
}
