// What an invocation has of a tile: eight vectors of four items, and what lies before each inside the tile.
#import scan/shared/items
#import scan/put/*

struct LoadedItems {
    #for k in 0..8: p$k: Items,
    // The first of them.
    item: u32,
}

// Loads eight vectors of four items, each as many items from the one before.
fn load_apart(i: u32, apart: u32) -> LoadedItems {
    return LoadedItems(
        load_items(i),
        load_items(i + apart),
        #for k in 2..8: load_items(i + $(k)u * apart),
        i,
    );
}

// What lies before each four items, or their totals.
struct Prefixes {
    #for k in 0..8: p$k: Acc,
}

fn totals_of(loaded: LoadedItems, apart: u32) -> Prefixes {
    let i = loaded.item;
    return Prefixes(
        total(four_of(loaded.p0, i)),
        total(four_of(loaded.p1, i + apart)),
        #for k in 2..8: total(four_of(loaded.p$k, i + $(k)u * apart)),
    );
}

// Stores the results of all.
fn put_tile(loaded: LoadedItems, inside: Prefixes, item: u32, at: Place, wg: Workgroup) {
    let i = loaded.item;
    let apart = apart_by(wg);
    put_behind(loaded.p0, inside.p0, i, item);
    put_behind(loaded.p1, inside.p1, i + apart, item);
    #for k in 2..8: put_behind(loaded.p$k, inside.p$k, i + $(k)u * apart, item);
}

// Stores the results of four items, from what lies before them in the tile.
fn put_behind(items: Items, inside: Acc, i: u32, first: u32) {
    var sum = inside;
    if is_open(i, first) {
        sum = combine(before, inside);
    }
    put(items, sum, i);
}
