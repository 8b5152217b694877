// segments: many results from one dispatch; a team of invocations reduces each segment.
//
// One dispatch, all segments. The question is how many invocations work on one. A workgroup of 256 for each
// segment of 256 elements gives every invocation a single load and then eight steps of a tree: most of the time
// goes into the tree, and the loads in flight are few. One invocation for each segment has no tree at all, but
// neighbouring invocations then read far apart, and a thousand segments keep only a thousand of them busy.
//
//     team of 1       | s0 | s1 | s2 | s3 | s4 | s5 | s6 | s7 |     every invocation a segment, no tree
//     team of 4       | s0 . .  . | s1 . .  . |                     two steps of a tree
//     team of WG      | s0 .  .  .  .  .  .  . |                    one segment a workgroup
//
// So the team's size follows the segment's length, a power of two such that each invocation has about sixteen
// elements: four vector loads, all in flight at once, which is what `single-pass` does as well. It is a number in
// `params`, not an override: one pipeline serves every length.
//
//   * A long segment is cut into chunks, each a team's. The dispatch then stores accumulators instead of results, and the same
//     kernel reduces those in a second dispatch: chunks are its items, one segment's chunks its segment.
//   * A team no larger than a subgroup meets through shuffles, without a barrier. A larger one meets subgroup by
//     subgroup through workgroup memory (shared/team_*.wgsl).
//   * A segment starts wherever the one before ended, also in the middle of a vector: up to three elements at
//     either end are loaded singly.
//   * Which element goes to which invocation, and the tree, depend on the length alone: the same bits every time.
//
// Beyond the documents. CUB has one kernel for each regime (a thread, a warp, a block a segment).
#import entry
#import bounds
#import fold_vectors
#import team_reduce
#import store_result

struct Own {
    // Items of one segment, which is cut into `chunks` of at most `chunk` items each.
    len: u32,
    chunk: u32,
    chunks: u32,
    // Number of the dispatch's first chunk.
    base: u32,
    // Invocations that share one chunk, as a power of two.
    team: u32,
    // 1 if accumulators are added to those that a dispatch before has left at the same places.
    onto: u32,
}

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
    // All invocations take part: teams that have no segment share barriers with teams that have one.
    let total = team_reduce(acc, params.own.team, at, wg);
    if works && lane == 0u {
        store_result(slot, total, params.count);
    }
}
