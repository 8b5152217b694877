//! Runs of equal neighbouring keys: the kernel of scans, over their states, in one dispatch.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::error::{Error, WgslError};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits::{self, LimitError, largest_workgroup, needs};
use crate::gpu::operation::{Memory, Step};
use crate::gpu::range::{BufferRange, Inputs};
use crate::gpu::{Pass, input, outputs};
use crate::reduce::Monoid;
use crate::reduce::layout::Layout as Words;
use crate::scan::Progress;
use crate::scan::kernels::LINKS;
use crate::scan::plan::{Layout, Params, Part, SPLIT};
use crate::select::check_key;
use crate::shader::{self, Composer, Piece, rooms};

/// The kernel.
pub(super) const RUNS: Step = "runs";

/// Keys of an invocation, as `shaders/by_key/pairs.wgsl` loads them.
const ITEMS: u32 = 16;

/// Runs of some keys. Without an operator a result is the length of a run.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    pub(super) key: Element,
    pub(super) monoid: Option<Monoid>,
    pub(super) progress: Progress,
}

/// Sizes that fit a device.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sizes {
    /// Invocations in a workgroup.
    workgroup: u32,
    /// Runs that wait at a time to be stored.
    stage: u32,
}

/// The smallest of them.
const LEAST: Sizes = Sizes { workgroup: 16, stage: 16 };

impl Runs {
    pub(super) const fn new(key: Element, monoid: Option<Monoid>) -> Self {
        Runs { key, monoid, progress: Progress::Usual }
    }

    /// Bytes of a result.
    pub(super) fn result_size(&self) -> u64 {
        self.monoid.as_ref().map_or(4, Monoid::out_size)
    }

    /// The largest workgroup, and then the most waiting runs, that have the memory they need.
    fn sizes(&self, limits: &Limits) -> Result<Sizes, LimitError> {
        let most = largest_workgroup(limits);
        let workgroups = [256, 128, 64, 32, 16].into_iter().filter(|workgroup| *workgroup <= most);
        let mut sizes = workgroups
            .flat_map(|workgroup| [1024, 512, 256, 128, 64, 16].map(|stage| Sizes { workgroup, stage }));
        let memory = u64::from(limits.max_compute_workgroup_storage_size);
        if let Some(sizes) = sizes.find(|sizes| self.memory_of(*sizes) <= memory) {
            return Ok(sizes);
        }
        limits::check_workgroup([LEAST.workgroup, 1], limits)?;
        needs!(limits, max_compute_workgroup_storage_size, self.memory_of(LEAST))?;
        Ok(LEAST)
    }

    /// Bytes of workgroup memory: the states of invocations and what lies before the tile, runs that wait, and four words.
    fn memory_of(&self, Sizes { workgroup, stage }: Sizes) -> u64 {
        let state = self.monoid.as_ref().map_or(8, |monoid| 16 + monoid.acc_size());
        u64::from(workgroup + 1) * state + u64::from(stage) * (self.key.size() + self.result_size()) + 16
    }

    /// The bindings: 0 and 3 are the keys, 5 and 6 the values, 1, 11 and 12 the outputs.
    fn slots(&self, features: Features) -> Vec<Slot> {
        use Access::{Read, Uniform, Write};
        let values = self.monoid.iter().map(|_| (5, Read));
        let has_vectors = |monoid: &&Monoid| monoid.on(features).elem.has_vectors();
        let vectors = self.monoid.as_ref().filter(has_vectors).map(|_| (6, Read));
        let own = [(0, Read), (1, Write), (PARAMETERS, Uniform), (3, Read), (LINKS, Write)];
        own.into_iter().chain(values).chain(vectors).chain(outputs::slots(3)).collect()
    }

    pub(super) fn check_settings(&self) -> Result<(), Error> {
        check_key(self.key)?;
        self.monoid.as_ref().map_or(Ok(()), |monoid| monoid.check_plain(false))
    }

