//! The kernels of prefixes.

use wgpu::{Features, Limits};

use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits::{self, needs, power_of_two_workgroup};
use crate::gpu::operation::{Base, Step};
use crate::gpu::outputs;
use crate::gpu::range::Cut;
use crate::scan::config::{Progress, Scan};
use crate::scan::plan::Layout;
use crate::shader::{self, Composer, Piece, rooms};

/// The binding with the links of the chain, and that with the offsets of rows.
pub(crate) const LINKS: u32 = 4;
pub(super) const OFFSETS: u32 = 7;

pub(super) const SCAN: Step = "scan";
pub(super) const SCAN_LAST: Step = "scan-last";
pub(super) const CARRY: Step = "carry";

/// All kernels, the last of which only inputs that continue others need.
pub(super) const ALL: &[Step] = &[SCAN, SCAN_LAST, CARRY];

/// Items of an invocation, and the fewest tiles of a block.
const ITEMS_PER_LANE: u32 = 32;
const BLOCK: u32 = 256;

/// The largest workgroup, and the workgroup memory that every device has.
const WORKGROUP: u32 = 256;
const MEMORY: u32 = 16 << 10;

/// How a workgroup has its tile: a file of `shaders/scan/tile/`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Tile {
    Registers,
    Memory,
    Lanes,
}

impl Tile {
    /// Accumulators that an invocation has in workgroup memory.
    fn places(self, workgroup: u32) -> u32 {
        match self {
            Tile::Registers => workgroup + workgroup.div_ceil(4),
            Tile::Memory => workgroup + totals(workgroup),
            Tile::Lanes => workgroup,
        }
    }

    /// Bytes of workgroup memory: these accumulators, what lies before the tile, and three words of the chain.
    fn memory(self, workgroup: u32, acc: u64) -> u64 {
        u64::from(self.places(workgroup) + 1) * acc + 12
    }

    /// Invocations of a workgroup.
    fn workgroup(self, acc: u64, limits: &Limits) -> u32 {
        let most = MEMORY.min(limits.max_compute_workgroup_storage_size);
        let largest = power_of_two_workgroup(WORKGROUP, limits);
        let smaller = std::iter::successors(Some(largest), |size| Some(size / 2));
        smaller.take_while(|size| *size > 0).find(|size| self.memory(*size, acc) <= most.into()).unwrap_or(1)
    }
}

/// The places for totals, of which some are not used.
fn totals(workgroup: u32) -> u32 {
    8 * workgroup + workgroup.div_ceil(4)
}

impl Scan {
    /// How a workgroup has its tile, and its invocations.
    fn tile(&self, features: Features, limits: &Limits) -> (Tile, u32) {
        let (acc, by_subgroups) = (&self.monoid.acc, features.contains(Features::SUBGROUP));
        let tile = if self.monoid.acc_size() > 8 || !self.monoid.elem.has_vectors() {
            Tile::Lanes
        } else if by_subgroups && acc.is_word() && self.monoid.subgroup.is_some() && self.rows == Cut::All {
            Tile::Registers
        } else {
            Tile::Memory
        };
        // A plan does not know the features. Registers take less memory.
        let sized = if tile == Tile::Registers { Tile::Memory } else { tile };
        (tile, sized.workgroup(self.monoid.acc_size(), limits))
    }

    /// The sizes of a plan on a device with these limits.
    pub(super) fn layout(&self, limits: &Limits) -> Layout {
        let (tile, workgroup) = self.tile(Features::empty(), limits);
        Layout {
            tile: (ITEMS_PER_LANE * workgroup).into(),
            block: BLOCK.max(workgroup).into(),
            has_last: tile != Tile::Lanes,
        }
    }

