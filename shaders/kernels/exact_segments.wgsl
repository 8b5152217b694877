// exact-segments: exact sums of many segments from one dispatch, one workgroup per segment.
//
// A workgroup sums its segment in windows and limbs, as the rung `exact` does, and rounds the sum itself. All
// invocations of a workgroup share its limbs, so smaller teams are not possible; segments with fewer elements
// than invocations leave some of them idle. A long segment is cut into chunks, which write states. A second
// dispatch of this kernel adds these up.
#import entry
#import io
#import bounds
#import exact/fold
#import exact/states
#import exact/conclude_alone

struct Own {
    // Items of one segment, which is cut into `chunks` of at most `chunk` items each.
    len: u32,
    chunk: u32,
    chunks: u32,
    // The index of the dispatch's first chunk.
    base: u32,
    // Invocations that share one chunk, as a power of two: all of the workgroup.
    team: u32,
    // 1 if states are combined with those that an earlier dispatch has stored at the same positions.
    onto: u32,
}

fn kernel(at: Place, wg: Workgroup) {
    // A grid folded into rows may have a few surplus workgroups: they repeat the work of the last one, and
    // store nothing.
    let slot = min(wg.index, params.groups - 1u);
    let range = bounds(slot);
    let sum = fold_range(range.begin, range.end, at.lid, WG, at, wg);
    conclude_alone(slot, wg.index < params.groups, sum, range.end - range.begin, at);
}
