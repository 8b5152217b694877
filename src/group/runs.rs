//! Runs of equal neighbouring keys, each reduced to a result.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::error::{Error, WgslError};
use crate::gpu::input;
use crate::gpu::io::{OneInput, Output, ResultOf};
use crate::gpu::kernel::{Access, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits::{self, LimitError, largest_workgroup, needs};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::params::parameters;
use crate::gpu::range::Inputs;
use crate::gpu::{Pass, grid};
use crate::group::io::{self, Run};
use crate::reduce::layout::Layout as Words;
use crate::reduce::{BufferRange, FromResults, Monoid};
use crate::scan::{Progress, kernels::LINKS};
use crate::select::check_key;
use crate::shader::{self, Composer, Piece, rooms};

const RUNS: Step = "by_key/runs";
const JOIN: Step = "by_key/join";
const PLACE: Step = "by_key/place";

/// What follows the file's name in a step of a short input.
const OF_SHORT: &str = "-short";
const RUNS_OF_SHORT: Step = "by_key/runs-short";
const PLACE_OF_SHORT: Step = "by_key/place-short";

/// All kernels, in their order.
const STEPS: &[Step] = &[RUNS_OF_SHORT, PLACE_OF_SHORT, RUNS, JOIN, PLACE];

/// Pairs of an invocation: `ITEMS` in `shaders/by_key/shared/run_tile.wgsl`.
const ITEMS: u64 = 16;

/// Pairs of a tile for each run that it has room for, in an input of several groups of tiles.
const PAIRS_PER_RUN: u64 = 64;

/// Invocations that place a tile's results in such an input, at most half of a workgroup.
const TEAM: u64 = 64;

/// About how many workgroups place the results of a very long input. Each of them joins all groups of tiles.
const PLACERS: u64 = 2048;

/// Runs that an invocation stores at a time, at most.
const EACH: u32 = 3;

/// How often a workgroup looks for the numbers of earlier tiles. It can count their runs itself in little time.
const LOOKS: u32 = 128;

/// Words in front of the links: two counters, for tests, and a ticket.
const HEAD: u64 = 32;

/// Words of a slot: `SLOT_WORDS` in `shaders/lib/grid/slots.wgsl`.
const SLOT: u64 = 8;

/// The remedy for an input or an output that a binding cannot hold.
const SPLIT: &str = "give fewer pairs at a time";

parameters! {
    /// `Params` of `shaders/by_key/shared/io.wgsl`.
    struct Params {
        first_key: u32,
        first_value: u32,
        count: u32,
        tiles: u32,
        grid_row: u32,
        room: u32,
        team: u32,
        tiles_each: u32,
        len_at: u32,
        links: u32,
        prefixes: u32,
        slots: u32,
    }
}

/// A description of results for runs of equal neighbouring keys: of the values that belong to the keys. It is a plain
/// value; [`Compiled`](crate::Compiled) brings it to a device. The module's page has [an example](crate::group).
///
/// Its inputs are [`Pairs`](crate::group::Pairs); its [`RunOutputs`](crate::group::RunOutputs) are in the order of the runs.
/// On the host each run is a [`Run`]. An index in a result, as that of [`Op::ArgMax`](crate::reduce::Op::ArgMax), counts from the start of the input,
/// where those of segments and rows of a [`Reduce`](crate::reduce::Reduce) and of a [`Scan`](crate::scan::Scan) count from the start of theirs.
///
/// What lies behind the runs is left as it was. Their number stays on the GPU, where
/// [`Reduction::count_buffer`](crate::reduce::Reduction::count_buffer) takes it.
///
/// Keys are `u32`, `i32`, `f32`, `u64` or `i64`; those of 64 bits need no feature. They are equal if their bits are; of floats −0 equals 0, and all NaNs
/// are equal, as for `unique` in NumPy. Keys need not be sorted.
#[derive(Clone, Debug)]
pub struct ReduceRuns {
    key: Element,
    monoid: Monoid,
    progress: Progress,
}

/// Sizes that fit a device.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sizes {
    /// Invocations in a workgroup.
    workgroup: u32,
    /// Runs of a tile that are collected at a time, if it has no room for them.
    stage: u32,
}

/// Tiles of pairs, and groups of as many tiles as a workgroup has invocations.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Cut {
    workgroup: u64,
    tiles: u64,
    groups: u64,
}

const LEAST: Sizes = Sizes { workgroup: 64, stage: 32 };

impl ReduceRuns {
    /// Describes the results of an operator over the values of each run of keys. The operator has one input, reads buffers and declares no
    /// parameters. Its exact sums are those of f32 and f16.
    pub fn new(key: Element, monoid: Monoid) -> Self {
        ReduceRuns { key, monoid: monoid.accumulated(), progress: Progress::Usual }
    }

    /// Returns this description with workgroups that get on in another way.
    #[doc(hidden)]
    pub fn with_progress(self, progress: Progress) -> Self {
        ReduceRuns { progress, ..self }
    }

