// columns: reduces the middle axis of a row-major array, [outer, len, inner] to [outer, inner].
//
// The elements of one result are `inner` apart. Neighbouring invocations follow neighbouring columns, so together they read complete rows. A team is
// a rectangle, `width` columns wide and as many rows high as it has invocations for:
//
//     team of 8, inner = 5, width 4         columns 0 … 3        column 4: another team's
//         row 0, 2, 4 …                     i0  i1  i2  i3
//         row 1, 3, 5 …                     i4  i5  i6  i7
//
// It moves along the axis by its height; then a tree in workgroup memory over its rows reduces each column to one value. Neither
// side of the rectangle need be a power of two.
//
//   * Few columns, long axis: the axis is cut into chunks, and a second dispatch reduces the accumulators, [outer, chunks, inner].
//   * Many columns, short axis: a team is wide and low, or small, so that a workgroup has several.
//   * `map` receives positions along the axis.
//
// Four rows are in flight for each invocation, with one element each: 2048 invocations on a core with 16 bytes each are 32 KiB, and
// an H200 needs 25 KiB (4.8 TB/s × 700 ns ÷ 132 cores).
#import lib/grid/entry
#import shared/column
#import shared/load
#import shared/store_result

var<workgroup> tree: array<Acc, WG>;

// The element of row `k` of a column.
fn below(range: ColumnRange, k: u32) -> Acc {
    let p = range.top + k * params.own.inner;
    return load_at(p, p - (range.begin + k));
}

fn kernel(at: Place, wg: Workgroup) {
    let lane = at.lid & ((1u << params.own.team) - 1u);
    let slot = wg.index * (WG >> params.own.team) + (at.lid >> params.own.team);
    let height = (1u << params.own.team) / params.own.width;
    let row = lane / params.own.width;

    // A slot is a chunk and a strip of it.
    let strips = (params.own.inner + params.own.width - 1u) / params.own.width;
    let local = slot / strips;
    let column = (slot - local * strips) * params.own.width + (lane - row * params.own.width);
    let works = slot < params.groups && row < height && column < params.own.inner;

    #for p in a b c d: var $p = identity();
    if works {
        let range = column_range(local, column);
        var k = row;
        for (; k + 3u * height < range.rows; k += 4u * height) {
            let va = below(range, k);
            let vb = below(range, k + height);
            let vc = below(range, k + 2u * height);
            let vd = below(range, k + 3u * height);
            #for p in a b c d: $p = combine($p, v$p);
        }
        for (; k < range.rows; k += height) {
            a = combine(a, below(range, k));
        }
    }

    tree[at.lid] = combine(combine(a, b), combine(c, d));
    workgroupBarrier();
    // Starts at half of the next power of two: upper rows are combined with lower ones; a row without a partner stays.
    for (var s = (1u << (32u - countLeadingZeros(height - 1u))) >> 1u; s > 0u; s >>= 1u) {
        if works && row < s && row + s < height {
            tree[at.lid] = combine(tree[at.lid], tree[at.lid + s * params.own.width]);
        }
        workgroupBarrier();
    }
    if works && row == 0u {
        store_result(local * params.own.inner + column, tree[at.lid], params.count);
    }
}
