// The number of nonzero elements. It is exact, because no input has more elements than a u32 can count.
//
// `is_set` tests the bits of a float, not its value: a NaN is nonzero, and -0 is zero.
#import is_set

alias Acc = u32;

fn map(elem: Elem, index: u32) -> Acc {
    return select(0u, 1u, is_set(elem));
}

fn identity() -> Acc {
    return 0u;
}

fn combine(a: Acc, b: Acc) -> Acc {
    return a + b;
}

fn finish(acc: Acc, n: u32) -> Acc {
    return acc;
}
