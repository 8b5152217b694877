// An accumulator of 64 bits as words.

const ACC_WORDS: u32 = 2u;

fn to_words(acc: Acc) -> vec4<u32> {
    let bits = bitcast<u64>(acc);
    return vec4<u32>(u32(bits & 0xfffffffflu), u32(bits >> 32u), 0u, 0u);
}

fn from_words(words: vec4<u32>) -> Acc {
    return bitcast<Acc>((u64(words.y) << 32u) | u64(words.x));
}
