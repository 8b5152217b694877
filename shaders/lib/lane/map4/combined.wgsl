// Four elements become one accumulator. An operator with a shorter way declares its own `map4`.
#import <operator>
#import lib/lane/combine_four/*

#ifdef pair
fn map4(v: vec4<Elem>, w: vec4<Elem>, index: u32) -> Acc {
    return combine_four(map(v.x, w.x, index), map(v.y, w.y, index + 1u), map(v.z, w.z, index + 2u), map(v.w, w.w, index + 3u));
}
#else
fn map4(v: vec4<Elem>, index: u32) -> Acc { return combine_four(map(v.x, index), map(v.y, index + 1u), map(v.z, index + 2u), map(v.w, index + 3u)); }
#endif
