// An accumulator of two 32-bit words as words.

const ACC_WORDS: u32 = 2u;

fn to_words(acc: Acc) -> vec4<u32> {
    return vec4<u32>(acc, 0u, 0u);
}

fn from_words(words: vec4<u32>) -> Acc {
    return words.xy;
}
