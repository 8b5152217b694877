// Shuffles of an accumulator of 32 bits.

fn shuffle_down(value: Acc, d: u32) -> Acc {
    return subgroupShuffleDown(value, d);
}

fn shuffle_xor(value: Acc, mask: u32) -> Acc {
    return subgroupShuffleXor(value, mask);
}
