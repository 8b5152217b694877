//! Keys in any order, and the results of the values of each.

use wgpu::{Features, Limits};

use crate::element::Element;
use crate::gpu::error::{DataError, Error};
use crate::gpu::io::{Output, ResultOf};
use crate::gpu::kernel::{Access, Driver, Kernel, PARAMETERS, Slot, declared};
use crate::gpu::limits::{self, LimitError, SettingError, power_of_two_workgroup};
use crate::gpu::operation::{Base, Memory, Step};
use crate::gpu::params::parameters;
use crate::gpu::range::Inputs;
use crate::gpu::{Pass, grid};
use crate::group::aggregate::{Aggregate, aggregates, not_grouped};
use crate::group::io::{self, Group};
use crate::group::spec::{GroupById, order_of, places};
use crate::reduce::results::OutputLayout;
use crate::reduce::{BufferRange, FromResults};
use crate::shader::{self, Composer, rooms};

const CLEAR: Step = "group_by/clear";
const SORT: Step = "group_by/sort";
const MERGE: Step = "group_by/merge";
const NUMBER: Step = "group_by/number";

/// The kernels that clear the table of keys, and put keys in order.
const OWN: &[Step] = &[CLEAR, SORT, MERGE, NUMBER];

parameters! {
    /// `Params` of `shaders/group_by/shared/io.wgsl`.
    struct Params {
        grid_row: u32,
        source: u32,
        target_list: u32,
        run: u32,
        len_at: u32,
    }
}

/// The most groups: then the table of keys has 2^30 places, and the number of its words fits 32 bits.
const MOST_GROUPS: u32 = 1 << 27;

/// Keys of a tile: four for each of `FOURS` in `shaders/group_by/sort.wgsl`.
const TILE: u32 = 1024;

/// Invocations of a workgroup, on a device that allows as many.
const WORKGROUP: u32 = 256;

/// The remedy for too large a table.
const FEWER: &str = "allow fewer groups";

/// A description of results by key, whose keys come in any order. It is a plain value; [`Compiled`](crate::Compiled) brings it to a device. The module's page has
/// [an example](crate::group).
///
/// Its inputs are [`Pairs`](crate::group::Pairs), and its [`Outputs`](crate::group::Outputs) the different keys in ascending order, their number, which
/// [`Reduction::count_buffer`](crate::reduce::Reduction::count_buffer) takes, the results by the rules of [`GroupById`], and the number of rejected pairs: 0,
/// unless there are more keys than groups. On the host each key is a [`Group`].
///
/// The arrays have room for the most groups, of four bytes each. Keys behind the last group are left as they were, and results are those of empty groups.
///
/// If there are more different keys than groups, as many of them as groups are listed, others in each run, and the pairs of the others are left out; also
/// those of a few listed keys may be, whose results are then those of empty groups. What is not left out is right.
/// [`Request::run`](crate::Request::run) and [`Request::run_async`](crate::Request::run_async) return an error then: [`DataError::Keys`](crate::DataError::Keys).
///
/// Keys of floats are equal as for `unique` in NumPy: −0 equals 0, and all NaNs are one key, the last.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupByKey {
    pub(super) key: Element,
    /// The results, once keys have ids.
    pub(super) by_id: GroupById,
}

aggregates!(GroupByKey);

impl GroupByKey {
    /// Describes results of values of a type by keys of another one, each `f32`, `u32` or `i32`, for at most `most_groups` groups, 1 to 2^27.
    /// Ask for at least one result, as for [`GroupById`].
    pub fn new(key: Element, values: Element, most_groups: u32) -> Self {
        GroupByKey { key, by_id: GroupById { keys: Some(key), ..GroupById::new(values, most_groups) } }
    }

    fn and(self, aggregate: Aggregate) -> Self {
        GroupByKey { by_id: self.by_id.and(aggregate), ..self }
    }

    /// A dispatch of an invocation for each item.
    fn over(&self, step: Step, items: u64, own: Params, limits: &Limits) -> Result<Pass, LimitError> {
        let grid = grid::of(items.div_ceil(workgroup(limits).into()), limits, FEWER)?;
        Ok(Pass::new(step, grid, Params { grid_row: grid[0], ..own }))
    }

    /// The dispatches that put keys in order.
    fn sorting(&self, limits: &Limits) -> Result<Vec<Pass>, LimitError> {
        let most = self.by_id.groups;
        let over = |step, items, [source, target_list, run]: [u32; 3]| {
            self.over(step, items, Params { source, target_list, run, ..Params::default() }, limits)
        };
        let tiles = u64::from(most.div_ceil(TILE) * workgroup(limits));
        let mut passes = vec![over(SORT, tiles, [0, most, 0])?];
        let (mut source, mut run) = (most, TILE);
        while run < most {
            passes.push(over(MERGE, most.into(), [source, most - source, run])?);
            (source, run) = (most - source, 2 * run);
        }
        passes.push(over(NUMBER, most.into(), [source, 0, 0])?);
        Ok(passes)
    }

