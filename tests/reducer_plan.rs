//! Plans of the embeddable reducer, held against what its kernels do with them. No GPU is needed.
//!
//! Random shapes, lengths up to 2^32 - 1, offsets, operators and limits: each element is covered once, each result written
//! once, every binding starts where it may and holds what its kernel reads, and no invocation turns too often.

use std::fmt;
use std::ops::Range;
use std::sync::LazyLock;

use halofold::Element;
use halofold::reducer::{Arity, Bytes, Extent, From, Monoid, Op, Pass, Plan, ReducerError, Shape, Step, To};
use halofold::wgpu::Limits;
use proptest::prelude::*;
use proptest::sample::select;

type Checked = Result<(), TestCaseError>;

/// The loops of one invocation may turn this often, all together: Mesa 22 stops them there without a word.
const MOST_TURNS: u64 = 65_535;

/// What a kernel's other loops may need: steps of trees, slots of narrow subgroups.
const OTHER_TURNS: u64 = 300;

/// Operators of elements, accumulators and results of 2 to 16 bytes, with the accumulators' strides.
static MONOIDS: LazyLock<Vec<(Monoid, u64)>> = LazyLock::new(|| {
    let odd = "struct Acc { a: u32, b: u32, c: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, index, 1u); }
fn identity() -> Acc { return Acc(); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(a.a + b.a, a.b + b.b, a.c + b.c); }
fn finish(acc: Acc, n: u32) -> vec4<u32> { return vec4<u32>(acc.a, acc.b, acc.c, n); }";
    let pairs = "alias Acc = vec2<f32>;
struct Out { a: f32, b: f32, c: f32 }
fn map(first: Elem, second: Elem, index: u32) -> Acc { return vec2<f32>(first, second); }
fn identity() -> Acc { return Acc(); }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> Out { return Out(acc.x, acc.y, f32(n)); }";
    let half = "alias Acc = f16;
fn map(elem: Elem, index: u32) -> Acc { return elem; }
fn identity() -> Acc { return Acc(); }
fn combine(a: Acc, b: Acc) -> Acc { return max(a, b); }
fn finish(acc: Acc, n: u32) -> f16 { return acc; }";
    vec![
        (Monoid::custom("half", Element::F16, Arity::One, half).unwrap(), 2),
        (Op::Sum.over(Element::F16).unwrap(), 4),
        (Op::Sum.over(Element::F32).unwrap(), 4),
        (Op::Max.over(Element::F64).unwrap(), 8),
        (Monoid::custom("odd", Element::U32, Arity::One, odd).unwrap(), 12),
        (Monoid::custom("pairs", Element::F32, Arity::Two, pairs).unwrap(), 8),
    ]
});

#[derive(Clone)]
struct Case {
    monoid: usize,
    shape: Shape,
    parts: Vec<Extent>,
    second: Option<Extent>,
    limits: Limits,
}

/// What a failing test prints: a line, not forty limits.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { shape, parts, second, limits, .. } = self;
        write!(f, "{} {shape:?} over {parts:?} and {second:?}, ", self.monoid().name())?;
        write!(f, "bindings of {}", limits.max_storage_buffer_binding_size)?;
        write!(f, " at multiples of {}", limits.min_storage_buffer_offset_alignment)?;
        write!(f, ", rows of {} workgroups", limits.max_compute_workgroups_per_dimension)?;
        write!(f, ", {} invocations", limits.max_compute_invocations_per_workgroup)
    }
}

impl Case {
    fn monoid(&self) -> &'static Monoid {
        &MONOIDS[self.monoid].0
    }

    fn acc(&self) -> u64 {
        MONOIDS[self.monoid].1
    }

    fn size(&self) -> u64 {
        self.monoid().element().size()
    }

    fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.len).sum()
    }

    fn plan(&self) -> Result<Plan, ReducerError> {
        Plan::of(self.monoid(), self.shape, &self.parts, self.second, &self.limits)
    }

    /// Invocations in a workgroup of all kernels but those of [`Step::Whole`].
    fn workgroup(&self) -> u64 {
        u64::from(self.limits.max_compute_invocations_per_workgroup.min(256))
    }
}

/// Numbers of every magnitude.
fn magnitudes(most: u64) -> impl Strategy<Value = u64> {
    (0..=most.ilog2(), any::<u64>(), -2i64..3).prop_map(move |(power, random, near)| {
        let edge = 1u64 << power;
        let number = if random % 3 == 0 { edge.saturating_add_signed(near) } else { edge + random % edge };
        number.clamp(1, most)
    })
}

