//! Composes the WGSL of one dispatch from an operator and a stage.

use std::borrow::Cow;

use wgpu::Features;

use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, PARAMETERS, Slot};
use crate::map::Map;
use crate::reduce::elem::Arity;
use crate::reduce::exact::EXACT_FOLD;
use crate::reduce::kernel::{Coverage, Subgroups};
use crate::reduce::monoid::{AtomicWord, Monoid};
use crate::reduce::operation::check_features;
use crate::reduce::plan::{Reads, Stage, Writes};
use crate::shader::{self, Composer, Piece, rooms};

impl Monoid {
    /// Composes the WGSL of one stage for a device with these features. Its entry point is `main`, its workgroup size the override `WG`, and its tile size
    /// the override `TILE`. This is for inspection: a [`Compiled`](crate::Compiled) composes its own text. It returns `None` for a stage that the operator
    /// does not have: atomics if no word holds its accumulator, adjoining bindings with two inputs, or anything that takes features which are missing.
    pub fn compose(&self, stage: Stage, features: Features) -> Option<String> {
        let exact = EXACT_FOLD.has(stage.kernel);
        let monoid = &if exact { Cow::Owned(self.exact()?) } else { self.on(features) };
        let text = Text { monoid, stage, features };
        let fits = stage.reads != Reads::Adjoining || self.arity() == Arity::One;
        (fits && check_features(&text).is_ok()).then(|| text.compose())
    }

    /// The type of an element, and the operator's own pieces.
    pub(crate) fn typed_pieces(&self) -> Vec<Piece> {
        let elem = Piece::new("generated: an element", self.elem.alias());
        [vec![elem], self.pieces.clone()].concat()
    }

    /// Returns the label of a stage's module and pipeline.
    pub fn label(&self, stage: Stage) -> String {
        shader::label(&["reduce", self.name(), stage.kernel.name])
    }
}

impl Stage {
    /// The overrides of the stage's pipeline.
    pub fn overrides(&self) -> Vec<(&'static str, f64)> {
        let size = ("WG", f64::from(self.workgroup_size));
        match self.kernel.coverage {
            Coverage::One => Vec::new(),
            Coverage::Tiles(_) => vec![size, ("TILE", f64::from(self.tile))],
            _ => vec![size],
        }
    }
}

/// Text to be compiled for a device.
pub(super) struct Text<'a> {
    pub(super) monoid: &'a Monoid,
    pub(super) stage: Stage,
    /// The device's features, without [`Features::SUBGROUP`] if subgroup operations are turned off.
    pub(super) features: Features,
}

