// Result: 1 if all elements are nonzero, otherwise 0. Empty input: 1.
#import operators/shared/flags

fn identity() -> Acc { return 1u; }
fn combine(a: Acc, b: Acc) -> Acc { return a & b; }
