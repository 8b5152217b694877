//! The depth of plans, on which float error bounds depend: an operator that counts shows that no way is longer.

use std::iter::repeat_n;

use halofold::Element;
use halofold::reduce::{Arity, Monoid};
use halofold_cases::How;

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

/// The bound must be tight: at most this many times the longest way, and a bit. Between offsets, a plan counts with the longest segment.
const SLACK: (u64, u64) = (4, 40);

fn cuts() -> Vec<Cut> {
    let lengths = [0, 1, 5, 300, 4097, 70_000, 300_001];
    let segments = [(1, 1), (300_000, 1), (1000, 7), (70_000, 3), (33, 1000), (3, 20_000)];
    let arrays = [[1, 300, 1000], [1, 100_000, 3], [1, 1, 70], [9, 70, 65], [50, 8, 300], [1, 20, 10_000]];
    let lists = [
        vec![16_384],
        vec![300_000],
        vec![1, 16_383, 16_385, 32_768, 40_000, 2, 0, 100],
        vec![100; 2000],
        repeat_n(10, 1000).chain([200_000]).chain(repeat_n(2000, 30)).collect(),
    ];
    let whole = lengths.into_iter().map(Cut::whole);
    let whole = whole.chain(lengths.map(|len| Cut::strided(3, 3 * len.min(100_000))));
    let several = segments.into_iter().map(|(len, count)| Cut::segments(len, count));
    let several = several.chain(arrays.map(Cut::axis)).chain(lists.map(|list| Cut::of_lengths(0, list, 0)));
    whole.chain(several).collect()
}

/// On each device and in each way of compiling.
#[test]
fn the_longest_way_to_any_result_is_within_the_plans_depth() {
    // A device as it comes, and one whose bindings hold 64 KiB.
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 64 << 10);
    for (gpu, subgroups) in [(gpu(), true), (gpu(), false), (&narrow, true), (&narrow, false)] {
        let monoid = Monoid::custom("longest-way", Element::U32, Arity::One, LONGEST_WAY).unwrap();
        let how = How::default().with_subgroups(subgroups);
        let reducer = how.on(&gpu.device, &monoid).unwrap();
        for cut in cuts() {
            let held = cut.clone().at(1).hold(gpu, 4, &[&poison(4 * cut.len)]);
            let reduction = held.reduction(&reducer);
            let depth = reduction.plan().unwrap().depth();
            let ways: Vec<u32> = bytemuck::pod_collect_to_vec(&reduce(gpu, &reduction));
            let longest = u64::from(ways.into_iter().max().unwrap_or(0).saturating_sub(1));
            let what = format!("{cut}, subgroups {subgroups}: {longest} on the longest way, depth {depth}");
            assert!(longest <= depth, "{what}");
            let (times, more) = SLACK;
            assert!(!cut.offsets.is_empty() || depth <= times * longest + more, "{what}");
        }
    }
}
