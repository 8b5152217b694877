// put: writes pairs in the order of their parts, whose places count.wgsl and offsets.wgsl have found.
//
// Reads and writes each pair once. A workgroup orders its pairs of a turn in workgroup memory first, so that neighbouring lanes store neighbouring pairs:
//
//     ids of a turn       5 0 6 2        parts of four groups  1 0 1 0
//     ends of the parts   2 4            ordered               2 0 6 5
//     next places         0 8            stored at             0 1 8 9
//
// The order inside a part does not matter, as sums are exact. If each lane stored its own pairs, into as many sectors of the cache, 512 parts would take
// 2.6 times as long on an NVIDIA H200. Cost: 8 bytes a pair, an addition in workgroup memory whose result is needed, and ten barriers for the pairs of a turn.
#import lib/grid/entry
#import group/shared/io
#import group/shared/pairs
#import group/shared/parted_pairs
#import lib/workgroup/sum_before

// Pairs of an invocation that are ordered at a time: 1, 2 or 4; and those of a workgroup.
override ITEMS: u32 = 4u;
override ORDERED: u32 = 1024u;
// Twice the parts.
override ENDS: u32 = 2u;

// The number of pairs of each part, then the end of the part in `ordered`. One half is for this turn, the other for the next.
var<workgroup> ends: array<atomic<u32>, ENDS>;
// The place in storage of each part's next pair; while a turn is stored, its distance from the pair's place in `ordered`.
var<workgroup> next_places: array<u32, PARTS>;
var<workgroup> ordered: array<vec2<u32>, ORDERED>;

// Parts of an invocation: neighbours.
struct Share {
    first: u32,
    end: u32,
}

// Makes ends of the numbers of pairs, and clears the numbers of the next turn.
fn sum_up(side: u32, share: Share, lid: u32) {
    var own = 0u;
    for (var part = share.first; part < share.end; part++) {
        own += atomicLoad(&ends[side + part]);
    }
    var end = sum_among(own, lid, min(PARTS, WG));
    for (var part = share.first; part < share.end; part++) {
        next_places[part] -= end;
        end += atomicLoad(&ends[side + part]);
        atomicStore(&ends[side + part], end);
        atomicStore(&ends[PARTS - side + part], 0u);
    }
}

// Writes the first ITEMS pairs of each invocation.
fn put(side: u32, four: FourPairs, share: Share, lid: u32) {
    var ranks = vec4<u32>();
#for k in 0..4
    if $(k)u < ITEMS && is_pair(four.id[$k], four.number, $(k)u) {
        ranks[$k] = atomicAdd(&ends[side + part_of(four.id[$k])], 1u);
    }
#end
    workgroupBarrier();
    sum_up(side, share, lid);
    workgroupBarrier();
#for k in 0..4
    if $(k)u < ITEMS && is_pair(four.id[$k], four.number, $(k)u) {
        ordered[atomicLoad(&ends[side + part_of(four.id[$k])]) - 1u - ranks[$k]] = vec2(four.id[$k], four.bits[$k]);
    }
#end
    workgroupBarrier();
    let all = atomicLoad(&ends[side + PARTS - 1u]);
    for (var nth = lid; nth < all; nth += WG) {
        let pair = ordered[nth];
        parted[next_places[part_of(pair.x)] + nth] = pair;
    }
    workgroupBarrier();
    for (var part = share.first; part < share.end; part++) {
        next_places[part] += atomicLoad(&ends[side + part]);
    }
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.shares {
        return;
    }
    let each = (PARTS + WG - 1u) / WG;
    let share = Share(min(each * at.lid, PARTS), min(each * (at.lid + 1u), PARTS));
    for (var part = share.first; part < share.end; part++) {
        atomicStore(&ends[part], 0u);
        next_places[part] = offsets[part * params.shares + wg.index];
    }
    workgroupBarrier();
    let first = wg.index * params.steps * WG + at.lid;
    var next = load(first);
    for (var step = 0u; step < params.steps; step++) {
        let loaded = next;
        // Loads the next pairs before these are written, to hide latency.
        next = load(first + (step + 1u) * WG);
        var four = with_ids(loaded);
        for (var turn = 0u; turn < 4u / ITEMS; turn++) {
            put(((step * (4u / ITEMS) + turn) & 1u) * PARTS, four, share, at.lid);
            for (var k = 0u; k < ITEMS; k++) {
                four = turned(four);
                four.number += 1u;
            }
        }
    }
}
