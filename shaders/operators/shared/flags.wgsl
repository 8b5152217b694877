// 1 for each nonzero element, 0 for each zero. Floats are tested by their bits: a NaN is nonzero, and -0 is zero.
#import operators/shared/plain_finish

alias Acc = u32;

#ifdef float
#import operators/shared/float_bits
#import operators/keys/*

fn map(elem: Elem, index: u32) -> Acc { return u32(!is_same(bits(elem) & highest(), Key(0))); }
#else
fn map(elem: Elem, index: u32) -> Acc { return u32(elem != Elem(0)); }
#endif
