// Dot product of two inputs. Integers wrap; floats of 16 bits are multiplied and added in 32, where their products are exact.
//
// It reads two inputs, so a dot product over n pairs has the traffic of a sum over 2n elements, with fewer operations per byte. Each product is
// rounded once, or not at all if the compiler fuses it with the addition: results on different GPUs may differ by these roundings.
#import operators/shared/added
#import operators/shared/own
#import operators/shared/plain_finish

fn map(first: Elem, second: Elem, index: u32) -> Acc { return Acc(first) * Acc(second); }