/// Three numbers whose product fits 32 bits, in any order, so that each of them may be the largest.
fn three() -> impl Strategy<Value = [u64; 3]> {
    let most = u64::from(u32::MAX);
    (magnitudes(most), magnitudes(most), magnitudes(most), 0..3usize).prop_map(move |(a, b, c, order)| {
        let b = b.min(most / a);
        let c = c.min(most / (a * b));
        [[a, b, c], [c, a, b], [b, c, a]][order]
    })
}

/// A shape, and how many elements it takes.
fn shapes() -> impl Strategy<Value = (Shape, u64)> {
    let most = u64::from(u32::MAX);
    prop_oneof![
        (0..=most).prop_map(|len| (Shape::Whole, len)),
        (0..=most).prop_map(|len| (Shape::Accumulate, len)),
        (magnitudes(1 << 20), magnitudes(most)).prop_map(|(stride, len)| (Shape::Strided { stride }, len)),
        three().prop_map(|[count, len, more]| (Shape::Segments { len: len * more }, count * len * more)),
        (magnitudes(1 << 24), prop_oneof![Just(0), magnitudes(most)])
            .prop_map(|(count, len)| (Shape::Offsets { count }, len)),
        three().prop_map(|[outer, len, inner]| (Shape::Axis { outer, len, inner }, outer * len * inner)),
    ]
}

fn cases() -> impl Strategy<Value = Case> {
    let bindings = select(vec![64 << 10, (64 << 10) + 192, 1 << 20, 128 << 20, (2 << 30) - 4, 4 << 30]);
    let limits =
        (bindings, select(vec![32u32, 64, 256]), select(vec![1024u32, 65_535]), select(vec![128u32, 1024]));
    (shapes(), 0..MONOIDS.len(), limits, (0u64..300, 0u64..300), any::<u32>()).prop_map(
        |((shape, len), monoid, (binding, align, row, invocations), (offset, beside), cut)| {
            let (monoid_of, acc) = &MONOIDS[monoid];
            let size = monoid_of.element().size();
            // A few hundred windows at most, to have many cases instead of long ones.
            let apart = if let Shape::Strided { stride } = shape { stride } else { 1 };
            let results = match shape {
                Shape::Segments { len: each } => len / each,
                Shape::Offsets { count } => count * (1 + len * size / binding),
                Shape::Axis { len: each, .. } => len / each,
                _ => 1,
            };
            let most = (len * apart * size).max(results * acc.max(&monoid_of.out_size()));
            let limits = Limits {
                max_storage_buffer_binding_size: binding.max((most / 200).next_multiple_of(4)),
                max_buffer_size: 1 << 40,
                min_storage_buffer_offset_alignment: align,
                max_compute_workgroups_per_dimension: row,
                max_compute_invocations_per_workgroup: invocations,
                max_compute_workgroup_size_x: invocations,
                ..Limits::default()
            };
            let extent = |offset: u64, len: u64| Extent { offset: offset * size, len };
            let is_pair = monoid_of.arity() == Arity::Two;
            let takes_parts = matches!(shape, Shape::Whole | Shape::Accumulate);
            let parts = if takes_parts && !is_pair {
                let cut = u64::from(cut).min(len);
                vec![extent(offset, cut), extent(beside, 0), extent(beside, len - cut)]
            } else {
                vec![extent(offset, len)]
            };
            Case { monoid, shape, parts, second: is_pair.then(|| extent(beside, len)), limits }
        },
    )
}

/// Ranges that follow one another from 0 to `all`.
fn tiles(ranges: impl IntoIterator<Item = Range<u64>>, all: u64) -> Checked {
    let mut at = 0;
    for range in ranges {
        prop_assert_eq!(range.start, at);
        prop_assert!(range.end >= range.start);
        at = range.end;
    }
    prop_assert_eq!(at, all);
    Ok(())
}

fn bound(case: &Case, offset: u64, size: u64) -> Checked {
    prop_assert!(
        offset.is_multiple_of(u64::from(case.limits.min_storage_buffer_offset_alignment)),
        "{offset}"
    );
    prop_assert!(size > 0 && size.is_multiple_of(4) && size <= case.limits.max_storage_buffer_binding_size);
    prop_assert!(size <= 1 << 31);
    Ok(())
}

