//! Cases of plans: everything that can be requested.

use std::fmt;
use std::sync::LazyLock;

use halofold::ladder::{Coverage, Finish, RUNGS, Rung, Setup};
use halofold::reduce::plan::Writes;
use halofold::reduce::{Arity, BufferRange, Monoid, Op, Plan, Shape, Tuning};
use halofold::wgpu::Limits;
use halofold::{Element, Error, Launches};
use halofold_cases::How;
use proptest::prelude::*;
use proptest::sample::select;

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
        (Op::Sum.over(Element::F32).unwrap(), 4),
        (Op::WideSum.over(Element::U64).unwrap(), 16),
        (Op::Sum.over(Element::F16).unwrap(), 4),
        (Op::Max.over(Element::F64).unwrap(), 8),
        (Monoid::custom("half", Element::F16, Arity::One, half).unwrap(), 2),
        (Monoid::custom("odd", Element::U32, Arity::One, odd).unwrap(), 12),
        (Monoid::custom("pairs", Element::F32, Arity::Two, pairs).unwrap(), 8),
    ]
});

/// The most elements that an index reaches.
const MOST: u64 = u32::MAX as u64;

/// Places in the list of operators.
const SUM: usize = 0;
pub const WIDE_SUM: usize = 1;

#[derive(Clone)]
pub struct Case {
    pub monoid: usize,
    /// The rung; `None` for the fastest kernels.
    pub rung: Option<Setup>,
    /// Number of dispatches in which workgroups meet, if no rung says it.
    pub launches: Launches,
    /// Two flags: inputs are accumulators, and the output is to be.
    pub states: [bool; 2],
    pub shape: Shape,
    pub parts: Vec<BufferRange>,
    pub second: Option<BufferRange>,
    pub limits: Limits,
}

/// The output of a failing test: a line, not a kernel's essay and forty limits.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Case { launches, states, shape, parts, second, limits, .. } = self;
        let Limits {
            max_storage_buffer_binding_size: binding,
            min_storage_buffer_offset_alignment: align,
            max_compute_workgroups_per_dimension: row,
            max_compute_invocations_per_workgroup: size,
            max_compute_workgroup_storage_size: shared,
            ..
        } = limits;
        let rung = self.rung().map(|(rung, finish, tuning)| (rung.name(), finish, tuning));
        let name = self.monoid().name();
        write!(
            f,
            "{name} {shape:?} over {parts:?} and {second:?}, states {states:?}, {rung:?}, {launches:?}"
        )?;
        write!(f, ", binding {binding}, align {align}, row {row}, invocations {size}, shared {shared}")
    }
}

impl Case {
    /// The sum of this many floats from a byte on by a rung, under wgpu's default limits.
    pub fn of(rung: &str, offset: u64, len: u64) -> Self {
        let limits = Limits::default();
        let rung = Rung::named(rung).unwrap();
        let tuning = Tuning::of(rung.kernel, &limits, len * 4).with_workgroup_size(256);
        let rung = Some(Setup { rung, finish: rung.finishes[0], tuning });
        let (states, shape, launches) = ([false; 2], Shape::Whole, Launches::One);
        let parts = vec![BufferRange { offset, len }];
        Case { monoid: SUM, rung, launches, states, shape, parts, second: None, limits }
    }

    /// The same with another tuning.
    pub fn tuned(mut self, change: impl FnOnce(&mut Tuning)) -> Self {
        if let Some(Setup { tuning, .. }) = &mut self.rung {
            change(tuning);
        }
        self
    }

    pub fn plan(&self) -> Result<Plan, Error> {
        let [from, to] = self.states;
        let mut how = How::default().with_launches(self.launches);
        how.rung = self.rung;
        let how = how.with_from_states(from).with_to_states(to);
        how.plan(self.monoid(), self.shape, &self.parts, self.second, &self.limits)
    }

