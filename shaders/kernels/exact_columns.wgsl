// exact-columns: exact sums along the middle axis of a row-major array, [outer, len, inner] to [outer, inner], one
// workgroup per column.
//
// As in exact_segments.wgsl, the invocations of a workgroup share its limbs, so all of them work on one column.
// Neighbouring invocations read neighbouring elements of it, which are `inner` apart: each load brings in a
// cache line of which the workgroup uses one element. The workgroups of the next columns run at the same time
// and find the rest of the line in a cache, if it is still there. `columns` reads whole lines and is faster; but
// a workgroup that sums several columns would need limbs for each of them.
//
// A long column is cut into chunks of rows, which write states. A second dispatch of this kernel adds these up.
#import entry
#import exact/fold_apart
#import io
#import operator
#import exact/states
#import exact/conclude_alone

struct Own {
    // Rows of the axis, which is cut into `chunks` of at most `chunk` rows each.
    len: u32,
    chunk: u32,
    chunks: u32,
    // The index of the dispatch's first chunk.
    base: u32,
    // Invocations that share one column, as a power of two: all of the workgroup.
    team: u32,
    // Columns of the array: the distance from one element to the next of the same result.
    inner: u32,
    // Columns that a workgroup takes: one.
    width: u32,
    // 1 if states are combined with those that an earlier dispatch has stored at the same positions.
    onto: u32,
}

#ifdef reads_partials
// The states of `rows` rows of a column; the first one is at position `top`.
fn fold_column(top: u32, rows: u32, at: Place, wg: Workgroup) -> Acc {
    clear_tally(at);
    workgroupBarrier();
    var acc = fold_states(0u, 0u, 0u, 1u);
    for (var k = at.lid; k < rows; k += WG) {
        let p = top + k * params.own.inner;
        acc = carried(add(acc, fold_states(p, p + 1u, 0u, 1u)));
    }
    return acc;
}
#else
// The elements of `rows` rows of a column; the first one is at position `top`.
fn fold_column(top: u32, rows: u32, at: Place, wg: Workgroup) -> Acc {
    return fold_apart(top, rows, params.own.inner, at.lid, WG, at, wg);
}
#endif

fn kernel(at: Place, wg: Workgroup) {
    // A grid folded into rows may have a few surplus workgroups: they repeat the work of the last one, and
    // store nothing.
    let slot = min(wg.index, params.groups - 1u);
    let local = slot / params.own.inner;
    let number = params.own.base + local;
    let outer = number / params.own.chunks;
    let begin = (number - outer * params.own.chunks) * params.own.chunk;
    let rows = min(params.own.chunk, params.own.len - begin);
    let row = outer * params.own.len + begin;
    let top = row * params.own.inner + (slot - local * params.own.inner) + params.first - params.index;
    conclude_alone(slot, wg.index < params.groups, fold_column(top, rows, at, wg), rows, at);
}
