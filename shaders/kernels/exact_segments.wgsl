// exact-segments: exact sums of many segments from one dispatch, a workgroup each.
//
// A workgroup sums its segment in windows and limbs as the rung `exact` does, and rounds by itself. The limbs are the workgroup's, so teams
// smaller than it would have to share them; segments shorter than it leave invocations idle instead. A long segment
// is cut into chunks, which leave states: the same kernel adds those up in a second dispatch.
#import entry
#import bounds
#import exact/fold
#import exact/states
#import exact/conclude
#import workgroup_reduce
#import subgroup_reduce

struct Own {
    // Items of one segment, which is cut into `chunks` of at most `chunk` items each.
    len: u32,
    chunk: u32,
    chunks: u32,
    // Number of the dispatch's first chunk.
    base: u32,
    // Invocations that share one chunk, as a power of two: all of the workgroup.
    team: u32,
    // 1 if states are added to those that a dispatch before has left at the same places.
    onto: u32,
}

fn kernel(at: Place, wg: Workgroup) {
    // A grid folded into rows may have a few workgroups too many: they do what the last one does, and store nothing.
    let slot = min(wg.index, params.groups - 1u);
    let range = bounds(slot);
#ifdef reads_partials
    clear_tally(at);
    workgroupBarrier();
    let sum = fold_states(range.begin, range.end, at.lid, WG);
#else
    let window = first_window(range.begin + at.lid * PER_VECTOR, range.end, at);
    let sum = fold_range(range.begin, range.end, at.lid, WG, window);
#endif
    let total = workgroup_reduce(sum, at, wg);
    conclude(slot, wg.index < params.groups, total, range.end - range.begin, at);
}
