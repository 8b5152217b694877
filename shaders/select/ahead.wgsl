// ahead: adds to the counts of a block's tiles those of all blocks before it.
//
//     joined     0 | 4 | 6 | 6 | 11     0 | 1 | 3 | 3 | 8
//     ahead      0 | 4 | 6 | 6         11 |12 |14 |14
//
// Reads and writes a word for each tile, and reads those of blocks, which are few: 2^28 elements have 64.
#import io
#import entry
#import order
#import blocks
#import places

fn kernel(at: Place, wg: Workgroup) {
    let lid = order_in_group(at, wg);
    var sum = 0u;
    for (var block = lid; block < wg.index; block += WG) {
        sum += counts[all_tiles() + block];
    }
    // Lanes leave the loop at different times: the barrier brings them together before they exchange values.
    workgroupBarrier();
    let before = sums_of(sum, at, wg).y;
    for (var k = lid; k < BLOCK; k += WG) {
        let tile = wg.index * BLOCK + k;
        put_count(tile, before + count_or_none(tile));
    }
}
