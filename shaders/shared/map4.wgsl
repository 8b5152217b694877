// Four elements become one accumulator. An operator with a shorter way declares its own `map4`.
#import operator

#ifdef pair
fn map4(v: vec4<Elem>, w: vec4<Elem>, index: u32) -> Acc {
    return combine(
        combine(map(v.x, w.x, index), map(v.y, w.y, index + 1u)),
        combine(map(v.z, w.z, index + 2u), map(v.w, w.w, index + 3u)),
    );
}
#else
fn map4(v: vec4<Elem>, index: u32) -> Acc {
    return combine(
        combine(map(v.x, index), map(v.y, index + 1u)),
        combine(map(v.z, index + 2u), map(v.w, index + 3u)),
    );
}
#endif
