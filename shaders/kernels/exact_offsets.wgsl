// exact-offsets: exact sums of segments of any lengths.
//
// The input is cut as `offsets` cuts it: a segment of up to one tile is summed by itself, and the tiles of a longer one are
// summed apart, in a second dispatch, and joined in a third. What a tile leaves is a state, and states are added without
// rounding. So a sum does not depend on where its segment lies between the tiles.
//
// All invocations of a workgroup share its limbs, as in `exact-segments`. So there are no smaller teams and no queue: a
// workgroup sums one segment, and rounds it itself. Most tiles are crossed by no long segment; their workgroups end at once.
#import entry
#import tiles
#import exact/fold
#import exact/states
#import exact/conclude_alone

struct Own {
    // Elements of a tile, as a power of two.
    power: u32,
    // Not used: a workgroup takes whatever its slot has.
    short: u32,
    // The index of the dispatch's first segment or tile.
    base: u32,
    // Invocations of a workgroup, as a power of two.
    team: u32,
    // The number of segments, and 1 if the dispatch covers the end of the input.
    segments: u32,
    is_last: u32,
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.groups {
        return;
    }
    let range = bounds(wg.index);
    mark_tiles(range, at.lid, WG);
    if !range.here || range.is_long {
        return;
    }
#ifdef reads_partials
    clear_tally(at);
    workgroupBarrier();
    let sum = fold_states(range.begin, range.end, at.lid, WG);
#else
    let sum = fold_range(range.begin, range.end, at.lid, WG, at, wg);
#endif
    conclude_alone(range.result, true, sum, range.count, at, wg);
}
