// Product. Integers wrap; floats of 16 bits accumulate in 32.
#import operators/shared/own
#import operators/shared/plain_finish

fn map(elem: Elem, index: u32) -> Acc { return Acc(elem); }
fn identity() -> Acc { return Acc(1); }
fn combine(a: Acc, b: Acc) -> Acc { return a * b; }
