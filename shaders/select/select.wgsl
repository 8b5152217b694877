// select: moves the kept elements of each tile to their places, in their order, and stores the number of all.
//
// The last dispatch of a selection. Reads the marks, and of the elements those that are kept; writes these.
//
//     marks    1 0 1 0 | 1 0 0 1 |        elements   7 3 9 1 | 8 2 2 6 |
//     places   0   1   | 2     3 |        kept       7 9 8 6
//
// The place of an element is the number of kept ones before it: in earlier tiles, in earlier words of its tile, and in its own word. Neighbouring
// invocations take neighbouring elements, so what they store lies side by side. An invocation loads sixteen elements before it stores one of them, so it
// waits twice for memory, not 32 times. Where few are kept each invocation takes those of its own word: most have none.
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

// An element of a tile: if it is kept, its number in the dispatch, its place, and the length of the run that it begins.
struct Item {
    is_kept: bool,
    i: u32,
    place: u32,
    length: u32,
}

fn item_of(number: u32, begin: u32) -> Item {
    let word = words[number / OWN];
    let bit = number % OWN;
    let place = first_places[number / OWN] + countOneBits(word & ((1u << bit) - 1u));
    let length = length_of(bit, word, number / OWN, begin / (OWN * WG));
    return Item(((word >> bit) & 1u) == 1u, begin + number, place, length);
}

fn load(item: Item) -> Selected {
    if item.is_kept {
        return selected(item.i);
    }
    return Selected();
}

fn put(item: Item, kept: Selected) {
    if item.is_kept {
        output[item.place] = kept;
        put_length(item.place, item.length);
    }
}

// Four elements, `WG` apart, and what is loaded of them.
struct FourItems {
    a: Item,
    b: Item,
    c: Item,
    d: Item,
}

struct FourSelected {
    a: Selected,
    b: Selected,
    c: Selected,
    d: Selected,
}

fn four_items(first: u32, begin: u32) -> FourItems {
    return FourItems(
        item_of(first, begin),
        item_of(first + WG, begin),
        item_of(first + 2u * WG, begin),
        item_of(first + 3u * WG, begin),
    );
}

fn load_four(items: FourItems) -> FourSelected {
    return FourSelected(load(items.a), load(items.b), load(items.c), load(items.d));
}

fn put_four(items: FourItems, kept: FourSelected) {
    put(items.a, kept.a);
    put(items.b, kept.b);
    put(items.c, kept.c);
    put(items.d, kept.d);
}

// Moves sixteen of the elements of an invocation.
fn move_sixteen(first: u32, begin: u32) {
    let a = four_items(first, begin);
    let b = four_items(first + 4u * WG, begin);
    let c = four_items(first + 8u * WG, begin);
    let d = four_items(first + 12u * WG, begin);
    let from_a = load_four(a);
    let from_b = load_four(b);
    let from_c = load_four(c);
    let from_d = load_four(d);
    put_four(a, from_a);
    put_four(b, from_b);
    put_four(c, from_c);
    put_four(d, from_d);
}

// Moves the kept elements of an invocation's word. `place` is that of the first of them.
fn move_word(word: u32, lid: u32, begin: u32, place: u32) {
    var item = Item(true, 0u, place, 0u);
    for (var rest = word; rest != 0u; rest &= rest - 1u) {
        let bit = firstTrailingBit(rest);
        item.i = begin + OWN * lid + bit;
        item.length = length_of(bit, word, lid, begin / (OWN * WG));
        put(item, load(item));
        item.place += 1u;
    }
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let lid = order_in_group(at, wg);
    let begin = wg.index * OWN * WG;
    let tile = whole_tile(wg.index);
    let own = marks[tile * WG + lid];
    let onto = counts[tile];
    let sums = sums_of(countOneBits(own), at, wg);
    words[lid] = own;
    first_places[lid] = onto + sums.x;
    workgroupBarrier();
    prepare_lengths(onto + sums.y, tile, lid);
    if sums.y > WG {
        move_sixteen(lid, begin);
        move_sixteen(16u * WG + lid, begin);
    } else {
        move_word(own, lid, begin, onto + sums.x);
    }
    // A tile behind the last one has none of them, if a count on the GPU ends with a tile. Without elements the first one is the last.
    let rest = params.len - begin;
    let is_last = (rest > 0u && rest <= OWN * WG) || (params.count == 0u && begin == 0u);
    if is_last && params.index + params.len == params.count && lid == 0u {
        number_of_kept[params.count_at] = onto + sums.y;
    }
}
