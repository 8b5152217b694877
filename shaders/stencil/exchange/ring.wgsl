// Rows on their way from team to team, in workgroup memory; and the cells that lanes of a team exchange.
//
// Each team has a slot for the rows of one turn that it reads, twice: while the rows of this turn are read, those of the next
// are written to the other. So one barrier a turn is enough.
//
//     team 0 reads slot 0   team 1 reads slot 1   ...        the rows of the grid are staged into slot 0 by all,
//            writes slot 1         writes slot 2             and the last team writes to the grid instead
//
// In a slot the packs of a row lie lane beside lane, each lane's first packs, then each lane's second packs: lanes that
// read or write at once touch words beside each other.
#import stencil/ends/*
#import stencil/layer/*
#import stencil/levels/*

var<workgroup> ring: array<Pack, 2u * ROWS * TURN * PACKS * COLS>;

// Packs of the rows of one turn.
fn slot_size() -> u32 { return TURN * PACKS * COLS; }

// Index of the first pack of a team's slot: `half` is 0 or 1.
fn slot_of(half: u32, team: u32) -> u32 { return (half * ROWS + team) * slot_size(); }

// Index of pack `nth` of a lane in row `y` of a slot.
fn in_slot(y: u32, nth: u32, lane: u32) -> u32 { return (y * PACKS + nth) * COLS + lane; }

// The cells before and behind a lane's part of a row, which its neighbours hold.
struct Edges {
    west: Elem,
    east: Elem,
}

// The outermost cells of a lane's part of a row: true if a fixed side keeps them.
struct Ends {
    first: bool,
    last: bool,
}

// Position of a team in a turn: the row that comes to its first level.
struct TeamPosition {
    row: i32,
    half: u32,
    slot: u32,
    lane: u32,
    place: u32,
}
#ifdef subgroups
#import stencil/shared/lane_shift

// From the lanes beside it. The team's outermost lanes get anything: their cells are not written.
fn edges_of(own: Layer) -> Edges { return Edges(shift_up(last_cell(own)), shift_down(first_cell(own))); }
#else

// Of a row in a slot: all its cells are there. The team's outermost lanes get anything: their cells are not written.
fn edges_in_slot(slot: u32, y: u32, lane: u32) -> Edges {
    let west = ring[slot + in_slot(y, PACKS - 1u, max(lane, 1u) - 1u)];
    let east = ring[slot + in_slot(y, 0u, min(lane + 1u, COLS - 1u))];
    return Edges(last_of(west), first_of(east));
}

// Rows between two levels of a team lie in registers. Their lanes' first and last cells are stored here, and read
// a turn later, when a barrier has been passed.
struct LaneEnds {
    first: Elem,
    last: Elem,
}

var<workgroup> lane_ends: array<LaneEnds, 2u * TURN * WAITING * ROWS * COLS>;

fn lane_ends_at(half: u32, nth: u32, y: u32, place: u32) -> u32 { return ((half * WAITING + nth) * TURN + y) * ROWS * COLS + place; }

fn put_lane_ends(half: u32, nth: u32, y: u32, place: u32, row: Layer) {
    lane_ends[lane_ends_at(half, nth, y, place)] = LaneEnds(first_cell(row), last_cell(row));
}

fn edges_of_lane_ends(half: u32, nth: u32, y: u32, place: u32) -> Edges {
    let west = lane_ends[lane_ends_at(half, nth, y, max(place, 1u) - 1u)];
    let east = lane_ends[lane_ends_at(half, nth, y, min(place + 1u, ROWS * COLS - 1u))];
    return Edges(west.last, east.first);
}
#endif
