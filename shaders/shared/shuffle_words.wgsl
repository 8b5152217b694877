// Shuffles of an accumulator wider than 32 bits: word by word, and put together again.
//
// Metal's lanes exchange nothing wider, and Vulkan's only where a feature says so that wgpu does not ask for.

fn shuffle_down(value: Acc, d: u32) -> Acc {
    return from_words(subgroupShuffleDown(to_words(value), d));
}

fn shuffle_xor(value: Acc, mask: u32) -> Acc {
    return from_words(subgroupShuffleXor(to_words(value), mask));
}
