//! Properties of every plan.

use std::ops::Range;

use halofold::reduce::plan::{ByteRange, Dst, Launch, Params, Reads, Src, Writes};
use halofold::reduce::{BufferRange, Plan, Shape};
use proptest::prelude::*;

use super::case::Case;
use super::{offsets, parts, whole};

pub type Checked = Result<(), TestCaseError>;

/// The loops of one invocation may turn this often, all together: Mesa 22 stops them there silently.
const MOST_TURNS: u64 = 65_535;

/// Bound on the turns of a kernel's other loops: steps of trees, slots of narrow subgroups, tiles.
const OTHER_TURNS: u64 = 300;

/// Checks a plan for everything that a run relies on.
pub fn plan(case: &Case, plan: &Plan) -> Checked {
    let left = if plan.leaves_partials() || case.states[1] { Writes::Partials } else { Writes::Results };
    prop_assert_eq!(plan.output(), words(plan.results() * case.value(left)));
    match case.shape {
        Shape::Whole | Shape::Accumulate | Shape::Strided { .. } => whole::plan(case, plan)?,
        Shape::Segments { len } => parts::plan(case, plan, case.len() / len, len, 1)?,
        Shape::Axis { outer, len, inner } => parts::plan(case, plan, outer, len, inner)?,
        Shape::Offsets { count } => offsets::plan(case, plan, count)?,
        other => unreachable!("{other:?} is new"),
    }
    depth(case, plan)
}

/// No tree with that many leaves is flatter than the depth that error bounds are made from.
fn depth(case: &Case, plan: &Plan) -> Checked {
    let leaves = match case.shape {
        Shape::Segments { len } | Shape::Axis { len, .. } => len,
        _ => case.len().div_ceil(plan.results().max(1)),
    };
    let is_flatter = plan.depth() < u64::from(leaves.max(1).next_power_of_two().ilog2());
    prop_assert!(plan.launches().is_empty() || !is_flatter, "{} for {leaves}", plan.depth());
    Ok(())
}

/// Ranges that follow one another from 0 to `all`.
pub fn tiles(ranges: impl IntoIterator<Item = Range<u64>>, all: u64) -> Checked {
    let mut at = 0;
    for range in ranges {
        prop_assert_eq!(range.start, at);
        prop_assert!(range.end >= range.start);
        at = range.end;
    }
    prop_assert_eq!(at, all);
    Ok(())
}

/// A part of a buffer that a device lets a kernel have; one of vectors starts at a vector.
pub fn bound(case: &Case, bytes: ByteRange) -> Checked {
    let ByteRange { offset, size } = bytes;
    let align = case.limits.min_storage_buffer_offset_alignment;
    prop_assert!(offset.is_multiple_of(align.into()) && offset.is_multiple_of(32), "{offset}");
    prop_assert!(size > 0 && size.is_multiple_of(4) && size <= 1 << 31, "{size}");
    prop_assert!(size <= case.limits.max_storage_buffer_binding_size, "{size} bytes in one binding");
    Ok(())
}

/// The items that a launch covers, by their positions in the whole input.
pub fn window(params: &Params) -> Range<u64> {
    u64::from(params.index)..u64::from(params.index) + u64::from(params.len)
}

/// The bindings hold the items `range` of a part, the first of which is item `index` of it, and `params` say where
/// they are.
pub fn holds(case: &Case, launch: &Launch, range: Range<u64>, index: u64) -> Checked {
    if range.is_empty() {
        return Ok(());
    }
    let Src::Inputs { part, first, next, second } = launch.src else {
        return Err(TestCaseError::fail(format!("nothing to read: {launch:?}")));
    };
    let (size, params) = (case.item(), &launch.params);
    let position = |at: u64| u64::from(params.first) + (at - index);
    let place = |input: BufferRange, bytes: ByteRange, by: u64| {
        let start = bytes.offset + (position(range.start) + by) % (1 << 32) * size;
        prop_assert_eq!(start, input.offset + range.start * size);
        prop_assert!(input.offset + range.end * size <= bytes.end());
        prop_assert!(bytes.end() <= words(input.offset + input.len * size * case.apart()));
        Ok(())
    };
    bound(case, first)?;
    prop_assert_eq!(next.is_some(), launch.stage.reads == Reads::Adjoining);
    let both = match next {
        None => first,
        Some(next) => {
            // The second binding starts at the end of the first, between two vectors.
            bound(case, next)?;
            prop_assert_eq!(u64::from(params.second) * size, first.size);
            prop_assert_eq!((first.end(), params.second % 4), (next.offset, 0));
            ByteRange { size: first.size + next.size, ..first }
        }
    };
    place(case.parts[part], both, 0)?;
    prop_assert_eq!(second.is_some(), case.second.is_some());
    if let (Some(input), Some(bytes)) = (case.second, second) {
        bound(case, bytes)?;
        place(input, bytes, u64::from(params.second))?;
    }
    Ok(())
}