    /// The largest workgroup, and then the most collected runs, that have the memory they need.
    fn sizes(&self, limits: &Limits) -> Result<Sizes, LimitError> {
        let (most, room) = (largest_workgroup(limits), limits.max_compute_workgroup_storage_size.into());
        let workgroups = [256, 128, 64].into_iter().filter(|workgroup| *workgroup <= most);
        let mut sizes = workgroups.flat_map(|workgroup| {
            [EACH * workgroup, workgroup, workgroup / 2].map(|stage| Sizes { workgroup, stage })
        });
        if let Some(sizes) = sizes.find(|sizes| self.memory_of(*sizes) <= room) {
            return Ok(sizes);
        }
        limits::check_workgroup([LEAST.workgroup, 1], limits)?;
        needs!(limits, max_compute_workgroup_storage_size, self.memory_of(LEAST))?;
        Ok(LEAST)
    }

    /// Bytes of workgroup memory of the kernel that has the most. With a scan by subgroups it has fewer.
    fn memory_of(&self, Sizes { workgroup, stage }: Sizes) -> u64 {
        2 * u64::from(workgroup) * (10 + self.monoid.acc_size())
            + u64::from(stage) * (4 + self.monoid.acc_size())
            + self.monoid.acc_size()
            + 96
    }

    /// The bindings of a kernel. 0 and 3 are the keys, 5 and 6 the values, 1, 11 and 12 the outputs, `LINKS` and 7 what tiles tell, 8 and 9 the rooms
    /// of a short input.
    fn slots(&self, step: Step, features: Features) -> Vec<Slot> {
        use Access::{Read, Write};
        let own: &[Slot] = match step {
            RUNS_OF_SHORT => &[(0, Read), (3, Read), (8, Write), (9, Write)],
            PLACE_OF_SHORT => &[(1, Write), (8, Read), (9, Read), (11, Write), (12, Write)],
            RUNS => &[(0, Read), (1, Write), (3, Read), (11, Write)],
            PLACE => &[(0, Read), (1, Write), (11, Write), (12, Write)],
            _ => &[],
        };
        let values: &[Slot] = match step {
            RUNS_OF_SHORT | RUNS if self.monoid.on(features).elem.has_vectors() => &[(5, Read), (6, Read)],
            RUNS_OF_SHORT | RUNS => &[(5, Read)],
            _ => &[],
        };
        [own, values, &[(LINKS, Write), (7, Write), (PARAMETERS, Access::Uniform)]].concat()
    }

    /// The cut of `len` pairs.
    fn cut(&self, len: u64, limits: &Limits) -> Result<Cut, LimitError> {
        let workgroup = u64::from(self.sizes(limits)?.workgroup);
        let tiles = len.div_ceil(workgroup * ITEMS);
        let groups = tiles.div_ceil(workgroup);
        Ok(Cut { workgroup, tiles, groups })
    }
}

impl Cut {
    /// True for an input of one group: workgroups that place results can join its tiles.
    fn is_short(self) -> bool {
        self.groups < 2
    }

    /// The most runs of a tile that has room for them.
    fn room(self) -> u64 {
        self.workgroup * ITEMS / if self.is_short() { 1 } else { PAIRS_PER_RUN }
    }

    /// Tiles whose runs a workgroup places, of the same group, if `teams` tiles are served at a time.
    fn tiles_each(self, teams: u64) -> u64 {
        (self.tiles / PLACERS).next_power_of_two().clamp(teams, self.workgroup)
    }

    /// Slots of the chain: of tiles and of groups.
    fn slots(self) -> u64 {
        self.tiles + self.groups
    }
}

impl Base for ReduceRuns {
    const LABEL: &'static str = "halofold::reduce_runs";
    const INPUTS: [&'static str; 2] = ["keys", "values"];

    fn check_settings(&self) -> Result<(), Error> {
        check_key(self.key)?;
        self.monoid.check_plain(false)
    }

    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        self.monoid.on(features).check_features(features)?;
        limits::check_all(STEPS.iter().map(|step| self.slots(step, features)), limits)?;
        self.sizes(limits)?;
        if self.monoid.op().is_none() {
            for step in STEPS {
                WgslError::unless_valid(&self.kernel(step, features, limits).wgsl)?;
            }
        }
        Ok(())
    }

    fn steps(&self) -> Vec<Step> {
        STEPS.to_vec()
    }

