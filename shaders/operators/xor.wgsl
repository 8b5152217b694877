// Bitwise exclusive or: the bits that are set in an odd number of elements. Empty input: 0.
#import operators/shared/bitwise

fn identity() -> Acc { return Acc(0); }
fn combine(a: Acc, b: Acc) -> Acc { return a ^ b; }
