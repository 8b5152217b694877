// Four accumulators become one: the first two and the last two, then both, as in map4.wgsl.
//
// There is one copy of the operator's `combine`, in a loop, instead of three in one expression. SwiftShader
// inlines all calls, and then follows every value back through the branches of all copies before: with three
// copies of a `combine` that branches it does not come to an end, but it stops at a loop. A GPU is spared the
// loop.
#import operator

fn combine_four(a: Acc, b: Acc, c: Acc, d: Acc) -> Acc {
    var kept = a;
    var low = a;
    var high = b;
    for (var step = 0u; step < 3u; step++) {
        let both = combine(low, high);
        if step == 0u {
            kept = both;
            low = c;
            high = d;
        } else {
            low = kept;
            high = both;
        }
    }
    return high;
}

#ifdef pair
fn map4(v: vec4<Elem>, w: vec4<Elem>, index: u32) -> Acc {
    return combine_four(
        map(v.x, w.x, index), map(v.y, w.y, index + 1u), map(v.z, w.z, index + 2u), map(v.w, w.w, index + 3u),
    );
}
#else
fn map4(v: vec4<Elem>, index: u32) -> Acc {
    return combine_four(map(v.x, index), map(v.y, index + 1u), map(v.z, index + 2u), map(v.w, index + 3u));
}
#endif
