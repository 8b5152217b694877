// An element's rank and its index, as `rank_of` of the operator says (first_best.wgsl).
#import keys
#import operator

struct Acc {
    rank: Key,
    index: u32,
}

// The value is the element's bits; for 16-bit floats those of a 32-bit float.
struct Out {
    value: Key,
    index: u32,
}

fn map(elem: Elem, index: u32) -> Acc {
    return Acc(rank_of(elem), index);
}
