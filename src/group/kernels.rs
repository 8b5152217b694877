//! The kernels of results by id.

use wgpu::Limits;

use crate::element::Element;
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits::power_of_two_workgroup;
use crate::gpu::operation::Step;
use crate::gpu::outputs;
use crate::group::aggregate::Aggregate;
use crate::group::plan::{
    APART, COLLECT, COLLECTING, COUNT, FINISH, MOST_PARTS, OFFSETS, PARTED, PUT, TABLES,
};
use crate::group::plan::{Table, VARIANCE};
use crate::group::spec::{GroupById, order_of, places};
use crate::reduce::exact::{ExactSum, Format};
use crate::shader::{self, Composer, rooms};

/// The ids of keys in a table of the workgroup's own.
const NEAR: &str = "near";

/// The kernels of pairs in order.
const BY_PARTS: [Step; 4] = [COUNT, OFFSETS, PUT, PARTED];

/// The most slots for keys in workgroup memory while they are collected, and bytes of it besides these.
const MOST_SEEN: u32 = 8192;
const BESIDES: u32 = 256;

/// Invocations that finish a group. Of many groups as many are finished at once, by eight times as many invocations.
const FINISHING: u32 = 32;
const FEW_GROUPS: u32 = 1024;

impl GroupById {
    /// The kernel of a step, on a device with these limits.
    pub(super) fn composed(&self, step: Step, limits: &Limits) -> Kernel {
        let (format, at_once) = match step {
            VARIANCE => (Format::Product, 0),
            _ => (Format::Single, self.finishing(limits).1),
        };
        let sums = ExactSum::of(format, Element::F32, "").constants(at_once);
        let wgsl = self
            .element
            .defines(Composer::of(&[rooms::GROUP, rooms::GROUP_BY, rooms::SHARED, rooms::EXACT]))
            .supply("io", "group/shared/io")
            .define("hashed", self.is_hashed(limits))
            .choose("group/ids", self.ids(step, limits))
            .choose("group/slots", if self.is_hashed(limits) && step == PARTED { "hashes" } else { "ids" })
            .choose("group_by/key_bits", self.keys.and_then(order_of).unwrap_or("u32"))
            .choose("exact/sums", if step == VARIANCE { "one" } else { "copies" })
            .choose("group/squares", if self.has_squares() { "summed" } else { "none" })
            .generate("constants", "the numbers of the format", sums)
            .generate("outputs", "the arrays of results", self.outputs_in_wgsl())
            .compose(step, &[]);
        Kernel::new(shader::label(&[step]), wgsl, self.bindings(step, limits), self.overrides(step, limits))
    }

    /// Returns the invocations of a workgroup that finishes groups, and how many groups it finishes.
    pub(super) fn finishing(&self, limits: &Limits) -> (u32, u32) {
        let workgroup_size = power_of_two_workgroup(8 * FINISHING, limits);
        match Format::Single.sums(workgroup_size, limits) {
            groups @ 2.. if self.groups > FEW_GROUPS => (workgroup_size, groups),
            _ => (FINISHING, 1),
        }
    }

    fn overrides(&self, step: Step, limits: &Limits) -> Vec<(&'static str, f64)> {
        let table = Table::of(self, limits);
        let places = places(self.groups) as u32;
        let is_hashed = self.is_hashed(limits);
        let is_parted = BY_PARTS.contains(&step) || step == COLLECT && is_hashed;
        let has_table = [TABLES, PARTED].contains(&step);
        let has_places = [COLLECT, TABLES, APART].contains(&step) || step == PARTED && is_hashed;
        let room = limits.max_compute_workgroup_storage_size.saturating_sub(BESIDES) / 4;
        let slots = match step {
            COLLECT => places.min(1 << room.clamp(1, MOST_SEEN).ilog2()),
            _ => table.slice,
        };
        let plane = table.slice * table.copies;
        // An addition takes longer than a branch on a processor, and where many lanes add to one word.
        let skips_zeros = self.is_software || self.keys.is_some() || step == PARTED;
        let least = u32::from(self.has(Aggregate::Min));
        let extremes = least + u32::from(self.has(Aggregate::Max));
        let workgroup_size = match step {
            FINISH => self.finishing(limits).0,
            VARIANCE => FINISHING,
            COLLECT => power_of_two_workgroup(COLLECTING, limits),
            _ => table.workgroup_size,
        };
        declared([
            ("WG", workgroup_size, true),
            ("GROUPS", self.groups, true),
            ("SUMS", self.has_sums().into(), true),
            ("SQUARES", self.has_squares().into(), true),
            ("WANT_MIN", self.has(Aggregate::Min).into(), true),
            ("WANT_MAX", self.has(Aggregate::Max).into(), true),
            ("STATE", self.state() as u32, ![OFFSETS, PUT, COLLECT].contains(&step)),
            ("PLACES", places, self.keys.is_some() && has_places),
            ("SLOTS", slots, step == COLLECT || step == PARTED && is_hashed),
            ("LOCAL_TABLE", places / 2, self.ids(step, limits) == NEAR),
            ("PARTS", table.slices.min(MOST_PARTS), is_parted),
            ("SHIFT", table.slice.ilog2(), is_parted),
            ("ITEMS", table.ordered, step == PUT),
            ("ENDS", 2 * table.slices.min(MOST_PARTS), step == PUT),
            ("ORDERED", table.ordered * table.workgroup_size, step == PUT),
            ("STEPS", table.period(), step == PARTED),
            ("SLICES", table.slices, step == TABLES),
            ("SLICE", table.slice, has_table),
            ("COPIES", table.copies, has_table),
            ("PLANE", plane, has_table),
            ("SUM_PLANE", if self.has_sums() { plane } else { 1 }, has_table),
            ("MOST_PLANE", least * plane, has_table),
            ("SQUARE_PLANE", extremes * plane, has_table),
            ("OTHER_PLANES", ((extremes + self.square_digits()) * plane).max(1), has_table),
            ("SKIPS_ZEROS", skips_zeros.into(), has_table),
        ])
    }

