//! Plans of results by id: from the groups, the pairs and limits to dispatches.

use wgpu::Limits;

use crate::gpu::error::Error;
use crate::gpu::limits::{LimitError, power_of_two_workgroup};
use crate::gpu::operation::Step;
use crate::gpu::params::parameters;
use crate::gpu::range::{BufferRange, ByteRange};
use crate::gpu::window::Window;
use crate::gpu::{Pass, grid, input};
use crate::group::spec::{GroupById, places};

pub(super) const TABLES: Step = "group/tables";
pub(super) const COUNT: Step = "group/count";
pub(super) const OFFSETS: Step = "group/offsets";
pub(super) const PUT: Step = "group/put";
pub(super) const PARTED: Step = "group/parted";
pub(super) const APART: Step = "group/apart";
pub(super) const COLLECT: Step = "group_by/collect";
pub(super) const VARIANCE: Step = "group/variance";
pub(super) const FINISH: Step = "group/finish";

parameters! {
    /// `Params` of `shaders/group/shared/io.wgsl`.
    pub(super) struct Params {
        first: u32,
        second: u32,
        index: u32,
        len: u32,
        groups: u32,
        grid_row: u32,
        shares: u32,
        steps: u32,
        period: u32,
    }
}

/// Invocations of a workgroup, on a device that allows as many; and on a processor, where barriers cost more.
const WORKGROUPS: [u32; 2] = [1024, 64];

/// Invocations of a workgroup that collects keys. It has one barrier, so a processor takes as many.
pub(super) const COLLECTING: u32 = 1024;

/// Workgroups that fill a large GPU.
const FILLING: u64 = 132 * 4;

/// The most slices: every workgroup of a share reads all of its pairs. More groups are cut into parts, by which pairs are ordered first.
const MOST_SLICES: u32 = 3;
pub(super) const MOST_PARTS: u32 = 1024;

/// Slots per key of a part: `SLOTS` if that makes at most `FEW_PARTS` parts, and at least `LEAST_SLOTS`.
const SLOTS: u32 = 8;
const LEAST_SLOTS: u32 = 2;
const FEW_PARTS: u32 = 256;

/// The most numbers of pairs, of each part and workgroup: a single workgroup adds them up.
const MOST_NUMBERS: u32 = 1 << 16;

/// Checks of a table per share, by id and by key. A part by key has fewer groups, and contention makes a share of a frequent key slow.
const TURNS: [u32; 2] = [10, 6];

/// The most pairs that are ordered at a time.
const MOST_ORDERED: u64 = 1 << 25;

/// The most copies of a word. They hide how long it takes to add to one group again and again.
const MOST_COPIES: u32 = 8;

/// Bytes of workgroup memory that copies may take: more of it means fewer workgroups at the same time.
const COPIED: u32 = 33 << 10;

/// Bytes of workgroup memory besides the table.
const BESIDES: u32 = 320;

/// The additions that a word of a table has room for, and the number of them after which it is moved, as in `shaders/group/shared/table_moves.wgsl`.
const ROOM: u32 = 1 << 15;
const MANY: u32 = 1 << 12;

/// The most steps of a workgroup: some drivers end the loops of an invocation after 65 535 turns in all, and a step has up to a hundred, if it carries.
const MOST_STEPS: u64 = 1 << 9;

/// The entry of no key in a table of keys, as in `shaders/group/ids/near.wgsl`.
const NO_ENTRY: u32 = 0xffff;

/// The fewest steps that pay for a table.
const LEAST_STEPS: u64 = 4;

/// The fewest pairs of a workgroup that fills a table of keys, on a processor: to add thousands takes as long.
const LEAST_OF_KEYS: u64 = 1 << 13;

/// The remedy for too many workgroups.
const SPLIT: &str = "split the input";

/// A workgroup's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub(super) workgroup_size: u32,
    /// Copies of each word.
    pub(super) copies: u32,
    /// Groups of a slice or a part, and the number of these.
    pub(super) slice: u32,
    pub(super) slices: u32,
    /// True if the ids of keys have a table in workgroup memory besides.
    pub(super) has_keys: bool,
    /// Pairs of an invocation that are ordered by parts at a time.
    pub(super) ordered: u32,
    /// The kernel that adds pairs to it, or to storage if it is not used.
    pub(super) step: Step,
}

