// Converts an accumulator of 64 bits to words and back.

alias Words = vec2<u32>;
const ACC_WORDS: u32 = 2u;

fn to_words(acc: Acc) -> Words {
    let bits = bitcast<u64>(acc);
    return Words(u32(bits & 0xfffffffflu), u32(bits >> 32u));
}

fn from_words(words: Words) -> Acc {
    return bitcast<Acc>((u64(words.y) << 32u) | u64(words.x));
}
