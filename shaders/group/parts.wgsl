// parts: partitions the pairs by their groups, where there are too many groups for the slices of tables.wgsl.
//
// Reads ids, and then pairs. Writes a count for each workgroup and part, and then the pairs in the order of their parts.
//
//     ids         5 0 6 2 | 1 7 3 4             two workgroups, and two parts of four groups
//     counts      part 0: 2 2   part 1: 2 2     offsets.wgsl makes them places: 0 2   4 6
//     in order    0 2 1 3 | 5 6 7 4             two parts
//
// A part has 2^SHIFT groups: a table holds them. Two dispatches: one counts, one writes each pair to the next place of its part. Ids out of range are skipped
// and counted. The order in a part does not matter, as sums are exact.
//
// Cost: ids are read twice, values once, and 8 bytes a pair written. Each write needs the result of an atomic addition in workgroup memory.
#import lib/grid/entry
#import group/shared/io
#import group/shared/pairs
#import group/shared/rejected
#import group/shared/parted_pairs

// False: counts. True: puts pairs to their places.
override PUTS: bool = false;

var<workgroup> next_place: array<atomic<u32>, PARTS>;

fn visit(id: u32, bits: u32) {
    if id >= GROUPS {
        return;
    }
    if PUTS {
        parted[atomicAdd(&next_place[id >> SHIFT], 1u)] = vec2<u32>(id, bits);
    } else {
        atomicAdd(&next_place[id >> SHIFT], 1u);
    }
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.shares {
        return;
    }
    for (var part = at.lid; part < PARTS; part += WG) {
        atomicStore(&next_place[part], select(0u, offsets[part * params.shares + wg.index], PUTS));
    }
    workgroupBarrier();
    for (var step = 0u; step < params.steps; step++) {
        var four = load((wg.index * params.steps + step) * WG + at.lid);
        if !PUTS {
            rejected += out_of_range(four);
        }
        for (var i = 0u; i < 4u; i++) {
            visit(four.id.x, four.bits.x);
            four = turned(four);
        }
    }
    workgroupBarrier();
    for (var part = at.lid; part < PARTS && !PUTS; part += WG) {
        offsets[part * params.shares + wg.index] = atomicLoad(&next_place[part]);
    }
    add_rejected();
}
