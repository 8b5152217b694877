// Shuffles of an accumulator that is wider than 32 bits, word by word: Metal shuffles nothing wider, nor does Vulkan as wgpu opens it.
#import <operator>
#import <words>
#import <shuffle_words>

fn shuffle_down(value: Acc, d: u32) -> Acc {
    return from_words(shuffle_words_down(to_words(value), d));
}

fn shuffle_xor(value: Acc, mask: u32) -> Acc {
    return from_words(shuffle_words_xor(to_words(value), mask));
}
