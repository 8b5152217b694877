// Elements whose bits are combined. Each bit is independent of the others, so the order of combination does not matter, and every subgroup
// built-in gives the same result.
#import operators/shared/own
#import operators/shared/plain_finish

fn map(elem: Elem, index: u32) -> Acc { return elem; }
