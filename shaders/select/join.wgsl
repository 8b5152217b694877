// join: gives each tile of a block the kept elements of the tiles before it in its block, and each block those of all its tiles.
//
//     counts     4 | 2 | 0 | 5 |        kept elements of tiles
//     joined     0 | 4 | 6 | 6 | 11     behind all tiles, for their block
//
// Reads and writes a word for each tile. With more blocks than one, `ahead` adds what lies before each.
#import io
#import entry
#import order
#import blocks
#import places

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    let first = wg.index * BLOCK + 4u * lid;
    let a = count_or_none(first);
    let b = count_or_none(first + 1u);
    let c = count_or_none(first + 2u);
    let sums = sums_of(a + b + c + count_or_none(first + 3u), at, wg);
    put_count(first, sums.x);
    put_count(first + 1u, sums.x + a);
    put_count(first + 2u, sums.x + a + b);
    put_count(first + 3u, sums.x + a + b + c);
    if lid == 0u {
        counts[all_tiles() + wg.index] = sums.y;
    }
}
