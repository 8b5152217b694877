// Keys of one word or of two: equal if their bits are.

#ifdef bits_64
alias RunKey = vec2<u32>;
struct FourRunKeys {
    #for c in x y z w: $c: RunKey,
}

// A bit for each of four keys that is another one than the key before it.
fn changes(own: FourRunKeys, last: RunKey) -> u32 {
    return u32(any(own.x != last))
        | (u32(any(own.y != own.x)) << 1u)
        | (u32(any(own.z != own.y)) << 2u)
        | (u32(any(own.w != own.z)) << 3u);
}
#else
alias RunKey = u32;
alias FourRunKeys = vec4<u32>;

// The bits of keys, normalized so that equal keys have equal bits.
fn normalized(keys: FourRunKeys) -> FourRunKeys {
#ifdef float
    // Zeros are one key, and NaNs are one.
    let size = keys & vec4(0x7fffffffu);
    let number = select(keys, vec4(0u), size == vec4(0u));
    return select(number, vec4(0x7fc00000u), size > vec4(0x7f800000u));
#else
    return keys;
#endif
}

fn changes(own: FourRunKeys, last: RunKey) -> u32 {
    let now = normalized(own);
    let bits = select(vec4(0u), vec4(1u, 2u, 4u, 8u), now != vec4(normalized(vec4(last)).x, now.xyz));
    return bits.x | bits.y | bits.z | bits.w;
}
#endif
