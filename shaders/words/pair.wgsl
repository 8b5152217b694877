// Converts an accumulator of two 32-bit values to words and back.

alias Words = vec2<u32>;
const ACC_WORDS: u32 = 2u;

fn to_words(acc: Acc) -> Words {
    return acc;
}

fn from_words(words: Words) -> Acc {
    return words;
}