    /// The memory of keys: their table, and two lists.
    fn tables(&self, limits: &Limits) -> Result<[Memory; 2], LimitError> {
        let [table, lists] = [8 * (places(self.by_id.groups) + 2), 8 * u64::from(self.by_id.groups)];
        let checked = |memory: Memory| memory.checked(limits, "the table of keys", FEWER);
        Ok([checked(Memory::scratch(9, table))?, checked(Memory::scratch(10, lists))?])
    }
}

/// Invocations of a workgroup.
fn workgroup(limits: &Limits) -> u32 {
    power_of_two_workgroup(WORKGROUP, limits)
}

/// The bindings of a step. 4 are the states of groups, 9 the table of keys, 10 their lists, 1 and 11 the first outputs.
fn bindings(step: Step) -> Vec<Slot> {
    use Access::{Read, Write};
    let own: &[Slot] = match step {
        CLEAR => &[(9, Write)],
        NUMBER => &[(1, Write), (4, Write), (9, Read), (10, Write), (11, Write)],
        _ => &[(9, Read), (10, Write)],
    };
    [own, &[(PARAMETERS, Access::Uniform)]].concat()
}

impl Base for GroupByKey {
    const LABEL: &'static str = "halofold::group_by_key";
    const INPUTS: [&'static str; 2] = ["keys", "values"];

    fn on_driver(self, driver: Driver) -> Self {
        GroupByKey { by_id: self.by_id.on_driver(driver), ..self }
    }

    fn check_settings(&self) -> Result<(), Error> {
        SettingError::unless("groups", self.by_id.groups, 1..=MOST_GROUPS)?;
        if order_of(self.key).is_none() {
            return Err(not_grouped(self.key));
        }
        self.by_id.check_settings()
    }

    fn check_on(&self, features: Features, limits: &Limits) -> Result<(), Error> {
        self.by_id.check_on(features, limits)?;
        limits::check_all(OWN.iter().map(|step| bindings(step)), limits)?;
        self.tables(limits)?;
        Ok(())
    }

    fn steps(&self) -> Vec<Step> {
        [OWN.to_vec(), self.by_id.steps()].concat()
    }

    fn kernel(&self, step: Step, _: Features, limits: &Limits) -> Kernel {
        if !OWN.contains(&step) {
            return self.by_id.composed(step, limits);
        }
        let order = order_of(self.key).unwrap_or("u32");
        let wgsl = Composer::of(&[rooms::GROUP_BY, rooms::SHARED])
            .choose("group_by/key_bits", order)
            .compose(step, &[]);
        let overrides = declared([
            ("WG", workgroup(limits), true),
            ("GROUPS", self.by_id.groups, true),
            ("PLACES", places(self.by_id.groups) as u32, true),
            ("POSITIONS", self.by_id.positions() as u32, step == NUMBER),
        ]);
        Kernel::new(shader::label(&[step]), wgsl, bindings(step), overrides)
    }

    fn memory(&self, input: BufferRange, limits: &Limits) -> Result<Vec<Memory>, Error> {
        let mut memory = self.by_id.memory(input, limits)?;
        memory.extend(self.tables(limits)?);
        Ok(memory)
    }

    fn element(&self) -> Option<Element> {
        Some(self.key)
    }

    fn item(&self) -> u64 {
        4
    }

    fn second_item(&self) -> Option<u64> {
        Some(4)
    }

    fn outputs(&self, len: u64) -> Vec<Output> {
        let keys = 4 * u64::from(self.by_id.groups);
        [vec![Output::new("keys", keys), Output::placed("len", 4, "len_at")], self.by_id.outputs(len)]
            .concat()
    }

    fn plan_over(&self, inputs: Inputs, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let [keys, values] = inputs.two()?;
        let words = 2 * (places(self.by_id.groups) + 2);
        let cleared = self.over(CLEAR, words, Params::default(), limits)?;
        let [added, finished] = [self.by_id.adding([values, keys], limits)?, self.by_id.finished(limits)?];
        Ok([vec![cleared], added, self.sorting(limits)?, finished].concat())
    }
}

impl<K: FromResults, V: FromResults> ResultOf<GroupByKey> for Group<K, V> {
    fn results(operation: &GroupByKey, _: u64, outputs: &[&[u8]]) -> Result<Vec<Self>, Error> {
        let by_id = &operation.by_id;
        let pairs = outputs.last().map_or(0, |rejected| io::number(rejected)) as u32;
        if pairs > 0 {
            return Err(DataError::Keys { pairs, groups: by_id.groups }.into());
        }
        let keys = &outputs[0][..4 * io::number(outputs[1])];
        let keys: Vec<K> = OutputLayout::of("keys", operation.key).read_all(keys)?;
        Group::read(by_id, keys, &outputs[2..])
    }
}
