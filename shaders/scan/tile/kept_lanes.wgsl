// A tile without subgroups. An invocation has 16, 32 or 48 neighbouring elements, and keeps their marks in two words.
//
// It loads kept elements a second time, from the cache, and stores its own in a row.
#import scan/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import select/shared/elements
#import scan/shared/sums
#import select/kept/*
#import select/shared/outputs
#import lib/workgroup/through/*
#import scan/shared/shifted

// The first element, and a bit for each, set if it is kept: of the first half, and of the second.
struct LoadedItems {
    item: u32,
    low: u32,
    high: u32,
}

// The state before the invocation's elements inside of the tile, and that of the tile.
struct Prefixes {
    first: Acc,
    all: Acc,
}

fn load_half(item: u32) -> u32 {
    var marks = 0u;
    for (var k = 0u; k < ITEMS_PER_LANE / 2u; k += 1u) {
        marks |= kept(element_or_zero(item + k), item + k, false) << k;
    }
    return marks;
}

fn load_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    let first = item + ITEMS_PER_LANE * order_in_group(at, wg);
    return LoadedItems(first, load_half(first), load_half(first + ITEMS_PER_LANE / 2u));
}

// The position behind the last kept element of half an invocation's, or 0.
fn last_of_half(marks: u32, item: u32) -> u32 { return select(0u, item + firstLeadingBit(marks) + 1u, marks != 0u); }

fn sums_of(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> Sums {
    let number = countOneBits(loaded.low) + countOneBits(loaded.high);
    let last = max(last_of_half(loaded.low, loaded.item), last_of_half(loaded.high, loaded.item + ITEMS_PER_LANE / 2u));
    let sum = through(state(number, last), order_in_group(at, wg) + 1u, at, wg);
    return Sums(sum, sum);
}

fn prefixes_of(loaded: LoadedItems, sums: Sums, item: u32, at: Place, wg: Workgroup) -> Prefixes {
    return Prefixes(shifted(sums.own, order_in_group(at, wg)), sums.all);
}

// Stores the kept elements of half an invocation's behind a state, and returns the state behind them.
fn put_half(marks: u32, item: u32, ahead: Acc) -> Acc {
    var acc = ahead;
    for (var rest = marks; rest != 0u; rest &= rest - 1u) {
        let i = item + firstTrailingBit(rest);
        put(element_or_zero(i), i, number_in(acc));
        put_length(number_in(acc), i, last_in(acc));
        acc = state(number_in(acc) + 1u, i + 1u);
    }
    return acc;
}

fn put_tile(loaded: LoadedItems, inside: Prefixes, item: u32, at: Place, wg: Workgroup) {
    let half = put_half(loaded.low, loaded.item, combine(before, inside.first));
    put_half(loaded.high, loaded.item + ITEMS_PER_LANE / 2u, half);
    put_end(inside.all, item, order_in_group(at, wg));
}