impl Table {
    /// The table for these results.
    pub(super) fn of(by_id: &GroupById, limits: &Limits) -> Self {
        let (groups, planes) = (by_id.groups, by_id.planes());
        let workgroup_size = power_of_two_workgroup(WORKGROUPS[usize::from(by_id.is_software)], limits);
        let bytes = limits.max_compute_workgroup_storage_size;
        let room = |bytes: u32| (bytes.saturating_sub(BESIDES) / (4 * planes)).max(1);
        let near = self::near(by_id);
        let besides = near.and_then(|near| bytes.checked_sub(near)).filter(|bytes| groups <= room(*bytes));
        let (has_keys, bytes) = (besides.is_some(), besides.unwrap_or(bytes));
        let slices = groups.div_ceil(room(bytes));
        let is_hashed = by_id.keys.is_some() && !has_keys;
        let in_storage = by_id.in_storage || by_id.is_software && (slices > 1 || is_hashed);
        if slices > MOST_SLICES || is_hashed || in_storage {
            let sums = 4 * workgroup_size;
            let (slice, slices) = if is_hashed {
                // A slot has the tag of its key, too.
                let slice = 1 << (bytes.saturating_sub(sums + BESIDES) / (4 * planes + 4)).max(2).ilog2();
                let parts = |slots: u32| (slots * groups).div_ceil(slice).next_power_of_two().max(2);
                (slice, parts(LEAST_SLOTS).max(parts(SLOTS).min(FEW_PARTS)))
            } else {
                let slice = 1 << room(bytes.min(COPIED + sums).saturating_sub(sums)).ilog2();
                (slice, groups.div_ceil(slice))
            };
            let fits =
                |ordered: &u32| 12 * slices.min(MOST_PARTS) + sums * (1 + 2 * ordered) + BESIDES <= bytes;
            let ordered = [4, 2, 1].into_iter().find(fits);
            let step = if slices > MOST_PARTS || in_storage || ordered.is_none() { APART } else { PARTED };
            let ordered = ordered.unwrap_or(1);
            return Table { workgroup_size, copies: 1, slice, slices, has_keys, ordered, step };
        }
        let slice = groups.div_ceil(slices);
        let copies = 1 << (room(bytes.min(COPIED)) / slice).clamp(1, MOST_COPIES).ilog2();
        Table { workgroup_size, copies, slice, slices, has_keys, ordered: 1, step: TABLES }
    }

    /// Steps between two looks at it.
    pub(super) fn period(&self) -> u32 {
        let per_step = 4 * self.workgroup_size.div_ceil(self.copies);
        ((ROOM - MANY) / per_step).max(1)
    }
}

impl GroupById {
    /// Plans the dispatches that add pairs of values and ids to states.
    pub(super) fn adding(&self, pairs: [BufferRange; 2], limits: &Limits) -> Result<Vec<Pass>, Error> {
        let len = pairs[0].len;
        let table = Table::of(self, limits);
        let at_once = if table.step == PARTED { ordered(len, limits) } else { len };
        for input in pairs {
            input::check_all(input, 4, limits)?;
        }
        let mut passes = Vec::new();
        for begin in (0..len).step_by(at_once.max(1) as usize) {
            let len = at_once.min(len - begin);
            let part = |input: BufferRange| BufferRange { offset: input.offset + 4 * begin, len };
            for (window, second, at) in input::windows_of_two(pairs.map(part), [4, 4], limits)? {
                let window = Window { index: begin as u32 + window.index, ..window };
                passes.extend(self.add(table, (window, second, at), limits)?);
            }
        }
        Ok(passes)
    }

    /// Plans the dispatches that make results of states.
    pub(super) fn finished(&self, limits: &Limits) -> Result<Vec<Pass>, Error> {
        let over_groups = |step, at_once| {
            let grid = grid::of(self.groups.div_ceil(at_once).into(), limits, "use fewer groups")?;
            let params = Params { groups: self.groups, grid_row: grid[0], ..Params::default() };
            Ok::<_, Error>(Pass::new(step, grid, params))
        };
        let finished = over_groups(FINISH, self.finishing(limits).1)?;
        let variances = self.has_squares().then(|| over_groups(VARIANCE, 1)).transpose()?;
        Ok(variances.into_iter().chain([finished]).collect())
    }

