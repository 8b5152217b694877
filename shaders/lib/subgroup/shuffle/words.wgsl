// Shuffles of an accumulator that is wider than 32 bits, word by word: Metal shuffles nothing wider, nor does Vulkan as wgpu opens it.
#import <operator>
#import <words>

#for way in down xor up
#let shuffle = subgroupShuffleDown
#if way == xor: #let shuffle = subgroupShuffleXor
#if way == up: #let shuffle = subgroupShuffleUp
fn shuffle_$way(value: Acc, by: u32) -> Acc {
    let words = to_words(value);
#if 4 < WORDS
    return from_words(Words(
        #for word in 0..WORDS: $shuffle(words[$word], by),
    ));
#else
    return from_words($shuffle(words, by));
#endif
}

#end
