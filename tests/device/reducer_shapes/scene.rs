//! Devices, operators with answers that the CPU knows, and a way to run a shape among poison.

use std::sync::LazyLock;

use halofold::reduce::{Arity, Monoid, Op, Options, Reducer, Reduction, Shape};
use halofold::{Element, Slice, wgpu};

pub use crate::common::POISON;
use crate::common::{self, Gpu, limited, poisoned};

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

/// The sum of products with positions: a wrong partner or a wrong index shows.
pub const WEIGHTED: &str = "
alias Acc = u32;
fn map(first: Elem, second: Elem, index: u32) -> Acc { return first * second + index; }
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
fn finish(acc: Acc, n: u32) -> u32 { return acc + n; }
";

/// An operator, and the CPU's function for the elements of one result.
pub struct Case {
    pub monoid: Monoid,
    pub model: fn(&mut dyn Iterator<Item = u32>) -> Vec<u32>,
}

pub fn cases() -> [Case; 2] {
    [
        Case {
            monoid: Op::Sum.over(Element::U32).unwrap(),
            model: |elements| vec![elements.fold(0, u32::wrapping_add)],
        },
        Case {
            monoid: Monoid::custom("largest", Element::U32, Arity::One, LARGEST).unwrap(),
            model: |elements| {
                let (mut best, mut index, mut seen) = (0, u32::MAX, 0);
                for element in elements {
                    if element > best || index == u32::MAX {
                        (best, index) = (element, seen);
                    }
                    seen += 1;
                }
                vec![index, seen, seen]
            },
        },
    ]
}

/// A device as it comes.
pub static GPU: LazyLock<Gpu> = LazyLock::new(|| limited(|_| ()));

/// A device whose bindings hold 64 KiB, so that everything larger needs windows.
pub static NARROW: LazyLock<Gpu> =
    LazyLock::new(|| limited(|limits| limits.max_storage_buffer_binding_size = 64 << 10));

/// Both ways of compiling, where there are two.
pub fn reducers(gpu: &Gpu, monoid: &Monoid) -> Vec<Reducer> {
    let ways: &[bool] = if monoid.acc_type() == "u32" { &[true, false] } else { &[false] };
    let compile = |subgroups: &bool| {
        let options = Options::default().with_subgroups(*subgroups);
        Reducer::with_options(&gpu.device, monoid.clone(), options).unwrap()
    };
    ways.iter().map(compile).collect()
}

/// Elements without a pattern.
pub fn elements(len: usize) -> Vec<u32> {
    (0..len as u32).map(|i| (i ^ 0x5bd1).wrapping_mul(2_654_435_761).rotate_left(13)).collect()
}

/// A buffer that holds words from number `offset` on, and poison around them.
pub fn buffer(gpu: &Gpu, words: &[u32], offset: usize) -> wgpu::Buffer {
    poisoned(gpu, bytemuck::cast_slice(words), 4 * offset as u64)
}

/// Runs a reduction twice over and returns the results, which are the same.
pub fn run(gpu: &Gpu, reduction: &Reduction<'_, '_>) -> Vec<u32> {
    let [first, second] = common::run(gpu, reduction, None).unwrap();
    assert!(first == second, "{reduction:?} gave other bits the second time");
    bytemuck::pod_collect_to_vec(&first)
}

/// Words in a buffer, from number `offset` on.
pub fn words(buffer: &wgpu::Buffer, offset: usize, len: usize) -> Slice<'_> {
    Slice::new(buffer, 4 * offset as u64, 4 * len as u64)
}

/// The numbers of the elements that make each result, of `len` elements in all.
pub fn groups(shape: Shape, len: usize, offsets: &[u32]) -> Vec<Vec<usize>> {
    match shape {
        Shape::Strided { stride } => vec![(0..len).step_by(stride as usize).collect()],
        Shape::Segments { len: each } => {
            let each = each as usize;
            (0..len / each).map(|number| (number * each..(number + 1) * each).collect()).collect()
        }
        Shape::Offsets { .. } => {
            offsets.windows(2).map(|ends| (ends[0] as usize..ends[1] as usize).collect()).collect()
        }
        Shape::Axis { len: each, inner, .. } => {
            let (each, inner) = (each as usize, inner as usize);
            let first = |number: usize| number / inner * each * inner + number % inner;
            (0..len / each).map(|number| (0..each).map(|row| first(number) + row * inner).collect()).collect()
        }
        _ => vec![(0..len).collect()],
    }
}

/// Compares without printing a hundred thousand numbers.
pub fn compare(got: &[u32], want: &[u32], what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    if let Some(at) = (0..got.len()).find(|at| got[*at] != want[*at]) {
        panic!("{what}: word {at} of {} is {} instead of {}", got.len(), got[at], want[at]);
    }
}

/// Runs a shape over one input in every way that a reducer is compiled, and compares.
pub fn check(gpu: &Gpu, reducers: &[Reducer], shape: Shape, data: &[u32], offset: usize, want: &[u32]) {
    let held = buffer(gpu, data, offset);
    let input = words(&held, offset, data.len());
    for reducer in reducers {
        let got = run(gpu, &reducer.of(input).shape(shape));
        compare(&got, want, &format!("{} {shape:?} + {offset}", reducer.monoid().name()));
    }
}
