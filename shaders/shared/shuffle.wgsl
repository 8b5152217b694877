// Shuffles of an accumulator: as it is where it has 32 bits, else word by word, and put together again.
//
// Metal's lanes exchange nothing wider, and Vulkan's only where a feature says so that wgpu does not ask for.
#import operator

#ifdef wide
#import words
#import shuffle_words

fn shuffle_down(value: Acc, d: u32) -> Acc {
    return from_words(shuffle_words_down(to_words(value), d));
}

fn shuffle_xor(value: Acc, mask: u32) -> Acc {
    return from_words(shuffle_words_xor(to_words(value), mask));
}
#else
fn shuffle_down(value: Acc, d: u32) -> Acc {
    return subgroupShuffleDown(value, d);
}

fn shuffle_xor(value: Acc, mask: u32) -> Acc {
    return subgroupShuffleXor(value, mask);
}
#endif
