//! Devices, operators whose results the CPU knows, and one function that runs rows of cuts.

use std::fmt::Display;

use halofold::Element;
use halofold::reduce::{Arity, Launches, Monoid, Op, Options, Reducer};

use crate::common::{Gpu, Shared, limited};
use crate::cut::{Cut, Held};

/// The position of the largest element, the first if there are several; how many were seen; and how many there are.
const LARGEST: &str = "
struct Acc { key: u32, index: u32, seen: u32 }
struct Found { index: u32, seen: u32, n: u32 }
fn map(elem: Elem, index: u32) -> Acc { return Acc(elem, index, 1u); }
fn identity() -> Acc { return Acc(0u, 0xffffffffu, 0u); }
fn better(a: Acc, b: Acc) -> bool { return a.key > b.key || (a.key == b.key && a.index < b.index); }
fn combine(a: Acc, b: Acc) -> Acc {
    var best = b;
    if better(a, b) { best = a; }
    best.seen = a.seen + b.seen;
    return best;
}
fn finish(acc: Acc, n: u32) -> Found { return Found(acc.index, acc.seen, n); }
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
            let (mut sum, mut n) = (0u32, 0u32);
            for element in elements {
                sum = sum.wrapping_add(term(element, n));
                n += 1;
            }
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

/// The sum, which has the fastest kernels, and an operator whose accumulator takes twelve bytes and remembers positions.
pub fn operators() -> [Operator; 2] {
    let largest = |elements: Elements<'_, '_>| {
        let (mut best, mut index, mut seen) = (0, u32::MAX, 0);
        for [element, _] in elements {
            if element[0] > best || index == u32::MAX {
                (best, index) = (element[0], seen);
            }
            seen += 1;
        }
        vec![index, seen, seen]
    };
    [
        Operator::new(sum(), |elements| vec![elements.fold(0, |sum: u32, [x, _]| sum.wrapping_add(x[0]))]),
        Operator::new(Monoid::custom("largest", Element::U32, Arity::One, LARGEST).unwrap(), largest),
    ]
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

/// Both ways of compiling, where there are two.
pub fn ways(monoid: &Monoid) -> Vec<Options<'static>> {
    let has_subgroups: &[bool] = if monoid.acc_type() == "u32" { &[true, false] } else { &[false] };
    has_subgroups.iter().map(|subgroups| Options::default().with_subgroups(*subgroups)).collect()
}

/// A finish in a launch of its own.
pub fn in_two() -> Options<'static> {
    Options::default().with_launches(Launches::Two)
}

pub fn reducer(gpu: &Gpu, monoid: &Monoid, options: Options<'_>) -> Reducer {
    Reducer::with_options(&gpu.device, monoid.clone(), options).unwrap()
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

/// Runs an operator over cuts with each of these options, and compares.
pub fn check(gpu: &Gpu, operator: &Operator, options: &[Options<'_>], cuts: &[Cut]) {
    let monoid = &operator.monoid;
    let reducers: Vec<_> = options.iter().map(|options| reducer(gpu, monoid, *options)).collect();
    for cut in cuts {
        let (held, want) = operator.hold(gpu, cut);
        for (reducer, options) in reducers.iter().zip(options) {
            let got = held.reduce(gpu, reducer);
            compare(&got, &want, format_args!("{} {cut}, {options:?}", monoid.name()));
        }
    }
}