    pub fn monoid(&self) -> &'static Monoid {
        &MONOIDS[self.monoid].0
    }

    /// The rung with its tuning, if it is one of the ladder.
    pub fn rung(&self) -> Option<(&'static Rung, Finish, Tuning)> {
        let setup = self.rung.filter(|_| self.shape == Shape::Whole)?;
        Some((setup.rung, setup.finish, setup.tuning))
    }

    /// Returns true if workgroups leave their partials to a second dispatch.
    pub fn in_two_launches(&self) -> bool {
        self.launches == Launches::Two && self.shape != Shape::Accumulate
    }

    /// Bytes from one accumulator to the next.
    pub fn acc(&self) -> u64 {
        MONOIDS[self.monoid].1
    }

    /// Bytes from one item of the input to the next.
    pub fn item(&self) -> u64 {
        if self.states[0] { self.acc() } else { self.monoid().stride() }
    }

    /// Bytes from one value that is written to the next.
    pub fn value(&self, writes: Writes) -> u64 {
        if writes == Writes::Partials { self.acc() } else { self.monoid().out_size() }
    }

    pub fn len(&self) -> u64 {
        self.parts.iter().map(|part| part.len).sum()
    }

    /// Items from one that is taken to the next.
    pub fn apart(&self) -> u64 {
        if let Shape::Strided { stride } = self.shape { stride } else { 1 }
    }

    /// Invocations in a workgroup of all kernels but those for whole inputs.
    pub fn workgroup(&self) -> u64 {
        u64::from(self.limits.max_compute_invocations_per_workgroup.min(256))
    }
}

/// Bytes of a binding, from the least that wgpu knows to the largest that GPUs have.
fn bindings() -> impl Strategy<Value = u64> {
    select(vec![64 << 10, (64 << 10) + 192, 1 << 20, 128 << 20, 1 << 30, (2 << 30) - 4, 4 << 30])
}

fn limits(bindings: impl Strategy<Value = u64>) -> impl Strategy<Value = Limits> {
    let aligns = select(vec![32, 64, 128, 256]);
    let others =
        (select(vec![100, 1024, 65_535]), select(vec![128, 256, 1024]), select(vec![16 << 10, 48 << 10]));
    (bindings, aligns, others).prop_map(|(binding, align, (row, invocations, storage))| Limits {
        max_storage_buffer_binding_size: binding,
        max_buffer_size: 1 << 40,
        min_storage_buffer_offset_alignment: align,
        max_compute_workgroups_per_dimension: row,
        max_compute_invocations_per_workgroup: invocations,
        max_compute_workgroup_size_x: invocations,
        max_compute_workgroup_storage_size: storage,
        ..Limits::default()
    })
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
    (magnitudes(MOST), magnitudes(MOST), magnitudes(MOST), 0..3usize).prop_map(|(a, b, c, order)| {
        let b = b.min(MOST / a);
        let c = c.min(MOST / (a * b));
        [[a, b, c], [c, a, b], [b, c, a]][order]
    })
}

/// Tunings, most of them sound.
fn tunings() -> impl Strategy<Value = Tuning> {
    let powers = || (0u32..11).prop_map(|power| 1 << power);
    let workgroup_size = prop_oneof![20 => powers(), 1 => 0u32..3000];
    let tile = prop_oneof![20 => Just(None), 2 => powers().prop_map(Some), 1 => (0u32..3000).prop_map(Some)];
    let max_workgroups = select(vec![1, 2, 3, 7, 64, 396, 1024, 1056, 65_535, 100_000]);
    (workgroup_size, tile, max_workgroups, select(vec![1, 1, 1, 2, 64, 1000])).prop_map(
        |(size, tile, most, leave)| {
            let tuning = Tuning::of(RUNGS[0].kernel, &Limits::default(), 0).with_workgroup_size(size);
            Tuning { max_workgroups: most, leave, tile: tile.unwrap_or(tuning.tile), ..tuning }
        },
    )
}

/// Every rung, and now and then a finish that it does not offer.
fn rungs() -> impl Strategy<Value = Setup> {
    // Exact sums publish digits besides their partials, and have tests of their own.
    let plain: Vec<_> = RUNGS.iter().filter(|rung| rung.name() != "exact").collect();
    (select(plain), tunings(), 0..20usize).prop_map(|(rung, tuning, finish)| {
        let offered = rung.finishes[finish % rung.finishes.len()];
        let finish = if finish == 19 { Finish::ALL[tuning.tile as usize % 5] } else { offered };
        Setup { rung, finish, tuning }
    })
}

/// Lengths around the edges that a rung has: of a workgroup, a tile, a level of partial results, 32 bits.
fn lengths(setup: Setup) -> impl Strategy<Value = u64> + use<> {
    let Setup { rung, tuning, .. } = setup;
    let size = u64::from(tuning.workgroup_size);
    let block = match rung.kernel.coverage {
        Coverage::Block(items) | Coverage::Grid(items) => size * u64::from(items),
        Coverage::Tiles(tiles) => u64::from(tuning.tile) * u64::from(tiles),
        _ => 2 * size,
    };
    let all = block * u64::from(tuning.max_workgroups);
    let edges = vec![size, block, block * block, all, size << 15, 1 << 20, 1 << 30, 1 << 32];
    let near = (select(edges), -2i64..3).prop_map(|(edge, by)| edge.saturating_add_signed(by).min(MOST + 2));
    prop_oneof![3 => 0..300u64, 6 => near, 3 => 0..1u64 << 20, 2 => 0..=MOST, 1 => Just(MOST)]
}

