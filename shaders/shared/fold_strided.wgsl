// Each invocation folds elements that are `params.own.stride` apart, four at a time.
//
// With a stride of eight floats or more, every element costs a complete sector of 32 bytes. Four independent
// loads keep four sectors in flight; vectors would gain nothing. Texels of a texture are loaded in the same way (texels.wgsl).
#import cursor
#import entry
#import load

// Element number `i`, which is under the cursor.
fn item(c: Cursor, i: u32) -> Acc {
    let origin = c.p - (params.index + i);
#ifdef texels
    return load_under(c, origin);
#else
    return load_at(c.p, origin);
#endif
}

fn fold(at: Place, wg: Workgroup) -> Acc {
    let grid = params.groups * WG;
    var a = identity();
    var b = identity();
    var c = identity();
    var d = identity();
    var i = wg.index * WG + at.lid;
    var first = cursor_at(params.first + i * params.own.stride, grid * params.own.stride);
    for (; i + 3u * grid < params.len; i += 4u * grid) {
        let second = advanced(first);
        let third = advanced(second);
        let fourth = advanced(third);
        let va = item(first, i);
        let vb = item(second, i + grid);
        let vc = item(third, i + 2u * grid);
        let vd = item(fourth, i + 3u * grid);
        a = combine(a, va);
        b = combine(b, vb);
        c = combine(c, vc);
        d = combine(d, vd);
        first = advanced(fourth);
    }
    for (; i < params.len; i += grid) {
        a = combine(a, item(first, i));
        first = advanced(first);
    }
    return combine(combine(a, b), combine(c, d));
}
