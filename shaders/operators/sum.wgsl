// Sum. Integers wrap; floats of 16 bits accumulate in 32.
#import operators/shared/added
#import operators/shared/own
#import operators/shared/plain_finish

fn map(elem: Elem, index: u32) -> Acc { return Acc(elem); }
