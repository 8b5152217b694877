// Bitwise or: the bits that are set in any element. Empty input: 0.
#import operators/shared/bitwise

fn identity() -> Acc { return Acc(0); }
fn combine(a: Acc, b: Acc) -> Acc { return a | b; }
