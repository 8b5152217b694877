// kept_rows: a tile in registers. A row has one element per lane of a subgroup; a subgroup has 48 rows, or 32 or 16 in a shorter input.
//
//     row 0      7 3 9 1     marks  1 0 1 0     kept before  0 1 1 2     kept in the row  2
//     row 1      8 2 2 6            1 0 0 1                  0 1 1 1                      2
//     stored     7 9 8 6
//
// Loads coalesce, and so do the stores of kept elements. Elements stay in registers until what lies before the tile is known, so they are read once.
//
// A mark is a byte, so one sum across the subgroup counts four rows. A row has at most 128 elements, the lanes of the widest subgroup, so seven bits
// hold an exclusive count.
#import scan/shared/io
#import lib/grid/entry
#import lib/workgroup/order
#import select/shared/elements
#import scan/shared/sums
#import scan/shared/across
#import select/kept/*
#import select/shared/outputs

// Elements of four rows.
struct Four {
    #for c in x y z w: $c: Elem,
}

// Elements of sixteen rows, and their marks, a byte each.
struct Sixteen {
    #for p in a b c d: $p: Four,
    marks: vec4<u32>,
}

struct LoadedItems {
    #for p in a b c: $p: Sixteen,
    // The first element of the lane. Its elements are as far apart as a subgroup has lanes.
    item: u32,
}

// For each row a byte: the kept elements of the lanes before, and in its upper bit the mark. `first`: the state before
// the subgroup's rows, relative to the tile. `all`: the tile's state.
struct Prefixes {
    #for p in a b c: $p: vec4<u32>,
    first: Acc,
    all: Acc,
}

// Loads the elements of four rows. If `is_inside`, all of them lie in the input.
fn load_four(i: u32, lanes: u32, is_inside: bool) -> Four {
    if is_inside {
        let p = params.first + i;
        return Four(input[p], input[p + lanes], input[p + 2u * lanes], input[p + 3u * lanes]);
    }
    return Four(
        element_or_zero(i),
        element_or_zero(i + lanes),
        #for k in 2..4: element_or_zero(i + $(k)u * lanes),
    );
}

fn marks_of(items: Four, i: u32, lanes: u32, is_inside: bool) -> u32 {
    let low = kept(items.x, i, is_inside) | (kept(items.y, i + lanes, is_inside) << 8u);
    let high = kept(items.z, i + 2u * lanes, is_inside) | (kept(items.w, i + 3u * lanes, is_inside) << 8u);
    return low | (high << 16u);
}

// True if a lane has the n-th sixteen rows.
fn has_rows(n: u32) -> bool { return 16u * n < ITEMS_PER_LANE; }

fn load_sixteen(n: u32, first: u32, lanes: u32, is_inside: bool) -> Sixteen {
    if !has_rows(n) {
        return Sixteen();
    }
    let i = first + 16u * n * lanes;
    #for k in 0..4: let items$k = load_four(i + $(4 * k)u * lanes, lanes, is_inside);
    let marks = vec4<u32>(
        #for k in 0..4: marks_of(items$k, i + $(4 * k)u * lanes, lanes, is_inside),
    );
    return Sixteen(items0, items1, items2, items3, marks);
}

fn load_rows(i: u32, lanes: u32, is_inside: bool) -> LoadedItems {
    return LoadedItems(
        #for n in 0..3: load_sixteen($(n)u, i, lanes, is_inside),
        i,
    );
}

// The first element of a lane in a tile.
fn first_of_lane(item: u32, at: Place, wg: Workgroup) -> u32 { return item + at.subgroup * ITEMS_PER_LANE * min(wg.width, WG) + at.lane; }

fn load_tile(item: u32, at: Place, wg: Workgroup) -> LoadedItems {
    let lanes = min(wg.width, WG);
    let i = first_of_lane(item, at, wg);
    if is_inside(item) {
        return load_rows(i, lanes, true);
    }
    return load_rows(i, lanes, false);
}