/// The binding of scratch memory holds the accumulators `range`, and `params` say where they are.
pub fn holds_partials(case: &Case, launch: &Launch, range: Range<u64>) -> Checked {
    let Src::Scratch(_, bytes) = launch.src else { return Err(TestCaseError::fail("no scratch memory")) };
    bound(case, bytes)?;
    prop_assert_eq!(bytes.offset + u64::from(launch.params.first) * case.acc(), range.start * case.acc());
    prop_assert_eq!(bytes.end(), words(range.end * case.acc()));
    prop_assert_eq!(u64::from(launch.params.index), range.start);
    Ok(())
}

/// What a launch of teams takes and leaves.
pub struct Step {
    /// Its chunks, segments or tiles, counted over all launches.
    pub taken: Range<u64>,
    /// The elements, or accumulators in scratch memory, that its bindings hold.
    pub covered: Range<u64>,
    /// Number of values that it writes.
    pub values: u64,
    pub team: u32,
    /// Loop turns of an invocation.
    pub turns: u64,
}

/// Launches that take `all` things one after another; returns where they write.
pub fn steps(
    case: &Case,
    launches: &[&Launch],
    all: u64,
    step: impl Fn(&Launch) -> Result<Step, TestCaseError>,
) -> Result<Vec<Range<u64>>, TestCaseError> {
    let (mut taken, mut written) = (Vec::new(), Vec::new());
    for launch in launches {
        let step = step(launch)?;
        match launch.src {
            Src::Scratch(..) => holds_partials(case, launch, step.covered)?,
            _ => holds(case, launch, step.covered.clone(), step.covered.start)?,
        }
        teams(case, launch, step.team)?;
        turns(step.turns)?;
        written.push(writes(case, launch, step.values)?);
        taken.push(step.taken);
    }
    tiles(taken, all)?;
    Ok(written)
}

/// The range of bytes that a launch writes `count` values to, counted from the start of its buffer.
pub fn writes(case: &Case, launch: &Launch, count: u64) -> Result<Range<u64>, TestCaseError> {
    let (bytes, value) = match launch.dst {
        Dst::Output(bytes) => (bytes, case.value(launch.stage.writes)),
        Dst::Scratch(_, bytes) => (bytes, case.acc()),
        other => unreachable!("{other:?} is new"),
    };
    bound(case, bytes)?;
    let start = bytes.offset + u64::from(launch.params.store) * value;
    prop_assert!(start.is_multiple_of(value));
    prop_assert_eq!(words(start + count * value), bytes.end());
    Ok(start / value..start / value + count)
}

/// A binding is a whole number of words.
pub fn words(bytes: u64) -> u64 {
    bytes.next_multiple_of(4)
}

/// The grid lies within the limits and has the workgroups that are needed.
pub fn grid(case: &Case, launch: &Launch, needed: u64) -> Checked {
    let [x, y] = launch.grid;
    let most = case.limits.max_compute_workgroups_per_dimension;
    prop_assert!((1..=most).contains(&x) && (1..=most).contains(&y), "{launch:?}");
    prop_assert_eq!(launch.params.row, x);
    prop_assert!((needed..needed + u64::from(y)).contains(&launch.workgroups()), "{launch:?}");
    Ok(())
}

/// A grid of teams of `1 << team` invocations.
pub fn teams(case: &Case, launch: &Launch, team: u32) -> Checked {
    prop_assert_eq!(u64::from(launch.stage.workgroup_size), case.workgroup());
    prop_assert!(1 << team <= case.workgroup());
    grid(case, launch, (u64::from(launch.params.groups) << team).div_ceil(case.workgroup()))
}

/// No invocation turns more often than the weakest driver allows.
pub fn turns(turns: u64) -> Checked {
    prop_assert!(turns + OTHER_TURNS <= MOST_TURNS, "{turns} turns");
    Ok(())
}