    fn kernel(&self, step: Step, features: Features, limits: &Limits) -> Kernel {
        let Sizes { workgroup, stage } = self.sizes(limits).unwrap_or(LEAST);
        let monoid = self.monoid.on(features);
        // Wider accumulators would travel word by word.
        let subgroups = features.contains(Features::SUBGROUP) && monoid.acc.is_word();
        let reduced = Piece::new("generated: a result", format!("alias Stored = {};", monoid.out_type()));
        let composer = Composer::of(&[rooms::BY_KEY, rooms::SHARED, rooms::OPERATORS, rooms::EXACT]);
        let is_half = monoid.own_features().contains(Features::SHADER_F16);
        let extensions: &[&str] = if is_half { &["f16"] } else { &[] };
        // The state of the chain is a number of runs.
        let wgsl = Words::of_words("u32", &[""], "{0}", 4)
            .described(composer)
            .define("tested", self.progress != Progress::Usual)
            .define("float", self.key.is_float())
            .define("bits_64", self.key.size() == 8)
            .define("vectors", monoid.elem.has_vectors())
            .define("subgroups", subgroups)
            .number("EACH", EACH)
            .supply("io", "by_key/shared/io")
            .choose("shared/run_keys", if self.key.size() == 8 { "two_words" } else { "word" })
            .choose("lib/state", "count")
            .choose("by_key/places", if step == RUNS_OF_SHORT { "apart" } else { "chained" })
            .choose("by_key/rooms", if step == PLACE_OF_SHORT { "whole" } else { "positions" })
            .choose("by_key/scan", if subgroups { "subgroups" } else { "memory" })
            .choose("lib/workgroup/through", if subgroups { "subgroups" } else { "memory" })
            .choose("lib/subgroup/shuffle", "word")
            .provide("operator", [vec![reduced], monoid.typed_pieces()].concat())
            .compose(step.trim_end_matches(OF_SHORT), extensions);
        // The narrowest subgroup that exists has four lanes.
        let places = if subgroups { workgroup.div_ceil(4) } else { 2 * workgroup };
        let mut overrides = declared([
            ("WG", workgroup, true),
            ("PLACES", places, true),
            ("STAGE", stage, [RUNS_OF_SHORT, RUNS].contains(&step)),
            ("BLOCK", workgroup, step == RUNS),
            ("LOOKS", LOOKS, step == RUNS && self.progress == Progress::Usual),
        ]);
        if step == RUNS {
            overrides.extend(self.progress.overrides());
        }
        Kernel::new(shader::label(&[step]), wgsl, self.slots(step, features), overrides)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let cut = self.cut(input.len, limits)?;
        let runs = cut.tiles * cut.room();
        let links = |runs| 4 * (HEAD + SLOT * cut.slots() + runs);
        let ends = |runs| Memory::scratch(7, self.monoid.acc_size() * (cut.tiles + cut.slots() + runs));
        let memory = if cut.is_short() {
            let keys = Memory::scratch(8, self.key.size() * runs);
            let results = Memory::scratch(9, self.monoid.out_size() * runs);
            vec![Memory::scratch(LINKS, links(0)), ends(0), keys, results]
        } else {
            vec![Memory::own_zeros(LINKS, links(runs)), ends(runs)]
        };
        memory.into_iter().map(|memory| Ok(memory.checked(limits, "the memory for runs", SPLIT)?)).collect()
    }

    fn element(&self) -> Option<Element> {
        Some(self.key)
    }

    fn item(&self) -> u64 {
        self.key.size()
    }

    fn second_item(&self) -> Option<u64> {
        Some(self.monoid.stride())
    }

    fn outputs(&self, len: u64) -> Vec<Output> {
        let results = (self.monoid.out_size() * len.max(1)).next_multiple_of(4);
        vec![
            Output::new("keys", self.key.size() * len.max(1)),
            Output::new("results", results),
            Output::placed("len", 4, "len_at"),
        ]
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let Inputs { first: keys, second: values } = inputs;
        let bound = |input, item| input::whole(input, item, limits);
        let (from, first_key) = bound(keys, self.key.size())?;
        let second = values.zip(self.second_item()).map(|(values, item)| bound(values, item)).transpose()?;
        let first_value = second.map_or(0, |(_, first)| first);
        for Output { size, .. } in self.outputs(keys.len) {
            let error = |error: LimitError| error.of("an output").or(SPLIT);
            LimitError::unless_bound(limits, size).map_err(error)?;
        }
        let cut = self.cut(keys.len, limits)?;
        let Cut { workgroup, tiles, groups } = cut;
        let team = if cut.is_short() { workgroup } else { TEAM.min(workgroup / 2) };
        let tiles_each = cut.tiles_each(workgroup / team);
        let placing = tiles.div_ceil(tiles_each).max(1);
        let short = [(RUNS_OF_SHORT, tiles), (PLACE_OF_SHORT, placing)];
        let long = [(RUNS, tiles), (JOIN, groups), (PLACE, placing)];
        let steps = if cut.is_short() { &short[..] } else { &long };
        let pass = |&(step, workgroups): &(Step, u64)| {
            let grid = grid::of(workgroups, limits, SPLIT)?;
            let params = Params {
                first_key,
                first_value,
                count: keys.len as u32,
                tiles: tiles as u32,
                grid_row: grid[0],
                room: cut.room() as u32,
                team: team as u32,
                tiles_each: tiles_each as u32,
                len_at: 0,
                links: HEAD as u32,
                prefixes: tiles as u32,
                slots: cut.slots() as u32,
            };
            let second = second.map(|(bytes, _)| bytes);
            Ok(Pass::new(step, grid, params).reading(Some(from)).with(second))
        };
        steps.iter().filter(|(_, workgroups)| *workgroups > 0).map(pass).collect()
    }
}

impl OneInput for ReduceRuns {}

impl<K: FromResults, R: FromResults> ResultOf<ReduceRuns> for Run<K, R> {
    fn results(operation: &ReduceRuns, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        io::runs(operation.key, &operation.monoid.layout(), outputs)
    }
}
