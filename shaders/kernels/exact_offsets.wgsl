// exact-offsets: exact sums of segments of any lengths.
//
// Reads each element once. Writes a result for each segment. The input is cut as `offsets` cuts it: a segment of up to one tile is summed by itself,
// and the tiles of a longer one in a second dispatch, which leaves states, and joined in a third. States are added without rounding, so a sum does not
// depend on where its segment lies.
//
// All invocations of a workgroup share its limbs, as in `exact-segments`. So there are no smaller teams and no queue: a workgroup sums one
// segment, and rounds it itself. Most tiles are crossed by no long segment; their workgroups end at once.
#import lib/grid/entry
#import shared/io
#import shared/tiles
#import shared/exact/fold
#import shared/exact/states
#import shared/exact/conclude

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.groups {
        return;
    }
    let range = bounds(wg.index);
    mark_tiles(range, at.lid, WG);
    if !range.here || range.is_long {
        return;
    }
    let sum = fold_range(range.begin, range.end, at.lid, WG, at, wg);
    conclude_alone(range.result, 1u, sum, range.count, at);
}
