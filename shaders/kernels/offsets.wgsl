// offsets: segments of any lengths, some of them a million times as long as others.
//
// `segments` gives every segment a team of one size, which is right as long as they are about equally long. Here
// lengths come from a buffer, and one segment of a hundred million elements may lie among a million of ten. With a
// team of one invocation for each, a GPU would wait for that invocation alone. So there are three kinds:
//
//   * short, up to 128 elements for each invocation of a team: reduced by its team, as in `segments`;
//   * medium, up to one tile: put into a queue in workgroup memory, and reduced by the whole workgroup afterwards;
//   * long, more than one tile: left to two further dispatches, which cut the *input* instead of the segments.
//
// A tile is 2^14 elements. A segment that is longer than that crosses at least one border between two tiles, and a border is
// crossed by at most one segment. So one mark for each border is all that has to be known, and no list has to grow:
//
//     tiles      |       0       |       1       |       2       |       3       |
//     segments   |s0|s1|   s2 ---------------------------------------- |s3|s4|s5|
//     marks      -               s2              s2              s2
//     tiles' own partials        '-----1--------->----2---------->---3--|
//
//   first (elements to results)   short and medium segments to results; every border gets its mark: a segment, or nobody
//   second (elements to partials)    for each marked border: the segment's elements in the tile behind it and, if the segment starts
//                            there, in the tile before it, to one accumulator
//   third (partials to results)      for each border that is its segment's first: those accumulators, in order, to the result
//
// Every border is written anew each time, by the segment that contains it, so nothing has to be reset and no atomic in
// storage is needed. Where a segment ends in a tile decides its tree: the same offsets give the same bits every time. The
// order in which a workgroup's queue fills is up to the hardware, and changes only which result comes first.
//
// Every dispatch is this kernel: `bounds` says what a slot's range is, `mark_tiles` writes marks.
//
// Beyond the documents. CUB's DeviceSegmentedReduce takes a block for each segment whatever its length.
#import entry
#import tiles
#import fold_vectors
#import team_reduce
#import store_result

struct Own {
    // Elements of a tile, as a power of two.
    power: u32,
    // Elements of a segment that its team reduces alone, at most.
    short: u32,
    // Number of the dispatch's first segment or tile.
    base: u32,
    // Invocations of a team, as a power of two.
    team: u32,
    // Segments in all, and 1 if the dispatch covers the end of the input.
    segments: u32,
    is_last: u32,
}

// Slots that wait for the whole workgroup.
var<workgroup> queue: array<u32, WG>;
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
    var range = Range();
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
        let later = mark_tiles(next, own, WG);
        acc = identity();
        if !later {
            acc = fold_range(next.begin, next.end, next.origin, own, WG);
        }
        let sum = team_reduce(acc, firstTrailingBit(WG), at, wg);
        if !later && own == 0u {
            store_result(next.result, sum, next.count);
        }
        workgroupBarrier();
    }
}
