// Floats of which a mask keeps some: -0, which adds nothing, stands in the place of those whose partner is 0 in all bits.
#import elements
#import format

#ifdef bits_64
fn kept(x: Floats, mask: Floats) -> Floats {
    let is_kept = (mask.low | mask.high) != vec2<u32>(0u);
    return Floats(select(vec2<u32>(0u), x.low, is_kept), select(vec2<u32>(0x80000000u), x.high, is_kept));
}
#else
fn kept(x: Floats, mask: Floats) -> Floats {
    return select(vec4<u32>(0x80000000u), x, mask != vec4<u32>(0u));
}
#endif
