// exact-segments: exact sums of many segments from one dispatch, one workgroup per segment.
//
// Reads each element once. Writes a result for each segment. A workgroup sums its segment in windows and limbs, as the rung `exact` does, and rounds
// the sum itself. All invocations share its limbs, so smaller teams are not possible; segments with fewer elements than invocations leave some of them
// idle. A long segment is cut into chunks, which write states. A second dispatch of this kernel adds these up.
#import lib/grid/entry
#import shared/io
#import shared/bounds
#import shared/exact/fold
#import shared/exact/states
#import shared/exact/conclude

fn kernel(at: Place, wg: Workgroup) {
    // Surplus workgroups of a folded grid repeat the work of the last one, and store nothing.
    let slot = min(wg.index, params.groups - 1u);
    let range = bounds(slot);
    let sum = fold_range(range.begin, range.end, at.lid, WG, at, wg);
    conclude_alone(slot, select(0u, 1u, wg.index < params.groups), sum, range.end - range.begin, at);
}
