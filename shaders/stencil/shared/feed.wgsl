// Moves rows from the grid to the ring, and from the last team to the grid.
//
// All invocations fetch, with neighbouring packs for neighbouring invocations. From turn to turn only the row
// of a pack changes, so its column is computed once.
#import lanes
#import pack_ends
#import places
#import team_levels
#import team_ring

// The pack `nth` of those that an invocation fetches each turn.
struct Errand {
    // The column to fetch from, and the row within the turn.
    place: Place,
    y: i32,
    // The position in the slot; past its end if there is nothing to fetch.
    to: u32,
}

fn errand_of(place: u32, nth: u32, first_col: i32) -> Errand {
    let i = nth * ROWS * COLS + place;
    let y = i / (PACKS * COLS);
    let col = i % (PACKS * COLS);
    let source = place_of(first_col + i32(col) * LANES);
    return Errand(source, i32(y), in_slot(y, col % PACKS, col / PACKS));
}

fn fetch_one(errand: Errand, row: i32) -> Pack {
    let r = layer_source(row + errand.y);
    return seen(pack(r * params.cols + errand.place.at), errand.place.reversed);
}

fn stage_one(errand: Errand, slot: u32, fetched: Pack) {
    if errand.to < slot_size() {
        ring[slot + errand.to] = fetched;
    }
}

fn clear_ring(place: u32) {
    for (var i = place; i < 2u * ROWS * slot_size(); i += ROWS * COLS) {
        ring[i] = Pack();
    }
#ifndef subgroups
    for (var i = place; i < 2u * TURN * WAITING * ROWS * COLS; i += ROWS * COLS) {
        shown[i] = Shown();
    }
#endif
}
