// mark: a bit for each element, set if it is kept, and the number of kept elements of each tile.
//
// The first of three dispatches of a selection. Reads the elements once, and writes 1/32 of a word for each:
//
//     elements   7 3 9 1 | 8 2 2 6 | …      keep(e) = e > 5
//     marks      1 0 1 0 | 1 0 0 1 | …      a word for each invocation: eight vectors of four elements
//     counts     4                          a word for each tile
//
// Then `scan` adds up the counts, and `select` moves the kept elements to their places. The application's function runs once for each element.
#import io
#import entry
#import items
#import sum_before

// Four bits: those of four elements that are kept.
fn marks_of(items: Items, i: u32) -> u32 {
    let low = kept(items.x, i) | (kept(items.y, i + 1u) << 1u);
    return low | (kept(items.z, i + 2u) << 2u) | (kept(items.w, i + 3u) << 3u);
}

fn kernel(at: Place, wg: Workgroup) {
    if wg.index >= params.tiles {
        return;
    }
    let i = first_of(wg.index, at.lid);
    let as_vectors = has_vectors(wg.index);
    let a = load_items(i, as_vectors);
    let b = load_items(i + 4u * WG, as_vectors);
    let c = load_items(i + 8u * WG, as_vectors);
    let d = load_items(i + 12u * WG, as_vectors);
    let e = load_items(i + 16u * WG, as_vectors);
    let f = load_items(i + 20u * WG, as_vectors);
    let g = load_items(i + 24u * WG, as_vectors);
    let h = load_items(i + 28u * WG, as_vectors);
    var own = marks_of(a, i) | (marks_of(b, i + 4u * WG) << 4u);
    own |= (marks_of(c, i + 8u * WG) << 8u) | (marks_of(d, i + 12u * WG) << 12u);
    own |= (marks_of(e, i + 16u * WG) << 16u) | (marks_of(f, i + 20u * WG) << 20u);
    own |= (marks_of(g, i + 24u * WG) << 24u) | (marks_of(h, i + 28u * WG) << 28u);
    let tile = params.skipped + wg.index;
    marks[tile * WG + at.lid] = own;
    let number = countOneBits(own);
    let before = sum_before(number, at);
    if at.lid == WG - 1u {
        counts[tile] = before + number;
    }
}