/// The binding holds the elements `range`, counted in elements of the part, and `params` say where they are.
fn holds(case: &Case, pass: &Pass, range: Range<u64>, index: u64) -> Checked {
    if range.is_empty() {
        return Ok(());
    }
    let From::Inputs { part, first, next, second } = pass.from else {
        return Err(TestCaseError::fail(format!("nothing to read: {pass:?}")));
    };
    let size = case.size();
    let position = |at: u64| u64::from(pass.params.first) + (at - index);
    let place = |input: Extent, bytes: Bytes, by: u64| {
        let start = bytes.offset + (position(range.start) + by) % (1 << 32) * size;
        prop_assert_eq!(start, input.offset + range.start * size);
        let end = input.offset + range.end * size;
        prop_assert!(
            end <= bytes.end()
                && bytes.end() <= (input.offset + input.len * size * apart(case)).next_multiple_of(4)
        );
        Ok(())
    };
    let both = match next {
        None => first,
        Some(next) => {
            // Where the first binding ends the second one starts, between two vectors.
            bound(case, first.offset, first.size)?;
            bound(case, next.offset, next.size)?;
            prop_assert!(matches!(pass.step, Step::Adjoining { .. }), "{pass:?}");
            prop_assert_eq!(u64::from(pass.params.other) * size, first.size);
            prop_assert_eq!((first.end(), pass.params.other % 4), (next.offset, 0));
            Bytes { offset: first.offset, size: first.size + next.size }
        }
    };
    if next.is_none() {
        bound(case, first.offset, first.size)?;
    }
    place(case.parts[part], both, 0)?;
    prop_assert_eq!(second.is_some(), case.second.is_some());
    if let (Some(input), Some(bytes)) = (case.second, second) {
        bound(case, bytes.offset, bytes.size)?;
        place(input, bytes, u64::from(pass.params.other))?;
    }
    Ok(())
}

fn apart(case: &Case) -> u64 {
    if let Shape::Strided { stride } = case.shape { stride } else { 1 }
}

/// Where a pass writes `count` values, counted from the start of its buffer.
fn writes(case: &Case, pass: &Pass, count: u64) -> Result<Range<u64>, TestCaseError> {
    let (bytes, stride) = match pass.to {
        To::Output(bytes) => (bytes, case.monoid().out_size()),
        To::Scratch(bytes) => (bytes, case.acc()),
    };
    bound(case, bytes.offset, bytes.size)?;
    let start = bytes.offset + u64::from(pass.params.store) * stride;
    prop_assert!(start.is_multiple_of(stride));
    prop_assert_eq!(words(start + count * stride), bytes.end());
    Ok(start / stride..start / stride + count)
}

/// A binding is a whole number of words.
fn words(bytes: u64) -> u64 {
    bytes.next_multiple_of(4)
}

/// The grid lies within the limits and has the workgroups that are needed.
fn grid(case: &Case, pass: &Pass, needed: u64) -> Checked {
    let [x, y] = pass.grid;
    let most = case.limits.max_compute_workgroups_per_dimension;
    prop_assert!((1..=most).contains(&x) && (1..=most).contains(&y), "{pass:?}");
    prop_assert_eq!(pass.params.row, x);
    let workgroups = u64::from(x) * u64::from(y);
    prop_assert!((needed..needed + u64::from(y)).contains(&workgroups), "{pass:?}");
    Ok(())
}

/// A grid of teams.
fn teams(case: &Case, pass: &Pass) -> Checked {
    let team = 1 << pass.params.team;
    prop_assert!(team <= case.workgroup());
    grid(case, pass, (u64::from(pass.params.groups) * team).div_ceil(case.workgroup()))
}

fn turns(turns: u64) -> Checked {
    prop_assert!(turns + OTHER_TURNS <= MOST_TURNS, "{turns} turns");
    Ok(())
}

/// One result, through the notice board.
fn one(case: &Case, plan: &Plan) -> Checked {
    let tickets: u64 = plan.passes.iter().map(|pass| u64::from(pass.params.groups)).sum();
    let mut slots = 0;
    let mut before = vec![0];
    for part in &case.parts {
        before.push(before[before.len() - 1] + part.len);
    }
    tiles(plan.passes.iter().map(|pass| window(&pass.params)), case.len())?;
    for pass in &plan.passes {
        let wg = u64::from(pass.workgroup_size);
        prop_assert!(wg <= case.limits.max_compute_invocations_per_workgroup.into());
        let Range { start, end } = window(&pass.params);
        if let From::Inputs { part, .. } = pass.from {
            let stride = apart(case);
            let (start, end) = (start - before[part], end - before[part]);
            let spanned = start * stride..(end.max(1) - 1) * stride + 1;
            holds(case, pass, spanned, start * stride)?;
        }
        // No workgroup in excess: it would draw a ticket.
        let [x, y] = pass.grid;
        grid(case, pass, u64::from(pass.params.groups))?;
        prop_assert_eq!(u64::from(x) * u64::from(y), u64::from(pass.params.groups));
        prop_assert_eq!((u64::from(pass.params.tickets), u64::from(pass.params.store)), (tickets, slots));
        slots += u64::from(pass.params.groups);
        turns((end - start).div_ceil(u64::from(pass.params.groups) * wg) + tickets.div_ceil(wg))?;
    }
    if case.shape == Shape::Accumulate {
        prop_assert_eq!(plan.board, 0);
        return Ok(());
    }
    bound(case, 0, plan.board)
}