    pub(super) fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        limits::check(&self.slots(features), limits)?;
        self.sizes(limits)?;
        if let Some(monoid) = &self.monoid {
            monoid.on(features).check_features(features)?;
            if monoid.op().is_none() {
                WgslError::unless_valid(&self.kernel(features, limits).wgsl)?;
            }
        }
        Ok(())
    }

    pub(super) fn kernel(&self, features: Features, limits: &Limits) -> Kernel {
        let Sizes { workgroup, stage } = self.sizes(limits).unwrap_or(LEAST);
        let monoid = self.monoid.as_ref().map(|monoid| monoid.on(features));
        let two_words = Words::of_words(&[".count", ".begin"], "Acc({0}, {1})", 8);
        let state = monoid.as_ref().map_or(two_words, |monoid| monoid.acc.in_runs());
        // A vector of four words moves between lanes.
        let subgroups = features.contains(Features::SUBGROUP) && state.words() <= 4;
        let inner = monoid.as_ref().map_or_else(Vec::new, |monoid| {
            let stored = format!("{}alias Stored = {};", monoid.elem.alias(), monoid.out_type());
            monoid.inner_pieces(Piece::new("generated: what the buffers hold", stored))
        });
        let is_half =
            monoid.as_ref().is_some_and(|monoid| monoid.own_features().contains(Features::SHADER_F16));
        let rooms = &[rooms::BY_KEY, rooms::SCAN, rooms::LIB, rooms::SHARED, rooms::OPERATORS, rooms::EXACT];
        let wgsl = state
            .described(Composer::of(rooms))
            .define("float", self.key.is_float())
            .define("bits_64", self.key.size() == 8)
            .define("vectors", monoid.as_ref().is_some_and(|monoid| monoid.elem.has_vectors()))
            .define("subgroups", subgroups)
            .supply("io", "scan/shared/io")
            .provide("inner", inner)
            .choose("scan/columns", "even")
            .choose("scan/again", "load")
            .choose("scan/tile", "runs")
            .choose("scan/through", if subgroups { "subgroups" } else { "memory" })
            .choose("shared/shuffle", "words")
            .choose("by_key/state", if monoid.is_some() { "results" } else { "lengths" })
            .compose("scan/scan", if is_half { &["f16"] } else { &[] });
        let overrides = declared([
            ("WG", workgroup, true),
            ("OWN", ITEMS, true),
            ("BLOCK", workgroup, true),
            ("STAGE", stage, true),
        ]);
        let overrides = [overrides, self.progress.overrides()].concat();
        Kernel::new(shader::label(&[RUNS]), wgsl, self.slots(features), overrides)
    }

    fn layout(&self, limits: &Limits) -> Result<Layout, LimitError> {
        let workgroup = self.sizes(limits)?.workgroup;
        Ok(Layout { tile: (ITEMS * workgroup).into(), block: workgroup.into(), has_last: false })
    }

    pub(super) fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let words = 2 + self.monoid.as_ref().map_or(0, |monoid| monoid.acc.words());
        let links = Memory::own_zeros(LINKS, self.layout(limits)?.links(input.len, 1, words));
        Ok(vec![links.checked(limits, "the memory for runs", SPLIT)?])
    }

    /// Plans the dispatch.
    pub(super) fn passes(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let Inputs { first: keys, second: values } = inputs;
        let len = keys.len;
        let whole = |input, item| input::whole(input, item, limits);
        let (from, first) = whole(keys, self.key.size())?;
        let values = values.zip(self.monoid.as_ref()).map(|(values, monoid)| whole(values, monoid.stride()));
        let values = values.transpose()?;
        let bound = |bytes| (len > 0).then_some(bytes);
        let part = Part { len, from: bound(from), first, ..Part::default() };
        let layout = self.layout(limits)?;
        let second = values.map_or(0, |(_, first)| first);
        let common = Params { second, ..layout.common(len, len.max(1), 1) };
        let passes = layout.passes(&[part], [RUNS; 2], common, limits)?;
        let values = values.and_then(|(bytes, _)| bound(bytes));
        Ok(passes.into_iter().map(|pass| pass.with(values)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::params::assert_kernels;
    use crate::group::ReduceRuns;
    use crate::reduce::Op;

    #[test]
    fn parameters_are_those_of_the_kernels() {
        assert_kernels::<Params>(&ReduceRuns::new(Element::U32, Op::Sum.over(Element::F32).unwrap()));
    }
}
