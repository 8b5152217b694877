// The sum of the lanes' digits of 27 bits: its lowest digit, and what is above that. The halves of the digits do
// not overflow: a subgroup has at most 128 lanes.
#ifdef subgroups
#import operator

fn digits_of_lanes(digit: u32) -> vec2<u32> {
    let low = subgroupAdd(digit & 0xffffu);
    let high = subgroupAdd(digit >> 16u) + (low >> 16u);
    return vec2<u32>(((high << 16u) & MASK) | (low & 0xffffu), high >> (DIGIT - 16u));
}
#endif
