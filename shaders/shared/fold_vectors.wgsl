// Each invocation folds vectors of four elements, four vectors at a time.
//
// Two things move a memory-bound kernel from good to peak. A `vec4` load asks for 16 bytes with one
// instruction, so a quarter of the address arithmetic and of the load slots is left for the same bytes.
// And four independent loads are issued before the first is used, so that while one is on its way
// (several hundred cycles) three others are too: bandwidth is bytes in flight divided by latency.
// The four accumulators are independent for the same reason, and are combined once at the end.
//
// A binding starts at a multiple of 256 bytes, the data may start at any element behind it. The vectors
// between the first and the last 16-byte boundary go through the loop; the up to three elements in front
// of it and behind it are loaded one by one.
//
// `fold_range` does so for any range of positions in the binding, shared by `grid` invocations of which this is
// number `own`; `fold` is the whole dispatch folding its whole input. `origin` is the position at which indices start.
//
// Items that are no elements side by side are folded otherwise: accumulators of an earlier dispatch one at a time, elements
// that are a stride apart as fold_strided.wgsl says.
#ifdef strided
#import fold_strided
#else
#import load

#ifdef vectors
#import vectors

fn fold_range(begin: u32, stop: u32, origin: u32, own: u32, grid: u32) -> Acc {
    let begin4 = (begin + 3u) >> 2u;
    let end4 = max(begin4, stop >> 2u);

    var a = identity();
    var b = identity();
    var c = identity();
    var d = identity();
    var i = begin4 + own;
    for (; i + 3u * grid < end4; i += 4u * grid) {
        let va = load4(i, origin);
        let vb = load4(i + grid, origin);
        let vc = load4(i + 2u * grid, origin);
        let vd = load4(i + 3u * grid, origin);
        a = combine(a, va);
        b = combine(b, vb);
        c = combine(c, vc);
        d = combine(d, vd);
    }
    for (; i < end4; i += grid) {
        a = combine(a, load4(i, origin));
    }

    let head = min(4u * begin4, stop) - begin;
    let tail = max(stop, 4u * end4) - 4u * end4;
    // A loop, because a tiny grid may have fewer invocations than there are such elements.
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
