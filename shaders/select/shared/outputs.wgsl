// What a selection stores.
#import io
#import elements
#import beside
#import selected
#import chain

@group(0) @binding(1) var<storage, read_write> output: array<Selected>;

// Stores an element that is kept.
fn put(elem: Elem, i: u32, place: u32) {
    output[place] = selected(elem, i);
    put_beside(place, i);
}

// Ends a tile, which starts with an item; the last invocation knows how many of its elements are kept. The last one that is planned stores the number of all: an empty input has one, too. A row is the
// whole input.
fn put_end(kept: u32, item: u32, lid: u32) {
    let is_last = params.skipped + item / (OWN * WG) == (params.row - 1u) / (OWN * WG);
    if is_last && lid == WG - 1u {
        number_of_kept[params.count_at] = before + kept;
    }
}