/// A rung, the shape, and the number of elements.
type Asked = (Option<Setup>, Shape, u64);

/// Cases for some requests, with parts and limits.
fn cases(
    asked: impl Strategy<Value = Asked>,
    limits: impl Strategy<Value = Limits>,
    farthest: u64,
) -> impl Strategy<Value = Case> {
    let states = select(vec![[false; 2], [false; 2], [true, false], [false, true], [true; 2]]);
    let launches = select(vec![Launches::One, Launches::Two]);
    let place = move || prop_oneof![1 => Just(0), 4 => 0..300u64, 1 => 0..farthest];
    (asked, 0..MONOIDS.len(), states, launches, limits, [place(), place()], any::<u32>()).prop_map(
        |((rung, shape, len), monoid, [from, to], launches, limits, places, cut)| {
            let has_states = matches!(shape, Shape::Whole | Shape::Segments { .. } | Shape::Axis { .. });
            let is_atomic = matches!(rung, Some(Setup { finish: Finish::Atomic, .. }));
            let states = [from && has_states, to && has_states && !is_atomic];
            let case = Case { monoid, rung, launches, states, shape, parts: vec![], second: None, limits };
            case.over(len, places, cut.into())
        },
    )
}

impl Case {
    /// The case over `len` elements: in parts where a shape takes several, twice where an operator has two inputs.
    fn over(mut self, len: u64, places: [u64; 2], cut: u64) -> Self {
        // States start at a multiple of their size and of the alignment.
        let unit =
            if self.states[0] { (self.acc() >> self.acc().trailing_zeros()) << 8 } else { self.item() };
        let [first, beside] = places;
        let extent = |place: u64, len: u64| BufferRange { offset: place * unit, len };
        let is_pair = self.monoid().arity() == Arity::Two && !self.states[0];
        let takes_parts = matches!(self.shape, Shape::Whole | Shape::Accumulate) && !is_pair;
        let cut = if takes_parts { cut % (len + 1) } else { len };
        self.parts = vec![extent(first, cut)];
        if takes_parts {
            self.parts.extend([extent(beside, 0), extent(beside, len - cut)]);
        }
        self.second = is_pair.then(|| extent(beside, len));
        self
    }

    /// The same with bindings so large that a few hundred windows will do: many cases instead of long ones.
    fn in_few_windows(mut self) -> Self {
        let binding = self.limits.max_storage_buffer_binding_size;
        let len = self.len();
        let results = match self.shape {
            Shape::Segments { len: each } | Shape::Axis { len: each, .. } => len / each,
            Shape::Offsets { count } => count * (1 + len * self.item() / binding),
            _ => 1,
        };
        let most = (len * self.apart() * self.item()).max(results * self.acc().max(self.monoid().out_size()));
        self.limits.max_storage_buffer_binding_size = binding.max((most / 200).next_multiple_of(4));
        self
    }
}

/// Every shape by the fastest kernels.
pub fn of_shapes() -> impl Strategy<Value = Case> {
    let shapes = prop_oneof![
        (0..=MOST).prop_map(|len| (Shape::Whole, len)),
        (0..=MOST).prop_map(|len| (Shape::Accumulate, len)),
        (magnitudes(1 << 20), magnitudes(MOST)).prop_map(|(stride, len)| (Shape::Strided { stride }, len)),
        three().prop_map(|[count, len, more]| (Shape::Segments { len: len * more }, count * len * more)),
        (magnitudes(1 << 24), prop_oneof![Just(0), magnitudes(MOST)])
            .prop_map(|(count, len)| (Shape::Offsets { count }, len)),
        three().prop_map(|[outer, len, inner]| (Shape::Axis { outer, len, inner }, outer * len * inner)),
    ];
    let asked = shapes.prop_map(|(shape, len)| (None, shape, len));
    cases(asked, limits(bindings()), 1 << 28).prop_map(Case::in_few_windows)
}

/// Rungs over whole inputs, now and then from a place where no element starts.
pub fn of_rungs() -> impl Strategy<Value = Case> {
    let asked =
        rungs().prop_flat_map(|rung| lengths(rung).prop_map(move |len| (Some(rung), Shape::Whole, len)));
    (cases(asked, limits(bindings()), 1 << 28), 0..40u64).prop_map(|(mut case, astray)| {
        case.parts[0].offset += u64::from(astray == 0);
        case.in_few_windows()
    })
}
