// 1 for each nonzero element, 0 for each zero. `is_set` tests the bits of a float, not its value: a NaN is nonzero, and -0 is zero.
#import is_set
#import plain_finish

alias Acc = u32;

fn map(elem: Elem, index: u32) -> Acc {
    return select(0u, 1u, is_set(elem));
}