    /// The file with the ids of pairs: read, or looked up.
    fn ids(&self, step: Step, limits: &Limits) -> &'static str {
        match self.keys {
            None => "given",
            Some(_) if step == TABLES && Table::of(self, limits).has_keys => NEAR,
            Some(_) if BY_PARTS.contains(&step) && self.is_hashed(limits) => "hashed",
            Some(_) => "found",
        }
    }

    /// True if pairs are cut into parts by the hashes of their keys.
    fn is_hashed(&self, limits: &Limits) -> bool {
        self.keys.is_some() && Table::of(self, limits).step == PARTED
    }

    /// Declares the outputs, and the functions that write them.
    fn outputs_in_wgsl(&self) -> String {
        let names = || self.aggregates.iter().map(|aggregate| aggregate.name());
        let array = |(slot, name)| {
            format!("@group(0) @binding({slot}) var<storage, read_write> all_{name}: array<u32>;\n")
        };
        let arrays: String = self.result_slots().zip(names().chain(["rejected"])).map(array).collect();
        let stores: String = names().map(|name| format!("    all_{name}[at] = results.{name};\n")).collect();
        // Groups of keys have positions behind their states.
        let at = self.keys.map_or("id", |_| "take(GROUPS * STATE + 1u + id)");
        format!(
            "{arrays}\nfn store_results(id: u32, results: GroupResults) {{\n    let at = {at};\n{stores}}}\n\n\
             fn store_rejected(number: u32) {{\n    all_rejected[0] = number;\n}}\n"
        )
    }

    /// The bindings of the arrays of results, and of the number of pairs that are left out. Keys, if there are any, and their number are before them.
    fn result_slots(&self) -> impl Iterator<Item = u32> {
        let before = if self.keys.is_some() { 2 } else { 0 };
        let all = outputs::slots(self.aggregates.len() + 1 + before).map(|(slot, _)| slot);
        [1].into_iter().chain(all).skip(before)
    }

    /// The bindings of a step. 0 and 3 are the values, 5 and 6 the ids, or 0 and 3 keys, 5 and 6 values, 9 the table of keys, and 10 their list; 4 the
    /// states, 7 the pairs in order, 8 where those of each part begin, 1, 11 and on the outputs.
    pub(super) fn bindings(&self, step: Step, limits: &Limits) -> Vec<Slot> {
        use Access::{Read, Write};
        if step == COLLECT {
            let keys: &[Slot] = if self.is_hashed(limits) { &[(7, Write)] } else { &[(0, Read), (3, Read)] };
            return [keys, &[(PARAMETERS, Access::Uniform), (9, Write), (10, Write)]].concat();
        }
        let mut slots = vec![(4, Write), (PARAMETERS, Access::Uniform)];
        if [TABLES, COUNT, PUT, APART].contains(&step) {
            slots.extend([0, 3, 5, 6].map(|slot| (slot, Read)));
        }
        if [TABLES, PARTED, APART].contains(&step) {
            slots.extend(self.keys.map(|_| (9, Read)));
        }
        if BY_PARTS.contains(&step) {
            slots.extend([7, 8].map(|slot| (slot, Write)));
        }
        if step == FINISH {
            slots.extend(self.result_slots().map(|slot| (slot, Write)));
        }
        slots
    }
}