    /// The dispatches over a window of pairs.
    fn add(
        &self,
        table: Table,
        (window, second, at): (Window, ByteRange, u32),
        limits: &Limits,
    ) -> Result<Vec<Pass>, Error> {
        let slices = if table.step == TABLES { table.slices } else { 1 };
        let most = match table.step {
            PARTED => u64::from(MOST_NUMBERS / table.slices),
            TABLES if table.has_keys && self.is_software => u64::from(window.len) / LEAST_OF_KEYS,
            _ => FILLING,
        };
        let most = most.min(FILLING.div_ceil(slices.into()));
        let [shares, steps] = shared(window.first, window.len, table.workgroup_size, most);
        let grid = grid::of(shares * u64::from(slices), limits, SPLIT)?;
        let params = Params {
            first: window.first,
            second: at,
            index: window.index,
            len: window.len,
            groups: (shares * u64::from(slices)) as u32,
            grid_row: grid[0],
            shares: shares as u32,
            steps: steps as u32,
            period: table.period(),
        };
        let (values, second) = (window.bytes(), Some(second));
        // Of keys, which have ids by now, values are the second input.
        let [first, second] = if self.keys.is_some() { [second, values] } else { [values, second] };
        let over = |step| Pass::new(step, grid, params).reading(first).with(second);
        let mut passes = Vec::new();
        if table.step != PARTED {
            if self.keys.is_some() {
                passes.push(collect(params, limits)?.reading(first));
            }
            return Ok([passes, vec![over(table.step)]].concat());
        }
        // A part's last share may be shorter.
        let own = TURNS[usize::from(self.keys.is_some())] * 4 * table.workgroup_size * table.period();
        let groups = window.len.div_ceil(own) + table.slices;
        let grid = grid::of(groups.into(), limits, SPLIT)?;
        let parted = Params { first: 0, second: 0, groups, grid_row: grid[0], period: own, ..params };
        let inside = |step, grid| Pass::new(step, grid, parted);
        passes.extend([over(COUNT), inside(OFFSETS, [1, 1]), over(PUT)]);
        if self.keys.is_some() {
            passes.push(collect(parted, limits)?);
        }
        passes.push(inside(PARTED, grid));
        Ok(passes)
    }

    /// Bytes of the pairs in order, and of the numbers of each workgroup's pairs of each part; `None` if they stay where they are.
    pub(super) fn order(&self, len: u64, limits: &Limits) -> Option<[u64; 2]> {
        let table = Table::of(self, limits);
        let numbers = 4 * (u64::from(table.slices) * FILLING + 1);
        (table.step == PARTED).then(|| [8 * ordered(len, limits), numbers])
    }

    /// Checks the limits that the states need.
    pub(super) fn check_states(&self, limits: &Limits) -> Result<(), LimitError> {
        LimitError::unless_bound(limits, self.states())
            .map_err(|error| error.of("the state of groups").or("use fewer groups"))
    }

    /// Bytes of all states, of the number of ids that no group has, and of positions of keys.
    pub(super) fn states(&self) -> u64 {
        let positions = if self.keys.is_some() { self.groups.into() } else { 0 };
        4 * (self.positions() + positions)
    }

    /// The first word of positions.
    pub(super) fn positions(&self) -> u64 {
        u64::from(self.groups) * self.state() + 1
    }
}

/// The dispatch that collects the keys of pairs with some parameters.
fn collect(pairs: Params, limits: &Limits) -> Result<Pass, LimitError> {
    let [groups, steps] =
        shared(pairs.second, pairs.len, power_of_two_workgroup(COLLECTING, limits), FILLING);
    let grid = grid::of(groups, limits, SPLIT)?;
    let params = Params { groups: groups as u32, grid_row: grid[0], steps: steps as u32, ..pairs };
    Ok(Pass::new(COLLECT, grid, params))
}

/// Workgroups that share the pairs of a window, and the steps of each, of four pairs for each invocation.
fn shared(first: u32, len: u32, workgroup_size: u32, most: u64) -> [u64; 2] {
    // The first four may begin before the first pair.
    let pairs = u64::from(first % 4) + u64::from(len);
    let all = pairs.div_ceil(4 * u64::from(workgroup_size));
    let shares = (all / LEAST_STEPS).clamp(1, most.clamp(1, FILLING)).max(all.div_ceil(MOST_STEPS));
    [shares, all.div_ceil(shares)]
}

/// Bytes of a table of the ids of keys: two a place. `None` if ids are given.
fn near(by_id: &GroupById) -> Option<u32> {
    by_id.keys.filter(|_| by_id.groups < NO_ENTRY).and(u32::try_from(2 * places(by_id.groups)).ok())
}

/// Pairs that are ordered at a time.
fn ordered(len: u64, limits: &Limits) -> u64 {
    len.min(MOST_ORDERED).min(limits.max_storage_buffer_binding_size / 8)
}
