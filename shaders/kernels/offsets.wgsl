// offsets: segments of any lengths, some of them a million times as long as others.
//
// `segments` gives every segment a team of the same size. Here one segment may have a hundred million elements among a million segments of ten,
// and the whole GPU would wait for its team. So there are three kinds:
//
//   * short, up to 128 elements for each invocation of a team: reduced by its team, as in `segments`;
//   * medium, up to one tile: put into a queue in workgroup memory, and reduced by the whole workgroup afterwards;
//   * long, more than one tile: left to two further dispatches, which cut the *input* instead of the segments.
//
// A tile is 2^14 elements. A longer segment crosses at least one border between two tiles, and at most one segment crosses each border. So one
// mark for each border is enough, and no list has to grow:
//
//     tiles      |       0       |       1       |       2       |       3       |
//     segments   |s0|s1|   s2 ---------------------------------------- |s3|s4|s5|
//     marks      -               s2              s2              s2
//     tiles' own partials        '-----1--------->----2---------->---3--|
//
//   first (elements to results)      reduces short and medium segments to results; marks every border with its segment or none
//   second (elements to partials)    for each marked border, reduces the segment's elements in the tile after the border and, if
//                                    the segment starts there, in the tile before it, to one accumulator
//   third (partials to results)      for each border that is the first of its segment, reduces those accumulators, in order
//
// The segment that contains a border writes its mark each time, so nothing has to be reset. The same offsets give the same bits every time. All
// three dispatches are this kernel: `bounds` returns the range of a slot.
//
// CUB's DeviceSegmentedReduce uses one block per segment, whatever its length.
#import lib/grid/entry
#import lib/workgroup/order
#import shared/tiles
#import shared/fold_vectors
#import lib/workgroup/team_reduce
#import shared/store_result

// Slots that wait for the whole workgroup. The length is an expression, because naga 30 does not resolve `WG` alone beside some accumulators.
var<workgroup> queue: array<u32, 1u * WG>;
var<workgroup> queued: atomic<u32>;
var<workgroup> waiting: u32;

fn kernel(at: Place, wg: Workgroup) {
    if at.lid == 0u {
        atomicStore(&queued, 0u);
    }
    workgroupBarrier();

    let own = order_in_group(at, wg);
    let lane = own & ((1u << params.own.team) - 1u);
    let slot = wg.index * (WG >> params.own.team) + (own >> params.own.team);
    var acc = identity();
    var range = SlotRange();
    if slot < params.groups {
        range = bounds(slot);
    }
    let short = range.here && range.extent <= params.own.short;
    if short {
        mark_tiles(range, lane, 1u << params.own.team);
        acc = fold_range(range.begin, range.end, range.origin, lane, 1u << params.own.team);
    } else if range.here && lane == 0u {
        queue[atomicAdd(&queued, 1u)] = slot;
    }
    let total = team_reduce(acc, params.own.team, at, wg);
    if short && lane == 0u {
        store_result(range.result, total, range.count);
    }

    workgroupBarrier();
    if at.lid == 0u {
        waiting = atomicLoad(&queued);
    }
    let length = workgroupUniformLoad(&waiting);
    for (var k = 0u; k < length; k++) {
        let next = bounds(queue[k]);
        mark_tiles(next, own, WG);
        acc = identity();
        if !next.is_long {
            acc = fold_range(next.begin, next.end, next.origin, own, WG);
        }
        let sum = team_reduce(acc, firstTrailingBit(WG), at, wg);
        if !next.is_long && own == 0u {
            store_result(next.result, sum, next.count);
        }
        workgroupBarrier();
    }
}
