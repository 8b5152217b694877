// One accumulator per invocation becomes one per sum, in workgroup memory: the first invocations hold them.
//
// An accumulator has five words, so a subgroup operation per level and word would wait for the one before. Here a level takes eight
// accumulators to one: upper invocations store theirs, lower ones load seven at once and move carries once. Three levels suffice for 512
// invocations. Digits lie in memory as vectors, which are one load each.
#import lib/grid/entry
#import <operator>
#import exact/sums/*
#import shared/exact/limbs

// The last one is empty and stands for missing ones, because a branch around each load would serialize the loads.
var<workgroup> waiting: array<vec4<u32>, WG + 1u>;
var<workgroup> waiting_tags: array<u32, WG + 1u>;

// Number of accumulators that become one.
const AT_ONCE: u32 = 8u;

// An accumulator of those that are left.
fn stored(i: u32, left: u32) -> Acc {
    let place = select(WG, i, i < left);
    return Acc(waiting[place], waiting_tags[place]);
}

// All invocations take part. Between two calls there has to be a barrier.
fn reduce_all(value: Acc, at: Place) -> Acc {
    var acc = value;
    if at.lid == 0u {
        waiting[WG] = vec4<u32>(0u);
        waiting_tags[WG] = 0u;
    }
    if !IN_ORDER {
        waiting[member_of(at.lid)] = acc.sum;
        waiting_tags[member_of(at.lid)] = acc.tag;
        workgroupBarrier();
        acc = stored(at.lid, WG);
        workgroupBarrier();
    }
    // Levels are turns of a loop that no compiler writes out: their instructions are fetched once.
    for (var left = turns(WG); left > sums(); left = max(left / AT_ONCE, sums())) {
        let next = max(left / AT_ONCE, sums());
        // Later levels write no place that this one reads.
        if at.lid >= next && at.lid < left {
            waiting[at.lid] = acc.sum;
            waiting_tags[at.lid] = acc.tag;
        }
        workgroupBarrier();
        if at.lid < next {
            let i = at.lid + next;
            let a = add(acc, stored(i, left));
            let b = add(stored(i + next, left), stored(i + 2u * next, left));
            let c = add(stored(i + 3u * next, left), stored(i + 4u * next, left));
            let d = add(stored(i + 5u * next, left), stored(i + 6u * next, left));
            acc = carried(add(add(a, b), add(c, d)));
        }
    }
    return acc;
}

// The tags of the sums, and all their flags.
var<workgroup> tags: array<u32, MOST_SUMS>;
var<workgroup> all_tags: u32;

// All flags of the sums that the first invocations hold, for all invocations. Includes barriers.
fn shared_tag(total: Acc, at: Place) -> u32 {
    if at.lid < sums() {
        tags[at.lid] = total.tag;
    }
    if MOST_SUMS > 1u {
        workgroupBarrier();
    }
    if at.lid == 0u {
        var all = 0u;
        for (var sum = 0u; sum < sums(); sum++) {
            all |= tags[sum];
        }
        all_tags = all;
    }
    return workgroupUniformLoad(&all_tags);
}
