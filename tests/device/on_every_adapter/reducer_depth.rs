//! The depth of plans, on which float error bounds depend: an operator that counts shows that no way is longer.

use std::iter::repeat_n;

use halofold::Element;
use halofold::reduce::{Arity, Monoid, Options, Reducer};

use crate::common::{gpu, limited, poison};
use crate::cut::{Cut, reduce};

/// The combinations on the longest way to each accumulator, plus one; the identity has none and adds none, as 0 + x is exact.
const LONGEST_WAY: &str = "
alias Acc = u32;
fn map(elem: Elem, index: u32) -> Acc { return 1u; }
fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return select(max(a, b) + 1u, a | b, a == 0u || b == 0u); }
fn finish(acc: Acc, n: u32) -> u32 { return acc; }
";

/// A bound that says nothing would pass, too: it is no deeper than this many times the longest way, and a bit. (Of segments
/// between offsets a plan knows no lengths: it counts with the longest.)
const SLACK: (u64, u64) = (4, 40);

/// On each device and in each way of compiling: the longest way to any result of each cut is within the plan's depth.
fn check(cuts: impl IntoIterator<Item = Cut>) {
    let cuts: Vec<_> = cuts.into_iter().collect();
    // A device as it comes, and one whose bindings hold 64 KiB.
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 64 << 10);
    for gpu in [gpu(), &narrow] {
        for subgroups in [true, false] {
            let monoid = Monoid::custom("longest-way", Element::U32, Arity::One, LONGEST_WAY).unwrap();
            let options = Options::default().with_subgroups(subgroups);
            let reducer = Reducer::with_options(&gpu.device, monoid, options).unwrap();
            for cut in &cuts {
                let held = cut.clone().at(1).hold(gpu, 4, &[&poison(4 * cut.len)]);
                let reduction = held.reduction(&reducer);
                let depth = reduction.plan().unwrap().depth();
                let ways: Vec<u32> = bytemuck::pod_collect_to_vec(&reduce(gpu, &reduction));
                let longest = u64::from(ways.into_iter().max().unwrap_or(0).saturating_sub(1));
                let what = format!(
                    "{reduction:?}, subgroups {subgroups}: {longest} on the longest way, depth {depth}"
                );
                assert!(longest <= depth, "{what}");
                let (times, more) = SLACK;
                assert!(!cut.offsets.is_empty() || depth <= times * longest + more, "{what}");
            }
        }
    }
}

#[test]
fn depth_of_whole_inputs_is_the_plans() {
    let lengths = [0, 1, 5, 300, 4097, 70_000, 300_001];
    check(lengths.map(Cut::whole));
    check(lengths.map(|len| Cut::strided(3, 3 * len.min(100_000))));
}

#[test]
fn depth_of_segments_and_columns_is_the_plans() {
    let segments = [(1, 1), (300_000, 1), (1000, 7), (70_000, 3), (33, 1000), (3, 20_000)];
    check(segments.map(|(len, count)| Cut::segments(len, count)));
    let arrays = [[1, 300, 1000], [1, 100_000, 3], [1, 1, 70], [9, 70, 65], [50, 8, 300], [1, 20, 10_000]];
    check(arrays.map(Cut::axis));
}

#[test]
fn depth_of_segments_between_offsets_is_the_plans() {
    check([
        Cut::of_lengths(0, [16_384], 0),
        Cut::of_lengths(0, [300_000], 0),
        Cut::of_lengths(0, [1, 16_383, 16_385, 32_768, 40_000, 2, 0, 100], 0),
        Cut::of_lengths(0, repeat_n(100, 2000), 0),
        Cut::of_lengths(0, repeat_n(10, 1000).chain([200_000]).chain(repeat_n(2000, 30)), 0),
    ]);
}
