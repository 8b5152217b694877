// An operator over the elements that `keeps` returns true for. The operator itself is in this module, too, by names that begin with `inner`.
//
// An element that is left out becomes the identity. Only `finish` depends on it: a mean divides by the number of elements that are kept, which
// the accumulator counts in one word more. If none is kept, the result is that of an empty input.
//
// Nearly always all of four elements are kept. Then they go the operator's own way.
#import <inner>

struct Acc {
    inner: InnerAcc,
    kept: u32,
}

fn identity() -> Acc { return Acc(inner_identity(), 0u); }
fn combine(a: Acc, b: Acc) -> Acc { return Acc(inner_combine(a.inner, b.inner), a.kept + b.kept); }
fn finish(acc: Acc, n: u32) -> InnerOut { return inner_finish(acc.inner, acc.kept); }

#ifdef pair
fn map(first: Elem, second: Elem, index: u32) -> Acc {
    if !keeps(first, second) {
        return identity();
    }
#ifdef masked
    return Acc(inner_map(first, index), 1u);
#else
    return Acc(inner_map(first, second, index), 1u);
#endif
}
#else
fn map(elem: Elem, index: u32) -> Acc {
    if !keeps(elem) {
        return identity();
    }
    return Acc(inner_map(elem, index), 1u);
}
#endif

#ifdef vectors
#ifdef pair
fn map4(v: vec4<Elem>, w: vec4<Elem>, index: u32) -> Acc {
    if keeps(v.x, w.x) && keeps(v.y, w.y) && keeps(v.z, w.z) && keeps(v.w, w.w) {
#ifdef masked
        return Acc(inner_map4(v, index), 4u);
#else
        return Acc(inner_map4(v, w, index), 4u);
#endif
    }
    return combine(combine(map(v.x, w.x, index), map(v.y, w.y, index + 1u)), combine(map(v.z, w.z, index + 2u), map(v.w, w.w, index + 3u)));
}
#else
fn map4(v: vec4<Elem>, index: u32) -> Acc {
    if keeps(v.x) && keeps(v.y) && keeps(v.z) && keeps(v.w) {
        return Acc(inner_map4(v, index), 4u);
    }
    return combine(combine(map(v.x, index), map(v.y, index + 1u)), combine(map(v.z, index + 2u), map(v.w, index + 3u)));
}
#endif
#endif