fn window(params: &halofold::reduce::Params) -> Range<u64> {
    u64::from(params.index)..u64::from(params.index) + u64::from(params.len)
}

/// Parts of `len` rows of `inner` elements.
fn many(case: &Case, plan: &Plan, count: u64, len: u64, inner: u64) -> Checked {
    let (elements, merges): (Vec<&Pass>, Vec<&Pass>) =
        plan.passes.iter().partition(|pass| matches!(pass.from, From::Inputs { .. }));
    let chunks = elements.first().map_or(1, |pass| u64::from(pass.params.chunks));
    let numbers = |pass: &Pass| {
        let strips = if inner == 1 { 1 } else { inner.div_ceil(u64::from(pass.params.width)) };
        let some = u64::from(pass.params.groups) / strips;
        u64::from(pass.params.base)..u64::from(pass.params.base) + some
    };
    let mut left: Vec<Range<u64>> = Vec::new();
    tiles(elements.iter().map(|pass| numbers(pass)), count * chunks)?;
    for pass in &elements {
        let params = &pass.params;
        let chunk = u64::from(params.chunk);
        let row = |number: u64| number / chunks * len + number % chunks * chunk;
        prop_assert_eq!((u64::from(params.segment), u64::from(params.count)), (len, len));
        prop_assert!(chunks * chunk >= len && (chunks - 1) * chunk < len);
        let range = numbers(pass);
        let covered = row(range.start) * inner..row(range.end) * inner;
        prop_assert_eq!(window(params), covered.clone());
        holds(case, pass, covered.clone(), covered.start)?;
        teams(case, pass)?;
        let written = writes(case, pass, (range.end - range.start) * inner)?;
        if params.onto == 0 {
            left.push(written);
        } else {
            // It goes on where the part's first window started.
            let first = left.last().cloned().unwrap_or(0..0);
            prop_assert!(first.start == written.start && written.end <= first.end);
            prop_assert_eq!(range.start / chunks, (range.end - 1) / chunks);
        }
        turns(chunk.div_ceil(((1 << params.team) / u64::from(params.width.max(1))).max(1)))?;
    }
    if merges.is_empty() {
        return tiles(left, count * inner);
    }
    let each = u64::from(merges[0].params.segment);
    tiles(left, count * inner * each)?;
    prop_assert_eq!(plan.scratch, words(count * inner * each * case.acc()));
    tiles(merges.iter().map(|pass| numbers(pass)), count)?;
    for pass in &merges {
        let From::Scratch(bytes) = pass.from else { return Err(TestCaseError::fail("no scratch")) };
        bound(case, bytes.offset, bytes.size)?;
        let range = numbers(pass);
        let first = bytes.offset / case.acc() + u64::from(pass.params.first);
        prop_assert_eq!(first, range.start * each * inner);
        prop_assert_eq!(u64::from(pass.params.index), first);
        prop_assert_eq!(bytes.end(), words(range.end * each * inner * case.acc()));
        prop_assert_eq!((u64::from(pass.params.segment), pass.params.chunks), (each, 1));
        teams(case, pass)?;
        turns(each.div_ceil(((1 << pass.params.team) / u64::from(pass.params.width.max(1))).max(1)))?;
    }
    let written: Result<Vec<_>, _> = merges
        .iter()
        .map(|pass| writes(case, pass, (numbers(pass).end - numbers(pass).start) * inner))
        .collect();
    tiles(written?, count * inner)
}

