// What an invocation has of a tile: eight vectors of four items, and what lies before each inside the tile.
#import scan/shared/items
#import scan/put/*

struct LoadedItems {
    a: Items,
    b: Items,
    c: Items,
    d: Items,
    e: Items,
    f: Items,
    g: Items,
    h: Items,
    // The first of them.
    item: u32,
}

// Loads eight vectors of four items, each as many items from the one before.
fn load_apart(i: u32, apart: u32) -> LoadedItems {
    return LoadedItems(
        load_items(i),
        load_items(i + apart),
        load_items(i + 2u * apart),
        load_items(i + 3u * apart),
        load_items(i + 4u * apart),
        load_items(i + 5u * apart),
        load_items(i + 6u * apart),
        load_items(i + 7u * apart),
        i,
    );
}

// What lies before each four items, or their totals.
struct Prefixes {
    a: Acc,
    b: Acc,
    c: Acc,
    d: Acc,
    e: Acc,
    f: Acc,
    g: Acc,
    h: Acc,
}

fn totals_of(loaded: LoadedItems, apart: u32) -> Prefixes {
    let i = loaded.item;
    return Prefixes(
        total(four_of(loaded.a, i)),
        total(four_of(loaded.b, i + apart)),
        total(four_of(loaded.c, i + 2u * apart)),
        total(four_of(loaded.d, i + 3u * apart)),
        total(four_of(loaded.e, i + 4u * apart)),
        total(four_of(loaded.f, i + 5u * apart)),
        total(four_of(loaded.g, i + 6u * apart)),
        total(four_of(loaded.h, i + 7u * apart)),
    );
}

// Stores the results of all.
fn put_tile(loaded: LoadedItems, inside: Prefixes, item: u32, at: Place, wg: Workgroup) {
    let i = loaded.item;
    let apart = apart_by(wg);
    put_behind(loaded.a, inside.a, i, item);
    put_behind(loaded.b, inside.b, i + apart, item);
    put_behind(loaded.c, inside.c, i + 2u * apart, item);
    put_behind(loaded.d, inside.d, i + 3u * apart, item);
    put_behind(loaded.e, inside.e, i + 4u * apart, item);
    put_behind(loaded.f, inside.f, i + 5u * apart, item);
    put_behind(loaded.g, inside.g, i + 6u * apart, item);
    put_behind(loaded.h, inside.h, i + 7u * apart, item);
}

// Stores the results of four items, from what lies before them in the tile.
fn put_behind(items: Items, inside: Acc, i: u32, first: u32) {
    var sum = inside;
    if is_open(i, first) {
        sum = combine(before, inside);
    }
    put(items, sum, i);
}
