// columns: reduces the middle axis of a row-major array, [outer, len, inner] to [outer, inner].
//
// The elements of one result are `inner` apart. If each invocation follows one column, neighbouring
// invocations follow neighbouring columns, and together they read complete rows. So a team is a rectangle,
// `width` columns wide and as many rows high as it has invocations for:
//
//     team of 8, inner = 5, width 4         columns 0 … 3        column 4: another team's
//         row 0, 2, 4 …                     i0  i1  i2  i3
//         row 1, 3, 5 …                     i4  i5  i6  i7
//
// It moves along the axis by its height. Then each column has one value per row of the rectangle, and a tree
// in workgroup memory over the rows reduces them to one. Neither side of the rectangle need be a power of
// two: with three columns in a workgroup of 256 it is 85 rows high and leaves one invocation idle, not a
// quarter of them.
//
//   * Few columns, long axis: the axis is cut into chunks, whose accumulators are an array [outer, chunks, inner].
//     A second dispatch of this kernel reduces the middle axis of that array.
//   * Many columns, short axis: a team is wide and low, or small, so that a workgroup has several.
//   * `map` receives positions along the axis.
//
// Four rows are in flight for each invocation, with one element each. That is enough: 2048 invocations on a
// core with 16 bytes each in flight are 32 KiB, and an H200 needs 25 KiB (4.8 TB/s × 700 ns ÷ 132 cores). A
// `vec4` across columns would load the same cache lines with a quarter of the instructions. But it needs four
// accumulators, and works only if rows start at multiples of 16 bytes. That would take more registers and a
// second kernel, and the memory would still be the limit.
//
// Beyond the documents.
#import entry
#import load
#import store_result

struct Own {
    // Rows of the axis, which is cut into `chunks` of at most `chunk` rows each.
    len: u32,
    chunk: u32,
    chunks: u32,
    // The index of the dispatch's first chunk.
    base: u32,
    // Invocations that share a chunk of some columns, as a power of two.
    team: u32,
    // Columns of the array: the distance from one element to the next of the same result.
    inner: u32,
    // Columns that a team takes side by side.
    width: u32,
    // 1 if accumulators are combined with those that an earlier dispatch has stored at the same positions.
    onto: u32,
}

var<workgroup> tree: array<Acc, WG>;

// The element `k` rows below position `top` of the binding; `top` is in row `begin` of the axis.
fn below(top: u32, begin: u32, k: u32) -> Acc {
    let p = top + k * params.own.inner;
    return load_at(p, p - (begin + k));
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

    var a = identity();
    var b = identity();
    var c = identity();
    var d = identity();
    if works {
        let number = params.own.base + local;
        let outer = number / params.own.chunks;
        let begin = (number - outer * params.own.chunks) * params.own.chunk;
        let rows = min(params.own.chunk, params.own.len - begin);
        let top = (outer * params.own.len + begin) * params.own.inner + column + params.first - params.index;
        var k = row;
        for (; k + 3u * height < rows; k += 4u * height) {
            let va = below(top, begin, k);
            let vb = below(top, begin, k + height);
            let vc = below(top, begin, k + 2u * height);
            let vd = below(top, begin, k + 3u * height);
            a = combine(a, va);
            b = combine(b, vb);
            c = combine(c, vc);
            d = combine(d, vd);
        }
        for (; k < rows; k += height) {
            a = combine(a, below(top, begin, k));
        }
    }

    tree[at.lid] = combine(combine(a, b), combine(c, d));
    workgroupBarrier();
    // Starts at half of the next power of two: upper rows are combined with lower ones; a row without a
    // partner stays.
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
