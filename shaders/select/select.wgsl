// select: moves the kept elements of each tile to their places, in their order, and stores the number of all.
//
// The last dispatch of a selection. Reads the marks, and of the elements those that are kept; writes these.
//
//     marks       1 0 1 0 | 1 0 0 1 |        elements   7 3 9 1 | 8 2 2 6 |
//     places      0   1   | 2     3 |        kept       7 9 8 6
//
// The place of an element is the number of kept ones before it: in earlier tiles, in earlier words of its tile, and in its own word. Neighbouring
// invocations store side by side:
//
// * Where many are kept, they take neighbouring elements. An invocation loads sixteen before it stores one of them, so it waits twice for memory.
// * Where few are kept, each invocation lists the positions of the marks in its word; then they take neighbouring positions of this list.
//
// The list is short: with room for a whole tile the kernel takes twice as long on an NVIDIA H200, as fewer workgroups are at work.
#import io
#import entry
#import order
#import items
#import places
#import selected
#import beside

@group(0) @binding(1) var<storage, read_write> output: array<Selected>;

// The marks of each invocation's elements, and the place of the first of them that is kept.
var<workgroup> words: array<u32, WG>;
var<workgroup> first_places: array<u32, WG>;
// The positions of a tile that keeps few.
override LISTED: u32 = 512u;
var<workgroup> positions: array<u32, LISTED>;

// A tile: its number, its first element in the binding, the kept elements of earlier tiles and its own, and the first one that the next tile keeps.
struct Tile {
    number: u32,
    begin: u32,
    onto: u32,
    kept: u32,
    next: u32,
}

// True if a tile keeps more than the list has room for.
fn has_many(tile: Tile) -> bool {
    return tile.kept > LISTED;
}

// An element of a tile: if it is kept, its place, the length of the run that it begins, and what is stored of it.
struct Item {
    is_kept: bool,
    place: u32,
    length: u32,
    value: Selected,
}

// Four elements, whose loads are in flight at the same time.
struct FourItems {
    a: Item,
    b: Item,
    c: Item,
    d: Item,
}

fn load(is_kept: bool, position: u32, tile: Tile) -> Selected {
    if is_kept {
        return selected(tile.begin + position);
    }
    return Selected();
}

fn item_at(position: u32, tile: Tile) -> Item {
    let bit = position % OWN;
    let word = words[position / OWN];
    let marks = word >> bit;
    let place = first_places[position / OWN] + countOneBits(word & ((1u << bit) - 1u));
    let is_kept = (marks & 1u) == 1u;
    return Item(is_kept, place, length_at(position, marks), load(is_kept, position, tile));
}

fn listed_item(nth: u32, tile: Tile) -> Item {
    let position = positions[min(nth, LISTED - 1u)];
    let is_kept = nth < tile.kept;
    return Item(is_kept, tile.onto + nth, listed_length(nth, position, tile), load(is_kept, position, tile));
}

fn put(item: Item) {
    if item.is_kept {
        output[item.place] = item.value;
        put_length(item.place, item.length);
    }
}

// Four elements, `WG` apart.
fn four_items(first: u32, tile: Tile) -> FourItems {
    return FourItems(
        item_at(first, tile),
        item_at(first + WG, tile),
        item_at(first + 2u * WG, tile),
        item_at(first + 3u * WG, tile),
    );
}

fn put_four(items: FourItems) {
    put(items.a);
    put(items.b);
    put(items.c);
    put(items.d);
}

// Moves sixteen of the elements of an invocation.
fn move_sixteen(first: u32, tile: Tile) {
    let a = four_items(first, tile);
    let b = four_items(first + 4u * WG, tile);
    let c = four_items(first + 8u * WG, tile);
    let d = four_items(first + 12u * WG, tile);
    put_four(a);
    put_four(b);
    put_four(c);
    put_four(d);
}

// Moves the listed elements.
fn move_listed(lid: u32, tile: Tile) {
    for (var nth = lid; nth < tile.kept; nth += 4u * WG) {
        put_four(FourItems(
            listed_item(nth, tile),
            listed_item(nth + WG, tile),
            listed_item(nth + 2u * WG, tile),
            listed_item(nth + 3u * WG, tile),
        ));
    }
}

fn list_positions(own: u32, lid: u32, before: u32) {
    var nth = before;
    for (var rest = own; rest != 0u; rest &= rest - 1u) {
        positions[nth] = OWN * lid + firstTrailingBit(rest);
        nth += 1u;
    }
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let lid = order_in_group(at, wg);
    let begin = wg.index * OWN * WG;
    let number = whole_tile(wg.index);
    let own = marks[number * WG + lid];
    let onto = counts[number];
    let next = first_of_next(number);
    let sums = sums_of(countOneBits(own), at, wg);
    let tile = Tile(number, begin, onto, sums.y, next);
    if has_many(tile) {
        words[lid] = own;
        first_places[lid] = onto + sums.x;
    } else {
        list_positions(own, lid, sums.x);
    }
    workgroupBarrier();
    prepare_lengths(own, lid, tile);
    if has_many(tile) {
        move_sixteen(lid, tile);
        move_sixteen(16u * WG + lid, tile);
    } else {
        move_listed(lid, tile);
    }
    // A tile behind the last one has none of them, if a count on the GPU ends with a tile. Without elements the first one is the last.
    let rest = params.len - begin;
    let is_last = (rest > 0u && rest <= OWN * WG) || (params.count == 0u && begin == 0u);
    if is_last && params.index + params.len == params.count && lid == 0u {
        number_of_kept[params.count_at] = onto + sums.y;
    }
}
