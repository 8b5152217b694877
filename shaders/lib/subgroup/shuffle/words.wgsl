// Shuffles of an accumulator that is wider than 32 bits, word by word: Metal shuffles nothing wider, nor does Vulkan as wgpu opens it.
#import <operator>
#import <words>

fn shuffle_down(value: Acc, d: u32) -> Acc {
    let words = to_words(value);
#if 4 < WORDS
    return from_words(Words(
        #for word in 0..WORDS: subgroupShuffleDown(words[$word], d),
    ));
#else
    return from_words(subgroupShuffleDown(words, d));
#endif
}

fn shuffle_xor(value: Acc, mask: u32) -> Acc {
    let words = to_words(value);
#if 4 < WORDS
    return from_words(Words(
        #for word in 0..WORDS: subgroupShuffleXor(words[$word], mask),
    ));
#else
    return from_words(subgroupShuffleXor(words, mask));
#endif
}
