// Converts an accumulator of two 64-bit integers to words and back.

alias Words = vec4<u32>;
const ACC_WORDS: u32 = 4u;

fn to_words(acc: Acc) -> Words {
    let bits = bitcast<vec2<u64>>(acc);
    return Words(
        u32(bits.x & 0xfffffffflu),
        u32(bits.x >> 32u),
        u32(bits.y & 0xfffffffflu),
        u32(bits.y >> 32u),
    );
}

fn from_words(words: Words) -> Acc {
    let x = (u64(words.y) << 32u) | u64(words.x);
    let y = (u64(words.w) << 32u) | u64(words.z);
    return bitcast<Acc>(vec2<u64>(x, y));
}
