// Each invocation folds vectors of four elements, four vectors at a time.
//
// Two techniques bring a memory-bound kernel to peak speed. A `vec4` load reads 16 bytes with one instruction, so the same bytes take a quarter
// of the address arithmetic and of the load slots. And four independent loads are issued before the first is used, because bandwidth is bytes
// in flight divided by latency. The four accumulators are independent for the same reason, and are combined once at the end.
//
// The data may start at any element of a binding. The vectors between the first and the last 16-byte boundary go through the loop. Up to three
// elements before them and up to three after them are loaded one by one.
//
// `fold_range` folds any range of positions in the binding. `grid` invocations share the range, and this one has index `own`. `origin` is the
// position with index 0. `fold` does this for all items of the dispatch.
//
// Accumulators of an earlier dispatch are folded one at a time, and strided elements as in fold_strided.wgsl.
#ifdef strided
#import shared/fold_strided
#else
#import lib/grid/entry
#import shared/load

#ifdef vectors
#import shared/vectors

fn fold_range(begin: u32, stop: u32, origin: u32, own: u32, grid: u32) -> Acc {
    let begin4 = (begin + 3u) >> 2u;
    let end4 = max(begin4, stop >> 2u);

    #for p in a b c d: var $p = identity();
    var i = begin4 + own;
    for (; i + 3u * grid < end4; i += 4u * grid) {
        let va = load4(i, origin);
        let vb = load4(i + grid, origin);
        let vc = load4(i + 2u * grid, origin);
        let vd = load4(i + 3u * grid, origin);
        #for p in a b c d: $p = combine($p, v$p);
    }
    for (; i < end4; i += grid) {
        a = combine(a, load4(i, origin));
    }

    let head = min(4u * begin4, stop) - begin;
    let tail = max(stop, 4u * end4) - 4u * end4;
    // A loop, because a tiny grid may have fewer invocations than these up to six elements.
    for (var j = own; j < head + tail; j += grid) {
        b = combine(b, load_at(select(4u * end4 + j - head, begin + j, j < head), origin));
    }
    return combine(combine(a, b), combine(c, d));
}
#else
fn fold_range(begin: u32, stop: u32, origin: u32, own: u32, grid: u32) -> Acc {
    var acc = identity();
    for (var i = begin + own; i < stop; i += grid) {
        acc = combine(acc, load_at(i, origin));
    }
    return acc;
}
#endif

fn fold(at: Place, wg: Workgroup) -> Acc {
    let stop = params.first + params.len;
    return fold_range(params.first, stop, params.first - params.index, wg.index * WG + at.lid, params.groups * WG);
}
#endif
