// An accumulator of 32 bits as words.

const ACC_WORDS: u32 = 1u;

fn to_words(acc: Acc) -> vec4<u32> {
    return vec4<u32>(bitcast<u32>(acc), 0u, 0u, 0u);
}

fn from_words(words: vec4<u32>) -> Acc {
    return bitcast<Acc>(words.x);
}
