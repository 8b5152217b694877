//! Properties of every plan.

use std::ops::Range;

use halofold::reduce::plan::{ByteRange, Reads, Stage, Writes};
use halofold::reduce::{BufferRange, Plan, Shape};
use halofold::{Binding, Pass};
use proptest::prelude::*;

use super::case::Case;
use super::{offsets, parts, whole};

pub type Checked = Result<(), TestCaseError>;

pub type Launch = Pass<Stage>;

/// The bindings of the input, the output and the second input.
pub const INPUT: u32 = 0;
pub const OUTPUT: u32 = 1;
const SECOND: u32 = 5;

/// A parameter of a dispatch.
pub fn param(launch: &Launch, name: &str) -> u64 {
    launch.param(name).unwrap_or_else(|| panic!("no {name}: {launch:?}")).into()
}

/// The part of an input that it binds, with the input's number.
pub fn input(launch: &Launch, slot: u32) -> Option<(usize, ByteRange)> {
    match launch.binding(slot) {
        Some(Binding::Input(number, bytes)) => Some((number, bytes)),
        _ => None,
    }
}

/// The part of scratch memory that it binds, with the buffer's number.
pub fn scratch(launch: &Launch, slot: u32) -> Option<(usize, ByteRange)> {
    match launch.binding(slot) {
        Some(Binding::Memory(number, bytes)) => Some((number, bytes)),
        _ => None,
    }
}

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

/// The items that a dispatch covers, by their positions in the whole input.
pub fn window(launch: &Launch) -> Range<u64> {
    let [index, len] = ["index", "len"].map(|name| param(launch, name));
    index..index + len
}

/// The bindings hold items `range` of a part, the first of which is item `index`, and parameters say where they are.
pub fn holds(case: &Case, launch: &Launch, range: Range<u64>, index: u64) -> Checked {
    if range.is_empty() {
        return Ok(());
    }
    let Some((part, first)) = input(launch, INPUT) else {
        return Err(TestCaseError::fail(format!("nothing to read: {launch:?}")));
    };
    let (size, [before, apart]) = (case.item(), ["first", "second"].map(|name| param(launch, name)));
    let adjoins = launch.step.reads == Reads::Adjoining;
    let other = input(launch, SECOND);
    let position = |at: u64| before + (at - index);
    let place = |input: BufferRange, bytes: ByteRange, by: u64| {
        let start = bytes.offset + (position(range.start) + by) % (1 << 32) * size;
        prop_assert_eq!(start, input.offset + range.start * size);
        prop_assert!(input.offset + range.end * size <= bytes.end());
        prop_assert!(bytes.end() <= words(input.offset + input.len * size * case.apart()));
        Ok(())
    };
    bound(case, first)?;
    let both = match other.filter(|_| adjoins) {
        None => first,
        Some((number, next)) => {
            // The second binding starts at the end of the first, between two vectors.
            bound(case, next)?;
            prop_assert_eq!((number, apart * size), (part, first.size));
            prop_assert_eq!((first.end(), apart % 4), (next.offset, 0));
            ByteRange { size: first.size + next.size, ..first }
        }
    };
    place(case.parts[part], both, 0)?;
    prop_assert_eq!(other.is_some(), adjoins || case.second.is_some());
    if let (Some(second), Some((number, bytes))) = (case.second, other) {
        prop_assert_eq!(number, 1);
        bound(case, bytes)?;
        place(second, bytes, apart)?;
    }
    Ok(())
}

/// The binding of scratch memory holds the accumulators `range`, and parameters say where they are.
pub fn holds_partials(case: &Case, launch: &Launch, range: Range<u64>) -> Checked {
    let Some((_, bytes)) = scratch(launch, INPUT) else {
        return Err(TestCaseError::fail("no scratch memory"));
    };
    bound(case, bytes)?;
    prop_assert_eq!(bytes.offset + param(launch, "first") * case.acc(), range.start * case.acc());
    prop_assert_eq!(bytes.end(), words(range.end * case.acc()));
    prop_assert_eq!(param(launch, "index"), range.start);
    Ok(())
}

/// What a dispatch of teams takes and leaves.
pub struct Step {
    /// Its chunks, segments or tiles, counted over all dispatches.
    pub taken: Range<u64>,
    /// The elements, or accumulators in scratch memory, that its bindings hold.
    pub covered: Range<u64>,
    /// Number of values that it writes.
    pub values: u64,
    pub team: u32,
    /// Loop turns of an invocation.
    pub turns: u64,
}

/// Dispatches that take `all` things one after another; returns where they write.
pub fn steps(
    case: &Case,
    launches: &[&Launch],
    all: u64,
    step: impl Fn(&Launch) -> Result<Step, TestCaseError>,
) -> Result<Vec<Range<u64>>, TestCaseError> {
    let (mut taken, mut written) = (Vec::new(), Vec::new());
    for launch in launches {
        let step = step(launch)?;
        match scratch(launch, INPUT) {
            Some(_) => holds_partials(case, launch, step.covered)?,
            None => holds(case, launch, step.covered.clone(), step.covered.start)?,
        }
        teams(case, launch, step.team)?;
        turns(step.turns)?;
        written.push(writes(case, launch, step.values)?);
        taken.push(step.taken);
    }
    tiles(taken, all)?;
    Ok(written)
}

/// The range of bytes that a dispatch writes `count` values to, counted from the start of its buffer.
pub fn writes(case: &Case, launch: &Launch, count: u64) -> Result<Range<u64>, TestCaseError> {
    let (bytes, value) = match launch.binding(OUTPUT) {
        Some(Binding::Output(bytes)) => (bytes, case.value(launch.step.writes)),
        Some(Binding::Memory(_, bytes)) => (bytes, case.acc()),
        other => unreachable!("{other:?} is new"),
    };
    bound(case, bytes)?;
    let start = bytes.offset + param(launch, "store") * value;
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
    prop_assert_eq!(launch.param("grid_row"), Some(x));
    prop_assert!((needed..needed + u64::from(y)).contains(&launch.workgroups()), "{launch:?}");
    Ok(())
}

/// A grid of teams of `1 << team` invocations.
pub fn teams(case: &Case, launch: &Launch, team: u32) -> Checked {
    prop_assert_eq!(u64::from(launch.step.workgroup_size), case.workgroup());
    prop_assert!(1 << team <= case.workgroup());
    grid(case, launch, (param(launch, "groups") << team).div_ceil(case.workgroup()))
}

/// No invocation turns more often than the weakest driver allows.
pub fn turns(turns: u64) -> Checked {
    prop_assert!(turns + OTHER_TURNS <= MOST_TURNS, "{turns} turns");
    Ok(())
}
