// Bitwise and: the bits that are set in all elements. Empty input: all bits set.
#import operators/shared/bitwise

fn identity() -> Acc { return ~Acc(0); }
fn combine(a: Acc, b: Acc) -> Acc { return a & b; }
