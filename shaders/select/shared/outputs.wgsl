// What a selection stores.
#import scan/shared/io
#import select/shared/elements
#import select/beside/*
#import <map>
#import lib/grid/chain

@group(0) @binding(1) var<storage, read_write> output: array<Selected>;

// Stores an element that is kept.
fn put(elem: Elem, i: u32, place: u32) { output[place] = selected(elem, i); }

// Ends a tile. Its last invocation knows how many elements the tile keeps. The last planned tile stores the number of all; an empty input has one tile. The
// input is one row.
fn put_end(tile: Acc, item: u32, lid: u32) {
    let is_last = params.skipped + item / (ITEMS_PER_LANE * WG) == (params.row - 1u) / (ITEMS_PER_LANE * WG);
    if is_last && lid == WG - 1u {
        let all = combine(before, tile);
        number_of_kept[params.count_at] = number_in(all);
        put_length(number_in(all), params.count, last_in(all));
    }
}
