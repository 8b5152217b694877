// Each invocation folds elements that are `params.own.stride` apart, four at a time.
//
// With a stride of eight floats or more, every element costs a complete sector of 32 bytes. Four independent
// loads keep four sectors in flight; vectors would gain nothing. Texels of a texture are loaded in the same way (texels.wgsl).
#import cursor
#import entry
#import load

// The element at a place.
#ifdef texels
fn item(place: vec2<u32>, origin: u32) -> Acc {
    return load_from(place, origin);
}
#else
fn item(place: u32, origin: u32) -> Acc {
    return load_at(place, origin);
}
#endif

fn fold(at: Place, wg: Workgroup) -> Acc {
    let grid = params.groups * WG;
    let step = grid * params.own.stride;
    var a = identity();
    var b = identity();
    var c = identity();
    var d = identity();
    var i = wg.index * WG + at.lid;
    var first = cursor_at(params.first + i * params.own.stride, step);
    for (; i + 3u * grid < params.len; i += 4u * grid) {
        let second = advanced(first);
        let third = advanced(second);
        let fourth = advanced(third);
        let pa = place_under(first);
        let pb = place_under(second);
        let pc = place_under(third);
        let pd = place_under(fourth);
        let origin = first.p - (params.index + i);
        let va = item(pa, origin);
        let vb = item(pb, origin + step - grid);
        let vc = item(pc, origin + 2u * (step - grid));
        let vd = item(pd, origin + 3u * (step - grid));
        a = combine(a, va);
        b = combine(b, vb);
        c = combine(c, vc);
        d = combine(d, vd);
        first = advanced(fourth);
    }
    for (; i < params.len; i += grid) {
        a = combine(a, item(place_under(first), first.p - (params.index + i)));
        first = advanced(first);
    }
    return combine(combine(a, b), combine(c, d));
}
