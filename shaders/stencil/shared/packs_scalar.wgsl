// A pack of one cell, for a grid whose number of columns is no multiple of four.
//
// Packs are what an invocation holds of one row. Here the arithmetic on packs is arithmetic on cells.

const LANES: i32 = 1;

fn pack(i: u32) -> Pack {
    return source[i];
}

// The pack's neighbours to the west, given the cell before the pack. And to the east.
fn shift_from_west(west: Elem, own: Pack) -> Pack {
    return west;
}

fn shift_from_east(own: Pack, east: Elem) -> Pack {
    return east;
}

// Writes those cells of a pack that are computed; `c` is the column of its first.
fn put_pack(i: u32, c: i32, value: Pack) {
    if first_col() <= c && c < end_col() {
        result[i] = value;
    }
}
