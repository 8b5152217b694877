// Keys of two words: equal if their bits are.

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