impl Text<'_> {
    /// Returns true if it has subgroup operations.
    pub(super) fn uses_subgroups(&self) -> bool {
        match self.stage.kernel.subgroups {
            Subgroups::Unused => false,
            Subgroups::Required => true,
            // Wider accumulators would travel word by word, which takes longer than the tree in workgroup memory.
            Subgroups::Optional => {
                // A subgroup may have parts of several exact sums.
                let travels =
                    self.monoid.acc.is_word() || self.monoid.exact.is_some() && self.stage.sums() == 0;
                self.features.contains(Features::SUBGROUP) && travels
            }
        }
    }

    /// Returns true if elements are loaded four at a time.
    pub(super) fn reads_vectors(&self) -> bool {
        self.stage.reads_vectors() && self.monoid.elem.has_vectors() && self.map().is_none()
    }

    /// The map of the texels that it reads, if it reads a texture.
    fn map(&self) -> Option<&Map> {
        self.monoid.texels.as_ref().filter(|_| self.stage.reads != Reads::Partials)
    }

    fn is_pair(&self) -> bool {
        self.monoid.arity() == Arity::Two && self.stage.reads != Reads::Partials
    }

    /// The bindings of group 0 that the module declares.
    pub(super) fn slots(&self) -> Vec<Slot> {
        let stage = self.stage;
        let second = self.is_pair() || stage.reads == Reads::Adjoining;
        let reads = stage.kernel.coverage != Coverage::One;
        let marks = stage.reads != Reads::Partials && stage.writes != Writes::Partials;
        let needs = [
            ((0, Access::Read), reads && self.map().is_none()),
            ((1, Access::Write), true),
            ((PARAMETERS, Access::Uniform), true),
            ((3, Access::Read), self.reads_vectors()),
            ((4, Access::Write), stage.kernel.collects_partials()),
            ((5, Access::Read), reads && second),
            ((6, Access::Read), second && self.reads_vectors()),
            ((7, Access::Read), self.is_offsets()),
            ((8, Access::Write), self.is_offsets() && marks),
        ];
        let needed = needs.into_iter().filter_map(|(slot, needed)| needed.then_some(slot));
        let texels = self.map().filter(|_| reads).map(Map::slots);
        needed
            .chain(texels.into_iter().flatten())
            .chain(self.monoid.parameters.map(|parameters| parameters.slot()))
            .collect()
    }

    /// Composes the WGSL: the kernel first, then everything that it imports. The module is valid on every device with the operator's features.
    pub(super) fn compose(&self) -> String {
        let Text { monoid, stage, features } = self;
        let subgroups = self.uses_subgroups();
        let atomic = monoid.atomic(*features).filter(|_| stage.kernel.adds_to_total());
        let is_parts = matches!(stage.kernel.coverage, Coverage::Teams | Coverage::Columns);
        let is_strided = stage.reads == Reads::Strided;
        let composer =
            Composer::of(&[rooms::LADDER, rooms::KERNELS, rooms::SHARED, rooms::OPERATORS, rooms::EXACT])
                .define("subgroups", subgroups)
                .define("vectors", self.reads_vectors())
                .define("texels", self.map().is_some())
                .provide("texel", self.map().map_or_else(Vec::new, |map| map.of_texels(monoid.elem.wgsl())))
                .define("pair", self.is_pair())
                .define("masked", self.is_pair() && monoid.is_masked())
                .define("adjoining", stage.reads == Reads::Adjoining)
                .define("strided", is_strided)
                .define("reads_partials", stage.reads == Reads::Partials)
                .define("writes_partials", stage.writes == Writes::Partials)
                .define("own", is_parts || is_strided || stage.kernel.collects_partials())
                .define("onto", is_parts && !self.is_offsets())
                .supply("io", "shared/io")
                .choose("lib/subgroup/shuffle", if monoid.acc.is_word() { "word" } else { "words" })
                .choose("lib/lane/map4", if monoid.has_map4 { "own" } else { "combined" })
                .choose("lib/lane/combine_four", if monoid.is_rolled { "loop" } else { "expression" })
                .provide("hardware", self.hardware(atomic));
        let composer = match &monoid.exact {
            Some(sum) => sum.files(monoid.acc.described(composer), *stage),
            None => monoid.acc.described(composer).provide("operator", self.operator(atomic)),
        };
        let is_half = monoid.features().contains(Features::SHADER_F16);
        composer.compose(stage.kernel.file, if is_half { &["f16"] } else { &[] })
    }

    /// The declarations of the buffers' types, and the operator's own pieces.
    fn operator(&self, atomic: Option<AtomicWord>) -> Vec<Piece> {
        let Monoid { elem, acc, out, .. } = self.monoid;
        let stored = match (atomic, self.stage.writes) {
            (Some(AtomicWord { word, .. }), _) => {
                format!("alias Word = {word};\nalias Stored = atomic<Word>;")
            }
            (None, Writes::Partials) => format!("alias Stored = {};", acc.wgsl),
            (None, Writes::Results) => format!("alias Stored = {};", out.wgsl),
        };
        let types = Piece::new("generated: what the buffers hold", format!("{}{stored}", elem.alias()));
        [vec![types], self.monoid.pieces.clone()].concat()
    }

    /// `subgroup_reduce` and, with the grand total in an atomic word, `add_to_total`: what the hardware has for the operator, or else the file that does
    /// without.
    fn hardware(&self, atomic: Option<AtomicWord>) -> Vec<Piece> {
        let monoid = self.monoid;
        let without = |file| vec![Piece::new("generated: an import", "").importing(file)];
        let reduce = match monoid.subgroup.filter(|_| monoid.acc.is_word()) {
            Some(call) => self.native_reduce(call),
            None => without("lib/subgroup/reduce"),
        };
        let add = match atomic.and_then(|word| word.native) {
            _ if !self.stage.kernel.adds_to_total() => Vec::new(),
            Some(call) => {
                let text = format!("fn add_to_total(acc: Acc) {{\n    {call}(&output[0], acc);\n}}");
                vec![Piece::new("generated: the operator's atomic operation", text).importing("<io>")]
            }
            None => without("lib/grid/total"),
        };
        [reduce, add].concat()
    }

    /// The built-in that reduces inside a subgroup.
    fn native_reduce(&self, call: &str) -> Vec<Piece> {
        if !self.uses_subgroups() {
            return Vec::new();
        }
        let is_bits = ["subgroupAnd", "subgroupOr", "subgroupXor"].contains(&call);
        // DXC has no bitwise subgroup operations on signed integers.
        let reduced = if is_bits && self.monoid.acc.wgsl == "i32" {
            format!("bitcast<i32>({call}(bitcast<u32>(value)))")
        } else {
            format!("{call}(value)")
        };
        let text = format!(
            "fn subgroup_reduce(value: Acc, at: Place, wg: Workgroup) -> Acc {{\n    return {reduced};\n}}"
        );
        vec![Piece::new("generated: the built-in subgroup reduction", text).importing("lib/grid/entry")]
    }

    /// Returns true if the kernel reads offsets, or writes tile marks for the kernels that do.
    fn is_offsets(&self) -> bool {
        self.stage.kernel == self.monoid.fold().offsets
    }

    /// Checks the composed text if it contains a custom operator or a map, so that no text that naga rejects reaches a device.
    pub(super) fn checked(&self) -> Result<(), Error> {
        if self.monoid.op().is_some() && self.monoid.texels.is_none() {
            return Ok(());
        }
        let composed = shader::validated(&self.compose()).map(drop);
        let named = |report| WgslError::Composed(format!("`{}`: {report}", self.monoid.name()));
        Ok(composed.map_err(|refusal| named(refusal.report))?)
    }
}