fn sums_of(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> Sums {
    // Lanes may come from a loop of the application's, which they left at different times: the barrier brings them together before they add up.
    workgroupBarrier();
    let rows = loaded.a.marks + loaded.b.marks + loaded.c.marks;
    let bytes = (rows.x + rows.y) + (rows.z + rows.w);
    let halves = (bytes & 0xff00ffu) + ((bytes >> 8u) & 0xff00ffu);
    let number = subgroupAdd((halves & 0xffffu) + (halves >> 16u));
    let last = last_of_subgroup(last_of_tile(loaded, item, at, wg));
    return across(state(number, last), at, wg);
}

// Uses `item`, not `loaded.item`: the marks may be another tile's.
fn last_of_tile(loaded: LoadedItems, item: u32, at: Place, wg: Workgroup) -> u32 {
    let lanes = min(wg.width, WG);
    let i = first_of_lane(item, at, wg);
    var last = last_of_lane(loaded.a.marks, i, lanes);
    if has_rows(1u) {
        last = max(last, last_of_lane(loaded.b.marks, i + 16u * lanes, lanes));
    }
    if has_rows(2u) {
        last = max(last, last_of_lane(loaded.c.marks, i + 32u * lanes, lanes));
    }
    return last;
}

fn bytes_before(n: u32, marks: vec4<u32>) -> vec4<u32> {
    if !has_rows(n) {
        return vec4<u32>();
    }
    return subgroupExclusiveAdd(marks) | (marks << vec4(7u));
}

fn prefixes_of(loaded: LoadedItems, sums: Sums, item: u32, at: Place, wg: Workgroup) -> Prefixes {
    let a = bytes_before(0u, loaded.a.marks);
    return Prefixes(a, bytes_before(1u, loaded.b.marks), bytes_before(2u, loaded.c.marks), sums.own, sums.all);
}

fn put_tile(loaded: LoadedItems, inside: Prefixes, item: u32, at: Place, wg: Workgroup) {
    let i = loaded.item;
    let lanes = min(wg.width, WG);
    let b = put_sixteen(loaded.a, i, inside.a, combine(before, inside.first), lanes, at);
    if has_rows(1u) {
        let c = put_sixteen(loaded.b, i + 16u * lanes, inside.b, b, lanes, at);
        if has_rows(2u) {
            put_sixteen(loaded.c, i + 32u * lanes, inside.c, c, lanes, at);
        }
    }
    put_end(inside.all, item, order_in_group(at, wg));
}

// Stores the kept elements of sixteen rows after state `ahead`; returns the state after them.
fn put_sixteen(items: Sixteen, i: u32, prefixes: vec4<u32>, ahead: Acc, lanes: u32, at: Place) -> Acc {
    let four = 4u * lanes;
    let b = put_four(items.a, i, prefixes.x, number_in(ahead), lanes, at);
    let c = put_four(items.b, i + four, prefixes.y, b, lanes, at);
    let d = put_four(items.c, i + 2u * four, prefixes.z, c, lanes, at);
    return put_beside(ahead, put_four(items.d, i + 3u * four, prefixes.w, d, lanes, at), lanes, at);
}

fn put_four(items: Four, i: u32, prefixes: u32, place: u32, lanes: u32, at: Place) -> u32 {
    let marks = (prefixes >> 7u) & 0x1010101u;
    let ahead = prefixes & 0x7f7f7f7fu;
    let row = vec3(marks, ahead, subgroupShuffle(ahead + marks, lanes - 1u));
    let y = put_row(items.x, i, row, place, lanes, at);
    let z = put_row(items.y, i + lanes, row >> vec3(8u), y, lanes, at);
    let w = put_row(items.z, i + 2u * lanes, row >> vec3(16u), z, lanes, at);
    return put_row(items.w, i + 3u * lanes, row >> vec3(24u), w, lanes, at);
}

// Stores the element of a row if it is kept. The low bytes of `row` hold its mark, the count in earlier lanes and the count in all lanes.
fn put_row(elem: Elem, i: u32, row: vec3<u32>, place: u32, lanes: u32, at: Place) -> u32 {
    if (row.x & 0xffu) == 1u {
        put(elem, i, place + (row.y & 0xffu));
        note(i, place + (row.y & 0xffu), lanes, at);
    }
    return place + (row.z & 0xffu);
}