/// Segments between offsets.
fn ragged(case: &Case, plan: &Plan, count: u64) -> Checked {
    let len = case.len();
    let of = |step| plan.passes.iter().filter(move |pass| pass.step == step);
    let slab =
        |pass: &Pass, some: u32| u64::from(pass.params.base)..u64::from(pass.params.base) + u64::from(some);
    let slabs: Vec<_> = of(Step::Offsets).filter(|pass| pass.params.index == 0).collect();
    tiles(slabs.iter().map(|pass| slab(pass, pass.params.groups)), count)?;
    for first in &slabs {
        let windows: Vec<_> =
            of(Step::Offsets).filter(|pass| pass.params.base == first.params.base).collect();
        tiles(windows.iter().map(|pass| window(&pass.params)), len)?;
        prop_assert_eq!(windows.iter().filter(|pass| pass.params.last == 1).count(), 1);
        prop_assert_eq!(windows[windows.len() - 1].params.last, 1);
        for pass in windows {
            let params = &pass.params;
            let tile = 1u64 << params.segment;
            prop_assert!(u64::from(params.chunk) <= tile && u64::from(params.count) == len);
            // A segment that starts in the window may end a tile behind it.
            let Range { start, end } = window(params);
            holds(case, pass, start..len.min(end + tile), start)?;
            teams(case, pass)?;
            let range = slab(pass, params.groups);
            prop_assert_eq!(writes(case, pass, u64::from(params.groups))?, range.clone());
            let Some(bytes) = pass.offsets else { return Err(TestCaseError::fail("no offsets")) };
            bound(case, bytes.offset, bytes.size)?;
            prop_assert_eq!((bytes.offset, bytes.end()), (range.start * 4, (range.end + 1) * 4));
            // A queue of medium segments, or marks of a long one; and a short one of its own.
            let queued = case.workgroup() >> params.team;
            turns(
                queued * (tile.div_ceil(case.workgroup() * 16) + 20)
                    + (len / tile).div_ceil(case.workgroup()),
            )?;
        }
    }
    let Some(first) = slabs.first() else { return Ok(()) };
    let tile = 1u64 << first.params.segment;
    bound(case, 0, plan.marks)?;
    prop_assert!(plan.marks >= len.div_ceil(tile) * 16);
    if len <= tile {
        prop_assert!(plan.passes.iter().all(|pass| pass.step == Step::Offsets));
        return Ok(());
    }
    tiles(of(Step::Tiles).map(|pass| slab(pass, pass.params.groups)), len.div_ceil(tile))?;
    for pass in of(Step::Tiles) {
        let Range { start, end } = slab(pass, pass.params.groups);
        let covered = (start * tile).saturating_sub(tile)..len.min(end * tile);
        prop_assert_eq!(u64::from(pass.params.index), covered.start);
        holds(case, pass, covered.clone(), covered.start)?;
        teams(case, pass)?;
        prop_assert_eq!(writes(case, pass, end - start)?, start..end);
    }
    tiles(of(Step::Join).map(|pass| slab(pass, pass.params.len)), count)?;
    for pass in of(Step::Join) {
        let From::Scratch(bytes) = pass.from else { return Err(TestCaseError::fail("no scratch")) };
        bound(case, bytes.offset, bytes.size)?;
        prop_assert_eq!((bytes.offset, bytes.size), (0, words(len.div_ceil(tile) * case.acc())));
        teams(case, pass)?;
        let range = slab(pass, pass.params.len);
        prop_assert_eq!(writes(case, pass, range.end - range.start)?, range);
    }
    Ok(())
}

/// Whether what an error says is so.
fn justified(case: &Case, error: &ReducerError) -> Checked {
    let so = match *error {
        ReducerError::Scratch { needed, limit } | ReducerError::Row { needed, limit } => {
            needed > limit && limit <= case.limits.max_storage_buffer_binding_size
        }
        ReducerError::TooManyWorkgroups { needed, limit } => {
            let row = u64::from(case.limits.max_compute_workgroups_per_dimension);
            let strided = matches!(case.shape, Shape::Strided { .. });
            needed > limit && (limit == row * row || strided)
        }
        ReducerError::NoAtomic { .. } => {
            case.shape == Shape::Accumulate && case.monoid().accumulates().is_none()
        }
        _ => false,
    };
    prop_assert!(so, "{error}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn plans_hold(case in cases()) {
        let plan = match case.plan() {
            Ok(plan) => plan,
            Err(error) => return justified(&case, &error),
        };
        prop_assert_eq!(plan.output, words(plan.results * case.monoid().out_size()));
        match case.shape {
            Shape::Whole | Shape::Accumulate | Shape::Strided { .. } => one(&case, &plan)?,
            Shape::Segments { len } => many(&case, &plan, case.len() / len, len, 1)?,
            Shape::Axis { outer, len, inner } => many(&case, &plan, outer, len, inner)?,
            Shape::Offsets { count } => ragged(&case, &plan, count)?,
            other => unreachable!("{other:?} is new"),
        }
    }
}
