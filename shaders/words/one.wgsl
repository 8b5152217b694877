// Converts an accumulator of 32 bits to words and back.

alias Words = vec2<u32>;
const ACC_WORDS: u32 = 1u;

fn to_words(acc: Acc) -> Words {
    return Words(bitcast<u32>(acc), 0u);
}

fn from_words(words: Words) -> Acc {
    return bitcast<Acc>(words.x);
}
