// scan: the prefixes of all elements, in one dispatch and one read.
//
// Reads the elements once, and writes a result for each. Between the tiles there is a chain (lib/grid/chain.wgsl):
//
//     load a tile  →  add it up, publish  →  prefixes inside the tile  →  what lies before the tile  →  store
//
// The sum comes first, since others wait for it. The prefixes inside the tile come before the look at other tiles: by then nearly all sums are
// there. On an NVIDIA H200 a look right after the sum is published takes half as long again.
//
// Elements stay in registers in between (tile/registers, tile/memory). They are mapped twice, which is cheaper than to keep accumulators. Loads and stores
// are vectors of four, side by side: a store has the shape of the load.
#import scan/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import lib/grid/chain
#import lib/grid/links
#import lib/grid/slots
#import lib/grid/turns
#import scan/columns/*
#import scan/shared/rows
#import scan/tile/*
#import scan/again/*

// True if the row of an item began before its tile, which starts with `first`.
fn is_open(item: u32, first: u32) -> bool { return !ROWS || column(params.index + item) > item - first; }

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let turn = next_turn(lid);
    if turn.tile >= params.tiles {
        return;
    }
    let own = params.skipped + turn.tile;
    var work = own;
    var item = turn.tile * ITEMS_PER_LANE * WG;
    var loaded = first_tile(item, at, wg);
    var is_first = true;
    var inside = Prefixes();
#ifdef tested
    if lid == 0u {
        stall(own);
    }
#endif
    loop {
        loaded = next_tile(loaded, is_first, item, at, wg);
        is_first = false;
        let sums = sums_of(loaded, item, at, wg);
        if lid == WG - 1u {
            put_words(tile_slot(turn.side, work), to_words(sums.all));
        }
        inside = prefixes_of(loaded, sums, item, at, wg);
        let missed = find_before(turn.side, work, first_before(work), at, wg);
        if missed == NOTHING {
            if lid == WG - 1u && (work + 1u) % BLOCK == 0u {
                put_words(prefix_slot(turn.side, (work + 1u) / BLOCK), to_words(behind(sums.all, item)));
            }
            if work == own {
                if CONTINUES && is_last(turn.tile) && lid == WG - 1u {
                    put_words(end_slot(turn.side), to_words(behind(sums.all, item)));
                }
                break;
            }
        }
        // Tiles whose sums or prefixes are missing come in between.
        work = tile_for(missed, work, own);
        item = (work - params.skipped) * ITEMS_PER_LANE * WG;
#ifdef tested
        if work != own && lid == 0u {
            count_computed(missed);
        }
#endif
    }
    put_tile(loaded, inside, item, at, wg);
    if lid == 0u {
        clear_next(turn.side, own);
    }
}

// What lies behind a tile, for its last invocation.
fn behind(all: Acc, item: u32) -> Acc {
    if lanes_in_row(WG - 1u, item) < WG {
        return all;
    }
    return combine(before, all);
}

// True if no element comes behind a tile.
fn is_last(tile: u32) -> bool { return params.index + params.len == params.count && params.len - tile * ITEMS_PER_LANE * WG <= ITEMS_PER_LANE * WG; }
