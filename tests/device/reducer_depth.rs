//! The depth of plans, on which float error bounds depend: an operator that counts shows that no way is longer.

use crate::common::{Gpu, buffer, gpu, in_one_pass, limited, read, room, spanned};
use halofold::reduce::{Arity, BufferRange, Monoid, Options, Reducer, Shape};
use halofold::{Element, Slice, wgpu};

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

/// A shape, how many elements it is over, and its offsets if it has some.
type Case = (Shape, u64, Vec<u32>);

/// On each device and in each way of compiling: the longest way to any result of each shape is within the plan's depth.
fn check(cases: &[Case]) {
    // A device as it comes, and one whose bindings hold 64 KiB.
    let narrow = limited(|limits| limits.max_storage_buffer_binding_size = 64 << 10);
    for gpu in [gpu(), &narrow] {
        for subgroups in [true, false] {
            let monoid = Monoid::custom("longest-way", Element::U32, Arity::One, LONGEST_WAY).unwrap();
            let options = Options::default().with_subgroups(subgroups);
            let reducer = Reducer::with_options(&gpu.device, monoid, options).unwrap();
            for (shape, len, offsets) in cases {
                let extent = BufferRange { offset: 4, len: *len };
                let plan = reducer.plan(*shape, &[extent], None).unwrap();
                let longest = longest_way(gpu, &reducer, *shape, extent, offsets);
                let (times, more) = SLACK;
                let depth = plan.depth();
                let what =
                    format!("{shape:?} of {len}, subgroups {subgroups}, {} passes", plan.launches().len());
                assert!(longest <= depth, "{what}: {longest} on the longest way, depth {depth}");
                assert!(
                    !offsets.is_empty() || depth <= times * longest + more,
                    "{what}: depth {depth} for {longest}"
                );
            }
        }
    }
}

fn longest_way(gpu: &Gpu, reducer: &Reducer, shape: Shape, extent: BufferRange, offsets: &[u32]) -> u64 {
    let apart = if let Shape::Strided { stride } = shape { stride } else { 1 };
    let elements = room(gpu, 4 * extent.len * apart + 4);
    let list = buffer(gpu, bytemuck::cast_slice(offsets), wgpu::BufferUsages::STORAGE);
    let plan = reducer.plan(shape, &[extent], None).unwrap();
    let output = room(gpu, plan.output());
    let all = reducer.of(Slice::new(&elements, extent.offset, 4 * spanned(shape, extent.len)));
    let list = Slice::new(&list, 0, 4 * offsets.len() as u64);
    let all = if offsets.is_empty() { all.shape(shape) } else { all.segment_offsets(list) };
    let prepared = all.into(&output).unwrap();
    assert_eq!(*prepared.plan(), plan);
    in_one_pass(gpu, |pass| prepared.encode_in_pass(pass));
    let ways: Vec<u32> = bytemuck::pod_collect_to_vec(&read(gpu, &output)[..plan.output() as usize]);
    let longest = ways.iter().max().copied().unwrap_or(0);
    u64::from(longest.saturating_sub(1))
}

#[test]
fn depth_of_whole_inputs_is_the_plans() {
    let lengths = [0, 1, 5, 300, 4097, 70_000, 300_001];
    check(&lengths.map(|len| (Shape::Whole, len, Vec::new())));
    check(&lengths.map(|len| (Shape::Strided { stride: 3 }, len.min(100_000), Vec::new())));
}

#[test]
fn depth_of_segments_and_columns_is_the_plans() {
    let segments = [(1, 1), (1, 300_000), (7, 1000), (3, 70_000), (1000, 33), (20_000, 3)];
    check(&segments.map(|(count, len)| (Shape::Segments { len }, count * len, Vec::new())));
    let arrays = [[1, 300, 1000], [1, 100_000, 3], [1, 1, 70], [9, 70, 65], [50, 8, 300], [1, 20, 10_000]];
    let shape =
        |[outer, len, inner]: [u64; 3]| (Shape::Axis { outer, len, inner }, outer * len * inner, Vec::new());
    check(&arrays.map(shape));
}

#[test]
fn depth_of_segments_between_offsets_is_the_plans() {
    let lists = [
        vec![16_384],
        vec![300_000],
        vec![1, 16_383, 16_385, 32_768, 40_000, 2, 0, 100],
        vec![100; 2000],
        [vec![10; 1000], vec![200_000], vec![2000; 30]].concat(),
    ];
    let cases = lists.map(|lengths: Vec<u32>| {
        let mut offsets = vec![0];
        offsets.extend(lengths.iter().scan(0, |at, len| {
            *at += len;
            Some(*at)
        }));
        (Shape::Offsets { count: lengths.len() as u64 }, u64::from(lengths.iter().sum::<u32>()), offsets)
    });
    check(&cases);
}
