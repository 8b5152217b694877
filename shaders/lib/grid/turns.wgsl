// turns: the tiles of a dispatch, handed out in their order.
//
// The links have two sides: a dispatch uses one and clears the other for its next use. Its ticket counts through side 0, then side 1, then restarts.
// The links hold two counters for tests and a ticket for each dispatch of the plan; then for each side the sums, the prefixes and an end slot.
#import <io>
#import lib/grid/chain
#import lib/grid/links
#import lib/grid/slots

var<workgroup> ticket: u32;

// A tile of this dispatch, and the side of the links that it uses.
struct Turn {
    tile: u32,
    side: u32,
}

// Takes the next tile.
fn next_turn(lid: u32) -> Turn {
    if lid == 0u {
        let drawn = atomicAdd(&links[params.ticket], 1u);
        if drawn == 2u * params.tickets - 1u {
            atomicStore(&links[params.ticket], 0u);
        }
        atomicStore(&missing, NOTHING);
        ticket = drawn;
    }
    let drawn = workgroupUniformLoad(&ticket);
    let side = u32(drawn >= params.tickets);
    let tile = drawn - side * params.tickets;
    return Turn(select(tile, params.tickets - 1u - tile, REVERSED), side);
}

// Clears a tile's slot for the next use, and at a block's first tile its prefix.
fn clear_next(side: u32, tile: u32) {
    clear_words(tile_slot(1u - side, tile));
    if tile % BLOCK == 0u {
        clear_words(prefix_slot(1u - side, tile / BLOCK));
    }
}
