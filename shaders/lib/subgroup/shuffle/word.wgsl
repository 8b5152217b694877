// Shuffles of an accumulator that has 32 bits. Wider ones travel word by word (words.wgsl).
#import <operator>

fn shuffle_down(value: Acc, d: u32) -> Acc { return subgroupShuffleDown(value, d); }
fn shuffle_xor(value: Acc, mask: u32) -> Acc { return subgroupShuffleXor(value, mask); }
fn shuffle_up(value: Acc, d: u32) -> Acc { return subgroupShuffleUp(value, d); }
fn shuffle_from(value: Acc, lane: u32) -> Acc { return subgroupShuffle(value, lane); }