    /// The kernel of a step, on a device with these features and limits.
    pub(super) fn composed(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        let monoid = &self.monoid.on(features);
        let (tile, workgroup) = self.tile(features, limits);
        let tile = if step == SCAN && monoid.elem.has_vectors() { tile } else { Tile::Lanes };
        // Wider accumulators would travel word by word.
        let subgroups = features.contains(Features::SUBGROUP) && monoid.acc.is_word();
        let buffers = format!("{}alias Stored = {};", monoid.elem.alias(), monoid.out.wgsl);
        let types = Piece::new("generated: what the buffers hold", buffers);
        let is_half = monoid.own_features().contains(Features::SHADER_F16);
        let composer = Composer::of(&[rooms::SCAN, rooms::SHARED, rooms::OPERATORS, rooms::EXACT]);
        let wgsl = monoid
            .acc
            .described(composer)
            .define("subgroups", subgroups)
            .define("tested", self.progress != Progress::Usual)
            .provide("operator", [vec![types], monoid.pieces.clone()].concat())
            .supply("io", "scan/shared/io")
            .choose("scan/after", if monoid.acc.words() <= 2 { "words" } else { "states" })
            .choose("scan/columns", if self.is_between() { "between" } else { "even" })
            .choose("lib/state", "acc")
            .choose("lib/workgroup/through", if subgroups { "subgroups" } else { "memory" })
            .choose(
                "scan/tile",
                match tile {
                    Tile::Registers => "registers",
                    Tile::Memory => "memory",
                    Tile::Lanes => "lanes",
                },
            )
            .choose("scan/again", "load")
            .choose("scan/put", if monoid.out.is_scalar() { "vectors" } else { "singles" })
            .choose("lib/subgroup/shuffle", "word")
            .compose(
                if step == CARRY { "scan/carry" } else { "scan/scan" },
                if is_half { &["f16"] } else { &[] },
            );
        let overrides = declared([
            ("WG", workgroup, true),
            ("BLOCK", BLOCK.max(workgroup), step != CARRY),
            ("ROWS", (self.rows != Cut::All).into(), true),
            ("CONTINUES", self.continues.into(), step != CARRY),
            ("EXCLUSIVE", self.is_exclusive.into(), step != CARRY),
            ("SUBGROUPS", workgroup.div_ceil(4), tile == Tile::Registers),
            ("TOTALS", totals(workgroup), tile == Tile::Memory),
        ]);
        let label = shader::label(&["scan", monoid.name(), step]);
        let progress = if step == CARRY { Vec::new() } else { self.progress.overrides() };
        Kernel::new(label, wgsl, self.slots(step, tile), [overrides, progress].concat())
    }

    fn is_between(&self) -> bool {
        matches!(self.rows, Cut::Segments(_))
    }

    fn slots(&self, step: Step, tile: Tile) -> Vec<Slot> {
        let of_elements = step != CARRY;
        let needs = [
            ((0, Access::Read), of_elements),
            ((1, Access::Write), of_elements),
            ((PARAMETERS, Access::Uniform), true),
            ((3, Access::Read), of_elements && tile != Tile::Lanes),
            ((LINKS, Access::Write), true),
            ((OFFSETS, Access::Read), self.is_between()),
        ];
        let needed = needs.into_iter().filter_map(|(slot, needed)| needed.then_some(slot));
        let parameters = self.monoid.parameters.map(|parameters| parameters.slot());
        needed.chain(parameters).chain(outputs::slots(if of_elements { 1 } else { 2 })).collect()
    }

    pub(super) fn check(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        let monoid = self.monoid.on(features);
        monoid.check_features(features)?;
        let (tile, workgroup) = self.tile(features, limits);
        limits::check(&self.slots(SCAN, tile), limits)?;
        limits::check_workgroup([workgroup, 1], limits)?;
        needs!(limits, max_compute_workgroup_storage_size, tile.memory(workgroup, monoid.acc_size()))?;
        if monoid.op().is_none() {
            for step in self.steps() {
                WgslError::unless_valid(&self.composed(step, features, limits).wgsl)?;
            }
        }
        Ok(())
    }
}
