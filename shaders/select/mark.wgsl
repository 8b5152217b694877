// mark: a bit for each element, set if it is kept, and the number of kept elements of each tile.
//
// The first dispatch of a selection. Reads the elements once, and writes 1/32 of a word for each:
//
//     elements   7 3 9 1 | 8 2 2 6 | …      keep(e) = e > 5
//     marks      1 0 1 0 | 1 0 0 1 | …      a word for 32 elements
//     counts     4                          a word for each tile
//
// Then `join` and `ahead` add up the counts, and `select` moves the kept elements to their places. What decides on an element (kept/) runs once.
//
// An invocation loads eight vectors of four elements; its neighbours have those beside them. So its 32 marks are not those of neighbouring
// elements: they change places through workgroup memory.
#import io
#import entry
#import order
#import items
#import places
#import kept

// Four marks of each of an invocation's vectors. A place is left out after eight, so that invocations that read every eighth do not meet.
override PLACES: u32 = 144u;
var<workgroup> fours: array<u32, PLACES>;

fn place_of(lid: u32) -> u32 {
    return lid + lid / 8u;
}

// The marks of 32 neighbouring elements, of eight vectors that neighbouring invocations have loaded.
fn word_of(lid: u32) -> u32 {
    var word = 0u;
    for (var k = 0u; k < 8u; k += 1u) {
        let four = 8u * lid + k;
        word |= ((fours[place_of(four % WG)] >> (4u * (four / WG))) & 15u) << (4u * k);
    }
    return word;
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let lid = order_in_group(at, wg);
    let i = wg.index * OWN * WG + 4u * lid;
    let as_vectors = has_vectors(wg.index);
    let a = load_items(i, as_vectors);
    let b = load_items(i + 4u * WG, as_vectors);
    let c = load_items(i + 8u * WG, as_vectors);
    let d = load_items(i + 12u * WG, as_vectors);
    let e = load_items(i + 16u * WG, as_vectors);
    let f = load_items(i + 20u * WG, as_vectors);
    let g = load_items(i + 24u * WG, as_vectors);
    let h = load_items(i + 28u * WG, as_vectors);
    var four = marks_of(a, i) | (marks_of(b, i + 4u * WG) << 4u);
    four |= (marks_of(c, i + 8u * WG) << 8u) | (marks_of(d, i + 12u * WG) << 12u);
    four |= (marks_of(e, i + 16u * WG) << 16u) | (marks_of(f, i + 20u * WG) << 20u);
    four |= (marks_of(g, i + 24u * WG) << 24u) | (marks_of(h, i + 28u * WG) << 28u);
    fours[place_of(lid)] = four;
    workgroupBarrier();
    let own = word_of(lid);
    let tile = whole_tile(wg.index);
    marks[tile * WG + lid] = own;
    let sums = sums_of(countOneBits(own), at, wg);
    if lid == 0u {
        counts[tile] = sums.y;
    }
    put_first(own, sums, tile, lid);
}
