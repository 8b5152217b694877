// The rows that lanes exchange in workgroup memory: the first and last row of each lane, for every plane in front of a level; without
// subgroups all rows. Halves alternate between turns, so one barrier a turn is enough. Packs of all lanes lie side by side, so that
// lanes access neighbouring words.
#import stencil/layer/*
#import stencil/levels/*
#import stencil/shared/params
#import stencil/lanes/*
#ifdef subgroups
#import stencil/shared/lane_shift
#endif

var<workgroup> exchanged: array<Pack, 2u * u32(LEVELS) * EXCHANGED * PACKS * ROWS * COLS>;

// An invocation: the plane that comes to its first level, the half that it reads, its place in the workgroup, and
// those of the lanes that hold the rows before and behind its own.
struct LanePosition {
    layer: i32,
    half: u32,
    place: u32,
    before: u32,
    behind: u32,
}

// Any cell of a lane's part of a plane may be at a fixed side along the plane.
alias Ends = FixedCells;

fn keep_ends(changed: Layer, same: Layer, ends: Ends) -> Layer { return keep_layer(changed, same, ends, false); }

// Index at which pack `i` of row `y` of a lane lies, of the plane in front of level `nth`.
fn exchanged_at(half: u32, nth: u32, y: u32, i: u32, place: u32) -> u32 {
    return (((half * u32(LEVELS) + nth) * EXCHANGED + y) * PACKS + i) * (ROWS * COLS) + place;
}

fn clear_exchanged(place: u32) {
    for (var i = place; i < 2u * u32(LEVELS) * EXCHANGED * PACKS * ROWS * COLS; i += ROWS * COLS) {
        exchanged[i] = Pack();
    }
}

// The lanes beside one; of the outermost lanes any, because no cell that depends on it is written.
fn lane_before(place: u32) -> u32 { return max(place, 1u) - 1u; }
fn lane_behind(place: u32) -> u32 { return min(place + 1u, ROWS * COLS - 1u); }
