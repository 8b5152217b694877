// count: counts the pairs of each part, where there are too many groups for the slices of tables.wgsl.
//
// Reads ids. Writes a count for each workgroup and part. offsets.wgsl turns counts into places:
//
//     ids         5 0 6 2 | 1 7 3 4             two workgroups, and two parts of four groups
//     counts      part 0: 2 2   part 1: 2 2     places: 0 2   4 6
//     in order    0 2 1 3 | 5 6 7 4             two parts, in any order inside, by put.wgsl
//
// A part has 2^SHIFT groups: a table holds them. Ids out of range are skipped and counted. Cost: an addition in workgroup memory for an id.
#import lib/grid/entry
#import group/shared/io
#import group/shared/pairs
#import group/shared/states
#import group/shared/parted_pairs

var<workgroup> counts: array<atomic<u32>, PARTS>;

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.shares {
        return;
    }
    for (var part = at.lid; part < PARTS; part += WG) {
        atomicStore(&counts[part], 0u);
    }
    workgroupBarrier();
    var rejected = 0u;
    let first = wg.index * params.steps * WG + at.lid;
    var next = load(first);
    for (var step = 0u; step < params.steps; step++) {
        let loaded = next;
        next = load(first + (step + 1u) * WG);
        let four = with_ids(loaded);
#ifndef hashed
        rejected += out_of_range(four);
#endif
#for k in 0..4
        if is_pair(four.id[$k], four.number, $(k)u) {
            atomicAdd(&counts[part_of(four.id[$k])], 1u);
        }
#end
    }
    workgroupBarrier();
    for (var part = at.lid; part < PARTS; part += WG) {
        offsets[part * params.shares + wg.index] = atomicLoad(&counts[part]);
    }
    add_rejected(rejected);
}
