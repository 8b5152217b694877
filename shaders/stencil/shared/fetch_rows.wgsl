// Moves rows from the grid to the ring, and from the last team to the grid.
//
// All invocations fetch, with neighbouring packs for neighbouring invocations. From turn to turn only the row
// of a pack changes, so its column is computed once.
#import stencil/lanes/*
#import stencil/shared/pack_ends
#import stencil/shared/pack_sources
#import stencil/levels/*
#import stencil/exchange/ring

// The pack `nth` of those that an invocation fetches each turn.
struct PackFetch {
    // The column to fetch from, and the row within the turn.
    place: PackSource,
    y: i32,
    // The position in the slot; past its end if there is nothing to fetch.
    to: u32,
}

fn pack_fetch(place: u32, nth: u32, first_col: i32) -> PackFetch {
    let i = nth * ROWS * COLS + place;
    let y = i / (PACKS * COLS);
    let col = i % (PACKS * COLS);
    let source = pack_source(first_col + i32(col) * LANES);
    return PackFetch(source, i32(y), in_slot(y, col % PACKS, col / PACKS));
}

fn fetch_one(fetch: PackFetch, row: i32) -> Pack {
    let r = layer_source(row + fetch.y);
    return mirrored(pack(r * params.cols + fetch.place.at), fetch.place.reversed);
}

fn stage_one(fetch: PackFetch, slot: u32, fetched: Pack) {
    if fetch.to < slot_size() {
        ring[slot + fetch.to] = fetched;
    }
}

fn clear_ring(place: u32) {
    for (var i = place; i < 2u * ROWS * slot_size(); i += ROWS * COLS) {
        ring[i] = Pack();
    }
#ifndef subgroups
    for (var i = place; i < 2u * TURN * WAITING * ROWS * COLS; i += ROWS * COLS) {
        lane_ends[i] = LaneEnds();
    }
#endif
}
