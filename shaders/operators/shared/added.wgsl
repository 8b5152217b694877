// Accumulators that are added, from zero on.
#import <operator>

fn identity() -> Acc { return Acc(0); }
fn combine(a: Acc, b: Acc) -> Acc { return a + b; }
