// A pack of one cell, for grids whose number of columns is no multiple of four: arithmetic on packs is
// arithmetic on cells. Everything else is as for packs of four (lanes/four.wgsl).
#import stencil/cells/one
#import stencil/shared/computed

const LANES: i32 = 1;

fn pack(i: u32) -> Pack { return source[i]; }

fn addend(i: u32) -> Pack {
#ifdef rhs
    return right_hand_side[i];
#else
    return Pack();
#endif
}

// The neighbours to the west, given the cell before the pack; then those to the east.
fn shift_from_west(west: Elem, own: Pack) -> Pack { return west; }
fn shift_from_east(own: Pack, east: Elem) -> Pack { return east; }

fn put_pack(i: u32, c: i32, value: Pack) {
    if first_col() <= c && c < end_col() {
        result[i] = value;
    }
}
