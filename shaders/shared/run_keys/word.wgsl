// Keys of a word: equal if their bits are.

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
