// segments: many results from one dispatch; a team of invocations reduces each segment.
//
// With a workgroup of 256 for each segment of 256 elements, an invocation has a single load and then eight steps of a tree. One invocation for each
// segment needs no tree, but neighbouring invocations then read far apart, and a thousand segments keep only a thousand of them busy.
//
//     team of 1       | s0 | s1 | s2 | s3 | s4 | s5 | s6 | s7 |     one segment per invocation, no tree
//     team of 4       | s0 . .  . | s1 . .  . |                     two steps of a tree
//     team of WG      | s0 .  .  .  .  .  .  . |                    one segment per workgroup
//
// So the size of a team depends on the length of the segments: it is a power of two such that each invocation has about sixteen elements. These
// are four vector loads, all in flight at once, as in `single-pass`. The size is a parameter, not an override: one pipeline serves every length.
//
//   * A long segment is cut into chunks, one per team, and a second dispatch of this kernel reduces their accumulators.
//   * A team that fits a subgroup combines its values by shuffles, without a barrier (lib/workgroup/team_reduce.wgsl).
//   * A segment may start in the middle of a vector: up to three elements at either end are loaded singly.
//   * The assignment of elements to invocations, and the tree, depend only on the length: the same bits every time.
//
// CUB has one kernel for each regime (a thread, a warp or a block per segment).
#import lib/grid/entry
#import lib/workgroup/order
#import shared/bounds
#import shared/fold_vectors
#import lib/workgroup/team_reduce
#import shared/store_result

fn kernel(at: Place, wg: Workgroup) {
    let own = order_in_group(at, wg);
    let lane = own & ((1u << params.own.team) - 1u);
    let slot = wg.index * (WG >> params.own.team) + (own >> params.own.team);
    let works = slot < params.groups;

    var acc = identity();
    if works {
        let range = bounds(slot);
        acc = fold_range(range.begin, range.end, range.origin, lane, 1u << params.own.team);
    }
    // All invocations take part: teams without a segment share barriers with teams that have one.
    let total = team_reduce(acc, params.own.team, at, wg);
    if works && lane == 0u {
        store_result(slot, total, params.count);
    }
}
