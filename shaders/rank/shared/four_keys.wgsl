// Sixteen keys of an invocation, which are loaded before the first is used, and a bit for each of them.
#import rank/shared/io
#import rank/order/*

struct FourKeys {
    #for p in a b c d: $p: Keys,
}

fn any_up_to(keys: FourKeys, key: Key) -> bool {
    return any(are_up_to(keys.a, key)) | any(are_up_to(keys.b, key)) | any(are_up_to(keys.c, key)) | any(are_up_to(keys.d, key));
}

fn bits_below(keys: FourKeys, key: Key) -> u32 {
    return bits_of(are_below(keys.a, key), are_below(keys.b, key), are_below(keys.c, key), are_below(keys.d, key));
}

fn bits_up_to(keys: FourKeys, key: Key) -> u32 {
    return bits_of(are_up_to(keys.a, key), are_up_to(keys.b, key), are_up_to(keys.c, key), are_up_to(keys.d, key));
}

fn bits_same(keys: FourKeys, key: Key) -> u32 {
    return bits_of(are_same(keys.a, key), are_same(keys.b, key), are_same(keys.c, key), are_same(keys.d, key));
}

fn bits_of(a: vec4<bool>, b: vec4<bool>, c: vec4<bool>, d: vec4<bool>) -> u32 {
    return four_bits(a) | (four_bits(b) << 4u) | (four_bits(c) << 8u) | (four_bits(d) << 12u);
}

fn four_bits(flags: vec4<bool>) -> u32 {
    let bits = select(vec4(0u), vec4(1u, 2u, 4u, 8u), flags);
    return (bits.x | bits.y) | (bits.z | bits.w);
}

// The place of the element with the lowest of some bits, counted from the first: vectors are a workgroup apart.
fn place_of_lowest(bits: u32) -> u32 {
    let i = firstTrailingBit(bits);
    return (i >> 2u) * 4u * WG + (i & 3u);
}
