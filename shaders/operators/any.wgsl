// Result: 1 if any element is nonzero, otherwise 0. Empty input: 0.
#import operators/shared/flags

fn identity() -> Acc { return 0u; }
fn combine(a: Acc, b: Acc) -> Acc { return a | b; }
