// Each invocation folds elements that are `params.own.stride` apart, four at a time, or texels of a texture (texels.wgsl).
//
// With a stride of eight floats or more, every element costs a complete sector of 32 bytes. Four independent loads keep four sectors in
// flight; vectors would gain nothing.
#import shared/cursor
#import lib/grid/entry
#import shared/load

// The element at a place.
fn item(place: Where, origin: u32) -> Acc {
#ifdef texels
    return load_from(place, origin);
#else
    return load_at(place, origin);
#endif
}

fn fold(at: Place, wg: Workgroup) -> Acc {
    let grid = params.groups * WG;
    let step = grid * params.own.stride;
    #for p in a b c d: var $p = identity();
    var i = wg.index * WG + at.lid;
    var first = cursor_at(params.first + i * params.own.stride, step);
    for (; i + 3u * grid < params.len; i += 4u * grid) {
        let four = four_places(first);
        let origin = first.p - (params.index + i);
        let va = item(four.a, origin);
        let vb = item(four.b, origin + step - grid);
        let vc = item(four.c, origin + 2u * (step - grid));
        let vd = item(four.d, origin + 3u * (step - grid));
        #for p in a b c d: $p = combine($p, v$p);
        first = four.next;
    }
    for (; i < params.len; i += grid) {
        a = combine(a, item(place_under(first), first.p - (params.index + i)));
        first = advanced(first);
    }
    return combine(combine(a, b), combine(c, d));
}
