// In 3D: the levels of a lane, and the steps between them.
#import stencil/layer/plane
#import stencil/exchange/rows
#import stencil/shared/time_step

const LEVELS: i32 = $LEVELS;
// Hot loops take two turns per iteration.
const IN_PAIRS: bool = $TURN > 1;

// Each level, and the layer that waits for a barrier in front of it.
struct Levels {
#for l in 0..LEVELS
    l$l: Level,
    w$l: Layer,
#end
}

// A turn inside of the grid, with fixed cells along the layer, or with a layer at a side: a plane goes through every level. The last level comes first:
// then a layer is no longer needed when the next one takes its place.
#for kind in inside at_ends at_border
fn advance_$kind(
    k: Weights,
    levels: Levels,
    fetched: Layer,
    at: LanePosition,
    work: PlaneWork,
    #if kind == at_ends: ends: Ends,
    #if kind == at_border: fixed_cells: FixedCells,
) -> Levels {
#for turn in 0..LEVELS
#let l = $(LEVELS - 1 - turn)
#let came = at.layer - $(2 * l)
#let given = k, levels.l$l, levels.w$l, edges$l
#let special =
#if kind == at_ends: #let special = , ends
#if kind == at_border: #let special = , special_of($came, fixed_cells)
    let edges$l = edges_of(levels.w$l, at.half, $(l)u, at);
    let out$l = out_of_$kind($given$special);
#if l + 1 == LEVELS
    put_plane(work, at, out$l);
#else
    put_exchanged(1u - at.half, $(l + 1)u, at.place, out$l);
#endif
    let level$l = level_of_$kind($given, added_to($came, work.sources)$special);
#end
    put_exchanged(1u - at.half, 0u, at.place, fetched);
    return Levels(
        level0,
        fetched,
#for l in 1..LEVELS
        level$l,
        out$(l - 1),
#end
    );
}

#end
