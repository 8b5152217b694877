// A tile that is loaded twice: for accumulators of many words, for elements that are no vectors, and for a tile that is not full.
//
// An invocation has 32 items in a row, and only its sum goes through workgroup memory. Its loads do not coalesce, but lie in a line or two of the cache,
// where the second round finds them. Loops keep the code short: some compilers take minutes for as many branches in a row.
#import scan/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import scan/shared/rows
#import scan/columns/*
#import scan/shared/input
#import scan/after/*
#import scan/shared/results
#import scan/shared/sums
#import lib/workgroup/through/*
#import scan/shared/shifted

@group(0) @binding(1) var<storage, read_write> output: array<Stored>;

// The first item.
struct LoadedItems {
    item: u32,
}

// What lies before it.
struct Prefixes {
    first: Acc,
}

fn load_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems { return LoadedItems(item + ITEMS_PER_LANE * order_in_group(at, wg)); }

fn sums_of(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> Sums {
    var sum = identity();
    for (var k = 0u; k < ITEMS_PER_LANE; k += 1u) {
        let i = loaded.item + k;
        if i < params.len {
            let place = column(params.index + i);
            sum = after(sum, map(input[params.first + i], place), place == 0u);
        }
    }
    sum = through(sum, lanes_in_row(order_in_group(at, wg), item), at, wg);
    return Sums(sum, sum);
}

fn prefixes_of(loaded: LoadedItems, sums: Sums, item: u32, at: Place, wg: Workgroup) -> Prefixes {
    return Prefixes(shifted(sums.own, order_in_group(at, wg)));
}

fn put_tile(loaded: LoadedItems, inside: Prefixes, item: u32, at: Place, wg: Workgroup) {
    var sum = inside.first;
    if is_open(loaded.item, item) {
        sum = combine(before, sum);
    }
    for (var k = 0u; k < ITEMS_PER_LANE; k += 1u) {
        let i = loaded.item + k;
        if i < params.len {
            let place = column(params.index + i);
            let own = map(input[params.first + i], place);
            let behind = after(sum, own, place == 0u);
            output[params.store + i] = result(sum, behind, place);
            sum = behind;
        }
    }
}
