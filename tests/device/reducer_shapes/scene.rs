//! Devices, operators whose results the CPU knows, and one function that runs tables of cuts.

use std::fmt::Display;

use halofold::reduce::{Arity, Monoid, Op, Reduce};
use halofold::{Compiled, Element, Launches, Workspace};
use halofold_cases::How;

use crate::common::{Gpu, Shared, limited};
use crate::cut::{Cut, Held, reduce};

/// The sum of lowest bits, elements seen, forwards and backwards, and the position of the first largest one. The vector of three has padding.
const LARGEST: &str = "
struct Acc { key: u32, seen: vec3<i32>, index: u32 }
struct Found { seen: vec2<u32>, index: u32, n: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, vec3<i32>(i32(elem & 15u), 1, -1), index); }
fn identity() -> Acc { return Acc(0u, vec3<i32>(), 0xffffffffu); }
fn better(a: Acc, b: Acc) -> bool { return a.key > b.key || (a.key == b.key && a.index < b.index); }
fn combine(a: Acc, b: Acc) -> Acc { var c = b; if better(a, b) { c = a; } c.seen = a.seen + b.seen; return c; }
fn finish(acc: Acc, n: u32) -> Found {
    return Found(vec2(u32(acc.seen.x), u32(acc.seen.y - acc.seen.z)), acc.index, n);
}
";

/// A sum whose `map` is to be added: results show how many elements there were.
pub const SUM: &str = "
alias Acc = u32;
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> u32 { return acc + n; }
";

/// The elements of one result, in order: an element's words in each input.
pub type Elements<'i, 'a> = &'i mut (dyn Iterator<Item = [&'a [u32]; 2]> + 'i);

/// An operator, and what the CPU makes of the elements of one result.
pub struct Operator {
    pub monoid: Monoid,
    pub model: Box<dyn Fn(Elements<'_, '_>) -> Vec<u32>>,
}

impl Operator {
    pub fn new(monoid: Monoid, model: impl Fn(Elements<'_, '_>) -> Vec<u32> + 'static) -> Self {
        Operator { monoid, model: Box::new(model) }
    }

    /// An operator that adds terms, which it makes of elements and their positions, and the number of elements.
    pub fn sum_of(monoid: Monoid, term: impl Fn([&[u32]; 2], u32) -> u32 + 'static) -> Self {
        Operator::new(monoid, move |elements| {
            let add = |(sum, n): (u32, u32), element| (sum.wrapping_add(term(element, n)), n + 1);
            let (sum, n) = elements.fold((0, 0), add);
            vec![sum.wrapping_add(n)]
        })
    }

    /// Copies inputs without a pattern to a device, and computes the results.
    pub fn hold(&self, gpu: &Gpu, cut: &Cut) -> (Held, Vec<u32>) {
        let stride = self.monoid.stride() as usize;
        let (len, words) = (cut.len * stride / 4, stride / 4);
        let both = elements(2 * len);
        let (first, second) = both.split_at(len);
        let element = |at: usize| [first, second].map(|input| &input[at * words..][..words]);
        let result = |group| (self.model)(&mut Iterator::map(group, element));
        let want = cut.groups().into_iter().flat_map(result).collect();
        let inputs = [first, second].map(bytemuck::cast_slice);
        let inputs = if self.monoid.arity() == Arity::Two { &inputs[..] } else { &inputs[..1] };
        (cut.hold(gpu, stride, inputs), want)
    }
}

/// The sum, which has the fastest kernels, and an operator with a wide accumulator that remembers positions.
pub fn operators() -> [Operator; 2] {
    let largest = Operator::new(custom("largest", LARGEST), |elements| {
        let part: Vec<u32> = elements.map(|[element, _]| element[0]).collect();
        let index = (0..part.len()).rev().max_by_key(|at| part[*at]).map_or(u32::MAX, |at| at as u32);
        let (low, n) = (part.iter().map(|element| element & 15).sum(), part.len() as u32);
        vec![low, 2 * n, index, n]
    });
    let of = |elements: Elements<'_, '_>| vec![elements.fold(0, |sum: u32, [x, _]| sum.wrapping_add(x[0]))];
    [Operator::new(sum(), of), largest]
}

/// An operator of one input of integers.
pub fn custom(name: &str, text: &str) -> Monoid {
    Monoid::custom(name, Element::U32, Arity::One, text).unwrap()
}

pub fn sum() -> Monoid {
    Op::Sum.over(Element::U32).unwrap()
}

/// A device as it comes.
pub static GPU: Shared = Shared::new(|| limited(|_| ()));

/// Elements in a binding of the narrow device.
pub const WINDOW: usize = (64 << 10) / 4;

/// A device whose bindings are so small that everything larger needs windows.
pub static NARROW: Shared =
    Shared::new(|| limited(|limits| limits.max_storage_buffer_binding_size = 4 * WINDOW as u64));

pub fn both() -> [&'static Gpu; 2] {
    [&GPU, &NARROW]
}

/// Both ways of compiling, where there are two.
pub fn ways(monoid: &Monoid) -> Vec<How> {
    let has_subgroups: &[bool] = if monoid.acc_type() == "u32" { &[true, false] } else { &[false] };
    has_subgroups.iter().map(|subgroups| How::default().with_subgroups(*subgroups)).collect()
}

/// These, and a finish in a dispatch of its own.
pub fn with_two_launches(monoid: &Monoid) -> Vec<How> {
    ways(monoid).into_iter().chain([How::default().with_launches(Launches::Two)]).collect()
}

pub fn reducer(gpu: &Gpu, monoid: &Monoid, how: How) -> Compiled<Reduce> {
    how.on(&gpu.device, monoid).unwrap()
}

/// Elements without a pattern.
pub fn elements(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ 0x5bd1).wrapping_mul(2_654_435_761).rotate_left(13)).collect()
}

/// The cuts, each from another place on.
pub fn scattered(cuts: impl IntoIterator<Item = Cut>) -> Vec<Cut> {
    cuts.into_iter().enumerate().map(|(number, cut)| cut.at_both([number % 7, number % 5])).collect()
}

/// Compares without printing a hundred thousand numbers.
pub fn compare(got: &[u8], want: &[u32], what: impl Display) {
    let got: Vec<u32> = bytemuck::pod_collect_to_vec(got);
    assert_eq!(got.len(), want.len(), "{what}");
    if let Some(at) = (0..got.len()).find(|at| got[*at] != want[*at]) {
        panic!("{what}: word {at} of {} is {} instead of {}", got.len(), got[at], want[at]);
    }
}

/// Runs operators over cuts on these devices, in each of some ways. All cuts share a workspace, with what the cut before has left there.
pub fn check(devices: &[&Gpu], operators: &[Operator], how: impl Fn(&Monoid) -> Vec<How>, cuts: &[Cut]) {
    let all = devices.iter().flat_map(|gpu| operators.iter().map(move |operator| (*gpu, operator)));
    for (gpu, operator) in all {
        let held: Vec<_> = cuts.iter().map(|cut| operator.hold(gpu, cut)).collect();
        for how in how(&operator.monoid) {
            let reducer = reducer(gpu, &operator.monoid, how);
            let space = Workspace::new(&gpu.device);
            for (cut, (held, want)) in cuts.iter().zip(&held) {
                let got = reduce(gpu, &held.reduction(&reducer).workspace(&space));
                compare(&got, want, format_args!("{} {cut}, {how:?}", operator.monoid.name()));
            }
        }
    }
}
