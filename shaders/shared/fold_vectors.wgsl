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

@group(0) @binding(3) var<storage, read> input4: array<vec4<Elem>>;

fn load4(i: u32) -> Acc {
    let v = input4[i];
    let index = params.index + 4u * i - params.first;
    return combine(
        combine(map(v.x, index), map(v.y, index + 1u)),
        combine(map(v.z, index + 2u), map(v.w, index + 3u)),
    );
}

fn fold(at: Place) -> Acc {
    let stop = params.first + params.len;
    let begin = (params.first + 3u) >> 2u;
    let end = max(begin, stop >> 2u);
    let grid = params.groups * WG;
    let own = at.group * WG + at.lid;

    var a = identity();
    var b = identity();
    var c = identity();
    var d = identity();
    var i = begin + own;
    for (; i + 3u * grid < end; i += 4u * grid) {
        let va = load4(i);
        let vb = load4(i + grid);
        let vc = load4(i + 2u * grid);
        let vd = load4(i + 3u * grid);
        a = combine(a, va);
        b = combine(b, vb);
        c = combine(c, vc);
        d = combine(d, vd);
    }
    for (; i < end; i += grid) {
        a = combine(a, load4(i));
    }

    let head = min(4u * begin, stop) - params.first;
    let tail = max(stop, 4u * end) - 4u * end;
    // A loop, because a tiny grid may have fewer invocations than there are such elements.
    for (var j = own; j < head + tail; j += grid) {
        b = combine(b, load(select(4u * end - params.first + j - head, j, j < head)));
    }
    return combine(combine(a, b), combine(c, d));
}
